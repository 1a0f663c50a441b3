//! Web addresses in the settings file or the environment.

use url::{Host, Url};

pub const ADDRESS_HELP: &str =
    "write an address that begins with `http://` or `https://` and ends with a host or a path";

/// Why an address is invalid, as the end of a sentence that begins with its position. It never repeats the text,
/// because addresses may contain passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("is not an address: {0}")]
    Malformed(url::ParseError),
    /// A scheme other than `http` and `https`.
    #[error("is not a web address")]
    OtherScheme,
    /// `http://user:password@host`.
    #[error("holds a user name or a password")]
    HoldsSecret,
    /// It has a query or a fragment.
    #[error("ends in `?` or `#` and more, which would be lost")]
    SaysTooMuch,
}

/// The help for an address to which a secret would be sent unencrypted.
pub const INSECURE_HELP: &str = "write `https://`, or `insecure = true` if nobody else can read what is on the way";

/// Parses an `http` or `https` address with a host.
pub fn web_address(text: &str) -> Result<Url, AddressError> {
    let url = Url::parse(text.trim()).map_err(AddressError::Malformed)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(AddressError::OtherScheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::HoldsSecret);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(AddressError::SaysTooMuch);
    }
    Ok(url)
}

/// Returns whether others can read data on the way there: `http` or `ws` to a machine other than this one.
pub fn is_readable_on_the_way(url: &Url) -> bool {
    let is_this_machine = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    };
    matches!(url.scheme(), "http" | "ws") && !is_this_machine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_to_another_machine_is_readable_on_the_way() {
        for safe in [
            "https://api.example/v1",
            "http://127.0.0.1:1",
            "http://[::1]/",
            "http://LOCALHOST:1",
            "http://a.localhost",
        ] {
            assert!(!is_readable_on_the_way(&web_address(safe).unwrap()), "{safe}");
        }
        for readable in
            ["http://api.example/v1", "http://10.0.0.7:11434", "http://model:11434", "http://localhost.example"]
        {
            assert!(is_readable_on_the_way(&web_address(readable).unwrap()), "{readable}");
        }
    }
}
