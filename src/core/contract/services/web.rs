//! Web access of modules: pages of named hosts, and files that came with a call, which Discord stores.
//!
//! A module reads only from named hosts. Its manifest lists them by name, never by IP address (`http_hosts`). The
//! operator may narrow the list (`[modules.http_hosts]`). A module that asks for any host, such as a feed reader,
//! reaches none until the operator names some. Only `https` on its standard port is allowed. Redirects are checked the
//! same way. When connecting, the resolved IP address must also be on the public internet.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use crate::contract::entity::Attachment;
use crate::language::{Language, say};
use crate::text::names;

/// The largest file that is read, in bytes: the size that every user may upload to Discord.
pub const ATTACHMENT_SIZE_MAX: u64 = 10 * 1024 * 1024;

/// Why a file was not read. As an `Error`, it is for the log; [`AttachmentError::told`] is for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    /// It is larger than this, in bytes. Nothing was fetched.
    #[error("the file has more than {0} bytes")]
    TooLarge(u64),
    /// Discord did not send it, or not in time: it was deleted, or the command was called long ago.
    #[error("the file cannot be fetched")]
    Unreachable,
    /// Its size is not the one that was announced.
    #[error("the file is another than was announced")]
    Changed,
}

impl AttachmentError {
    /// Returns a plain sentence for the caller of a command.
    pub fn told(self, language: Language) -> String {
        match self {
            Self::TooLarge(max) => say!(language, "attachment-too-large", kib = max / 1024),
            Self::Unreachable => say!(language, "attachment-unreachable"),
            Self::Changed => say!(language, "attachment-changed"),
        }
    }
}

/// A reader of files in options of the type [`Attachment`]. It reads from Discord's file hosts only.
#[async_trait]
pub trait Attachments: Send + Sync {
    /// Returns the whole file, if it has at most `max` bytes. `max` may not exceed [`ATTACHMENT_SIZE_MAX`]. The file's
    /// name, media type and content are untrusted.
    async fn read(&self, file: &Attachment, max: u64) -> Result<Vec<u8>, AttachmentError>;
}

/// The files of a call.
pub struct OwnAttachments<'a> {
    pub(in crate::contract::services) attachments: &'a dyn Attachments,
}

impl OwnAttachments<'_> {
    /// Returns the whole of a file that came as an option of this call, if it has at most `max` bytes.
    pub async fn read(&self, file: &Attachment, max: u64) -> Result<Vec<u8>, AttachmentError> {
        let max = max.min(ATTACHMENT_SIZE_MAX);
        if max < file.size {
            return Err(AttachmentError::TooLarge(max));
        }
        self.attachments.read(file, max).await
    }
}

names! {
    /// Why nothing was read. As an `Error`, it is for the log: `?` in a handler hides it from the caller.
    /// [`HttpError::told`] is for the caller.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum HttpError {
        /// The URL is not accepted: not `https`, another port, a name and password, an IP address as host, or longer than
        /// 2,048 characters.
        #[error("this is not an `https` address of a host")]
        Address = "address",
        /// The module may not read from this host.
        #[error("neither its manifest nor the operator lets the module read from this host")]
        HostNotAllowed = "host-not-allowed",
        /// The host, or one that it redirects to, is not on the public internet.
        #[error("the name of the host leads to no address of the public internet")]
        NotPublic = "not-public",
        /// The host is unknown, does not answer, or fails TLS verification.
        #[error("the host cannot be reached")]
        Unreachable = "unreachable",
        /// The request timed out.
        #[error("the host did not answer in time")]
        TimedOut = "timed-out",
        /// The response is larger than [`RESPONSE_SIZE_MAX`](RESPONSE_SIZE_MAX).
        #[error("the answer is too large")]
        TooLarge = "too-large",
        /// There are too many redirects.
        #[error("the host redirects too often")]
        Redirects = "redirects",
        /// Too many requests are in progress.
        #[error("too many addresses are being read at once")]
        Busy = "busy",
    }
}

