//! Which IP addresses are on the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IPv4 networks that are not public, each with its prefix length. See IANA's registry of special-purpose
/// addresses.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    // This network, private networks, carrier-grade NAT, loopback, and link-local with most clouds' metadata service.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Protocol assignments, examples, 6to4 relays, benchmarks.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, and the reserved range with the broadcast address.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // The host of Azure's virtual machines: in public address space but reachable only from inside.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// The networks within `2000::/3` that are not public: protocols with Teredo, examples, 6to4.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The range from which public IPv6 addresses are assigned.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// The prefixes whose last 32 bits are an IPv4 address: mapped addresses and NAT64.
const EMBEDDING: [(Ipv6Addr, u32); 2] =
    [(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96), (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96)];

/// Returns whether an address is on the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_V4.iter().any(|network| is_in_v4(address, *network)),
        IpAddr::V6(address) if EMBEDDING.iter().any(|network| is_in_v6(address, *network)) => {
            let [.., a, b, c, d] = address.octets();
            is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
        }
        IpAddr::V6(address) => {
            is_in_v6(address, PUBLIC_V6) && !NOT_PUBLIC_V6.iter().any(|network| is_in_v6(address, *network))
        }
    }
}

fn is_in_v4(address: Ipv4Addr, (network, prefix): (Ipv4Addr, u32)) -> bool {
    let differs = address.to_bits() ^ network.to_bits();
    prefix <= differs.leading_zeros()
}

fn is_in_v6(address: Ipv6Addr, (network, prefix): (Ipv6Addr, u32)) -> bool {
    let differs = address.to_bits() ^ network.to_bits();
    prefix <= differs.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_public() {
        let public = [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "168.63.129.15",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:4860:4860::8888",
            "2a00:1450:4001:80b::200e",
            "2620:fe::fe",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ];
        let not_public = [
            ("0.0.0.0", "this host"),
            ("0.1.2.3", "this network"),
            ("10.0.0.1", "private"),
            ("10.255.255.255", "private"),
            ("100.64.0.1", "of carriers"),
            ("100.100.100.200", "of carriers, and Alibaba's metadata"),
            ("127.0.0.1", "loopback"),
            ("127.255.255.254", "loopback"),
            ("168.63.129.16", "Azure's host"),
            ("169.254.169.254", "link-local, and metadata of clouds"),
            ("172.16.0.1", "private"),
            ("172.31.255.255", "private"),
            ("192.0.0.192", "protocols, and Oracle's metadata"),
            ("192.0.2.1", "examples"),
            ("192.88.99.1", "relays"),
            ("192.168.1.1", "private"),
            ("198.18.0.1", "tests"),
            ("198.19.255.255", "tests"),
            ("198.51.100.1", "examples"),
            ("203.0.113.1", "examples"),
            ("224.0.0.251", "multicast"),
            ("239.255.255.250", "multicast"),
            ("240.0.0.1", "reserved"),
            ("255.255.255.255", "broadcast"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::127.0.0.1", "compatible, long gone"),
            ("::ffff:127.0.0.1", "mapped loopback"),
            ("::ffff:10.0.0.1", "mapped private"),
            ("::ffff:169.254.169.254", "mapped metadata"),
            ("64:ff9b::10.0.0.1", "private behind a NAT64"),
            ("64:ff9b::169.254.169.254", "metadata behind a NAT64"),
            ("64:ff9b:1::8.8.8.8", "a NAT64 of its own network"),
            ("100::1", "discarded"),
            ("2001::1", "Teredo"),
            ("2001:20::1", "identifiers"),
            ("2001:db8::1", "examples"),
            ("2002:7f00:1::", "6to4 of loopback"),
            ("3fff::1", "examples"),
            ("5f00::1", "segment routing"),
            ("fc00::1", "unique local"),
            ("fd00:ec2::254", "unique local, and Amazon's metadata"),
            ("fe80::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
        ];
        for address in public {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for (address, what) in not_public {
            assert!(!is_public(address.parse().unwrap()), "{address}: {what}");
        }
    }
}
