//! The hosts that a module may read from.

use std::collections::BTreeSet;
use std::fmt;

use url::{Host, Url};

use crate::contract::services::web::HttpError;

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

#[cfg(test)]
mod tests {
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