impl HttpError {
    /// Returns a plain sentence for the caller of a command.
    pub fn told(self, language: Language) -> String {
        match self {
            Self::Address => say!(language, "http-address"),
            Self::HostNotAllowed => say!(language, "http-host-not-allowed"),
            Self::NotPublic => say!(language, "http-not-public"),
            Self::Unreachable => say!(language, "http-unreachable"),
            Self::TimedOut => say!(language, "http-timed-out"),
            Self::TooLarge => say!(language, "http-too-large"),
            Self::Redirects => say!(language, "http-redirects"),
            Self::Busy => say!(language, "http-busy"),
        }
    }
}

/// In a manifest: the module needs hosts that only the operator can name. In the operator's settings: all public hosts.
pub const ANY_HOST: &str = "*";

/// The longest URL that is read, in bytes.
const URL_SIZE_MAX: usize = 2_048;

/// The hosts that a module may read from; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpHosts {
    names: BTreeSet<String>,
    /// The rule for hosts that are not in `names`.
    others: Others,
}

/// The rule for hosts that are not named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Others {
    /// Refused.
    #[default]
    No,
    /// The module asks for them. Refused until the operator names them.
    Asked,
    /// Allowed.
    Yes,
}

impl HttpHosts {
    /// Reads the hosts that a manifest names, each in the form of [`host_name`] or [`ANY_HOST`].
    pub fn declared<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hosts = Self::default();
        for name in names {
            match name {
                ANY_HOST => hosts.others = Others::Asked,
                name => drop(hosts.names.insert(name.to_owned())),
            }
        }
        hosts
    }

    /// Applies the operator's list. It may narrow the manifest's hosts, or add hosts to a module that asks for any. The
    /// error lists hosts that the manifest neither names nor asks for.
    pub fn given<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Self, Vec<&'a str>> {
        let mut hosts = Self::default();
        let mut strangers = Vec::new();
        for name in names {
            match name {
                ANY_HOST if self.others != Others::No => hosts.others = Others::Yes,
                name if name != ANY_HOST && (self.others != Others::No || self.names.contains(name)) => {
                    hosts.names.insert(name.to_owned());
                }
                name => strangers.push(name),
            }
        }
        if strangers.is_empty() { Ok(hosts) } else { Err(strangers) }
    }

    /// Returns the named hosts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns this host's name if the manifest or the operator wrote it. Such a name may be logged; a URL from a
    /// person may not.
    pub fn named(&self, host: &str) -> Option<&str> {
        self.names.get(host).map(String::as_str)
    }

    /// Parses a URL and checks that it may be read.
    pub fn admit(&self, address: &str) -> Result<Url, HttpError> {
        if URL_SIZE_MAX < address.len() {
            return Err(HttpError::Address);
        }
        let url = Url::parse(address).map_err(|_invalid| HttpError::Address)?;
        // `Url` parses every form of an IP address as one: `https://2130706433/`, `https://0x7f.1/`.
        let Some(Host::Domain(host)) = url.host() else { return Err(HttpError::Address) };
        let is_plain = url.scheme() == "https" && url.port().is_none();
        if !is_plain || !url.username().is_empty() || url.password().is_some() {
            return Err(HttpError::Address);
        }
        let is_allowed = self.others == Others::Yes || self.names.contains(host);
        if is_allowed { Ok(url) } else { Err(HttpError::HostNotAllowed) }
    }
}

impl fmt::Display for HttpHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = match self.others {
            Others::Yes => return f.write_str("all public hosts"),
            Others::Asked if self.names.is_empty() => "no host until [modules.http_hosts] names some",
            Others::Asked => " and others that [modules.http_hosts] names",
            Others::No if self.names.is_empty() => "no host",
            Others::No => "",
        };
        write!(f, "{}{others}", self.names().collect::<Vec<_>>().join(", "))
    }
}

/// Returns a host's name in its canonical form, lower-case ASCII. The error says why it is invalid, as the end of a
/// sentence.
pub fn host_name(text: &str) -> Result<String, &'static str> {
    if text.contains(['/', ':', '@', '?', '#']) && Host::parse(text).is_err() {
        return Err("a host's name alone is meant, without `https://`, a port or a path");
    }
    match Host::parse(text) {
        Ok(Host::Domain(name)) if name.contains('*') => Err("each host is named by itself, or all are meant by `*`"),
        Ok(Host::Domain(name)) if !name.trim_end_matches('.').contains('.') => {
            Err("a host of the public internet has a dot in its name")
        }
        Ok(Host::Domain(name)) if name.ends_with('.') => Err("its name ends with a dot"),
        Ok(Host::Domain(name)) => Ok(name),
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) => Err("it is an IP address, and hosts are named"),
        Err(_invalid) => Err("it is not the name of a host"),
    }
}

/// The largest response body after decompression, in bytes.
pub const RESPONSE_SIZE_MAX: usize = 2 * 1024 * 1024;

/// The validators of a cached page, for asking the server whether it changed. Untrusted: the server wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`: at most 256 characters.
    pub etag: Option<String>,
    /// `Last-Modified`: at most 256 characters.
    pub last_modified: Option<String>,
}

/// The response of a server. All of it is untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status, such as 200. Never a redirect.
    pub status: u16,
    /// `Content-Type`: at most 256 characters.
    pub content_type: Option<String>,
    /// The validators for the next request.
    pub validators: Validators,
    /// The body: at most [`RESPONSE_SIZE_MAX`] bytes.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Returns whether the status means success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns whether the page is unchanged. Only for [`OwnHttp::get_if_changed`].
    pub fn is_unchanged(&self) -> bool {
        self.status == 304
    }

    /// Returns the body as text, or `None` if it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        let body = self.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.body);
        std::str::from_utf8(body).ok()
    }
}

/// A request for one URL.
#[derive(Clone, Debug)]
pub struct HttpGet<'a> {
    /// The module that asks.
    pub module: &'a str,
    /// The URL, already admitted by the hosts.
    pub url: Url,
    /// The hosts that the module may read from, to check redirects.
    pub hosts: &'a HttpHosts,
    /// The validators of an earlier response.
    pub known: &'a Validators,
}

/// A reader of the public internet.
#[async_trait]
pub trait Http: Send + Sync {
    /// Reads a URL and follows redirects. Each URL must be admitted by the hosts and lead to the public internet. Time
    /// and size are bounded.
    async fn get(&self, get: HttpGet<'_>) -> Result<HttpResponse, HttpError>;
}

/// A reader of one module's hosts.
pub struct OwnHttp<'a> {
    pub(in crate::contract::services) http: &'a dyn Http,
    pub(in crate::contract::services) module: &'a str,
    pub(in crate::contract::services) hosts: &'a HttpHosts,
}

impl OwnHttp<'_> {
    /// Reads a URL such as `https://example.org/feed.xml`. Any response of the server is `Ok`, even with an error
    /// status.
    pub async fn get(&self, address: &str) -> Result<HttpResponse, HttpError> {
        self.get_if_changed(address, &Validators::default()).await
    }

    /// Reads a URL if it changed since the response with these validators. If not, [`HttpResponse::is_unchanged`] is
    /// true and there is no body.
    pub async fn get_if_changed(&self, address: &str, known: &Validators) -> Result<HttpResponse, HttpError> {
        let module = self.module;
        let hosts = self.hosts;
        self.http.get(HttpGet { module, url: hosts.admit(address)?, hosts, known }).await
    }

    /// Returns the hosts that may be read, for an answer to a person who gave a URL of another one.
    pub fn hosts(&self) -> &HttpHosts {
        self.hosts
    }
}

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
mod hosts_tests {
    use super::*;

    #[test]
    fn a_host_is_written_as_its_name() {
        for (text, expected) in [
            ("example.org", Ok("example.org")),
            ("API.Example.ORG", Ok("api.example.org")),
            ("bücher.example", Ok("xn--bcher-kva.example")),
            ("https://example.org", Err("without `https://`")),
            ("example.org/feed", Err("without `https://`")),
            ("example.org:8443", Err("without `https://`")),
            ("user@example.org", Err("without `https://`")),
            ("*.example.org", Err("by itself")),
            ("localhost", Err("has a dot")),
            ("localhost.", Err("has a dot")),
            ("example.org.", Err("ends with a dot")),
            ("127.0.0.1", Err("IP address")),
            ("2130706433", Err("IP address")),
            ("0x7f.1", Err("IP address")),
            ("[::1]", Err("IP address")),
            ("exa mple.org", Err("not the name")),
            ("", Err("not the name")),
        ] {
            match (host_name(text), expected) {
                (Ok(name), Ok(expected)) => assert_eq!(name, expected),
                (Err(why), Err(expected)) => assert!(why.contains(expected), "{text}: {why}"),
                (read, _) => panic!("{text}: {read:?}"),
            }
        }
    }

    #[test]
    fn nothing_is_read_that_nobody_named() {
        let hosts = HttpHosts::declared(["example.org", "api.example.org"]);
        let long = format!("https://example.org/{}", "x".repeat(URL_SIZE_MAX));
        for (address, expected) in [
            ("https://example.org/feed?x=1", Ok("https://example.org/feed?x=1")),
            ("HTTPS://EXAMPLE.ORG", Ok("https://example.org/")),
            ("https://example.org:443/", Ok("https://example.org/")),
            ("https://other.example/", Err(HttpError::HostNotAllowed)),
            ("https://www.example.org/", Err(HttpError::HostNotAllowed)),
            ("https://example.org.evil.example/", Err(HttpError::HostNotAllowed)),
            ("https://example.org./", Err(HttpError::HostNotAllowed)),
            ("https://evil.example/example.org", Err(HttpError::HostNotAllowed)),
            ("https://evil.example\\@example.org/", Err(HttpError::HostNotAllowed)),
            ("https://user@example.org/", Err(HttpError::Address)),
            ("https://:x@example.org/", Err(HttpError::Address)),
            ("https://example.org@evil.example/", Err(HttpError::Address)),
            ("http://example.org/", Err(HttpError::Address)),
            ("https://example.org:8443/", Err(HttpError::Address)),
            ("ftp://example.org/", Err(HttpError::Address)),
            ("file:///etc/passwd", Err(HttpError::Address)),
            ("example.org", Err(HttpError::Address)),
            ("", Err(HttpError::Address)),
            (long.as_str(), Err(HttpError::Address)),
        ] {
            assert_eq!(hosts.admit(address).as_ref().map(Url::as_str), expected.as_ref().copied(), "{address}");
        }
    }

    #[test]
    fn an_address_in_place_of_a_host_is_refused_even_where_all_hosts_are_allowed() {
        let all = HttpHosts::declared([ANY_HOST]).given([ANY_HOST]).unwrap();
        assert!(all.admit("https://any.example/").is_ok());
        for address in [
            "https://8.8.8.8/",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://127.0.0.1./",
            "https://①②⑦.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[2001:4860:4860::8888]/",
        ] {
            assert_eq!(all.admit(address), Err(HttpError::Address), "{address}");
        }
    }

    #[test]
    fn the_operator_leaves_fewer_hosts_or_names_those_of_a_module_that_asks_for_any() {
        let named = ["a.example", "b.example"];
        let any = [ANY_HOST];
        for (declared, given, expected) in [
            (&named[..], &["a.example"][..], Ok("a.example")),
            (&named, &[], Ok("no host")),
            (&named, &["a.example", "c.example"], Err(vec!["c.example"])),
            (&named, &[ANY_HOST], Err(vec![ANY_HOST])),
            (&any, &["c.example"], Ok("c.example")),
            (&any, &[ANY_HOST], Ok("all public hosts")),
            (&[], &["c.example"], Err(vec!["c.example"])),
        ] {
            let hosts = HttpHosts::declared(declared.iter().copied()).given(given.iter().copied());
            assert_eq!(hosts.map(|hosts| hosts.to_string()), expected.map(str::to_owned), "{declared:?} {given:?}");
        }
        let until_then = HttpHosts::declared(any);
        assert_eq!(until_then.admit("https://c.example/"), Err(HttpError::HostNotAllowed));
        assert_eq!(until_then.to_string(), "no host until [modules.http_hosts] names some");
        assert_eq!(HttpHosts::default().admit("https://c.example/"), Err(HttpError::HostNotAllowed));
    }
}

#[cfg(test)]
mod public_tests {
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
