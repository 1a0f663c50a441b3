//! `DISCORD_PROXY`: the proxy's address, which takes precedence over the settings.

use std::ffi::OsStr;

use url::Url;

use candor_core::settings::{ADDRESS_HELP, AddressError, INSECURE_HELP, is_readable_on_the_way, web_address};

/// Why `DISCORD_PROXY` cannot be used. A requested proxy is never bypassed: the token would go to Discord itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyError {
    #[error("DISCORD_PROXY is not UTF-8 text; {ADDRESS_HELP}, or unset it")]
    NotUtf8,
    #[error("DISCORD_PROXY {0}; {ADDRESS_HELP}, or unset it")]
    Invalid(AddressError),
    /// The token would go to another machine unencrypted.
    #[error("DISCORD_PROXY would send the token unencrypted to another machine; {INSECURE_HELP}, in [discord]")]
    Readable,
}

/// Parses the variable by the rules of `[discord] proxy` and `insecure`. An empty one counts as unset.
pub fn find_proxy(variable: Option<&OsStr>, insecure: bool) -> Result<Option<Url>, ProxyError> {
    let Some(address) = variable.filter(|address| !address.is_empty()) else { return Ok(None) };
    let text = address.to_str().ok_or(ProxyError::NotUtf8)?;
    let proxy = web_address(text).map_err(ProxyError::Invalid)?;
    if !insecure && is_readable_on_the_way(&proxy) {
        return Err(ProxyError::Readable);
    }
    Ok(Some(proxy))
}

/// Returns the loggable parts of a proxy: scheme, host and port. The rest may be a secret.
pub(crate) fn shown(proxy: &Url) -> String {
    proxy.origin().ascii_serialization()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{ProxyError, find_proxy, shown};

    #[test]
    fn a_proxy_is_a_web_address_without_a_secret_or_a_reason_to_stop() {
        assert_eq!(find_proxy(None, false), Ok(None));
        assert_eq!(find_proxy(Some(OsStr::new("")), false), Ok(None));
        let proxy = find_proxy(Some(OsStr::new("http://127.0.0.1:4000/path")), false).unwrap().unwrap();
        assert_eq!(shown(&proxy), "http://127.0.0.1:4000");
        let elsewhere = Some(OsStr::new("http://10.0.0.7:4000"));
        assert!(find_proxy(elsewhere, true).is_ok());
        assert_eq!(find_proxy(elsewhere, false), Err(ProxyError::Readable));

        for (written, wanted) in [
            ("127.0.0.1:4000", "is not an address"),
            ("http://", "is not an address"),
            ("ftp://host", "is not a web address"),
            ("http://bot:SECRET@host", "holds a user name or a password"),
            ("http://host/?SECRET", "ends in `?`"),
        ] {
            let problem = find_proxy(Some(OsStr::new(written)), false).unwrap_err().to_string();
            assert!(problem.starts_with("DISCORD_PROXY ") && problem.contains(wanted), "{written}: {problem}");
            assert!(problem.contains("http://") && !problem.contains("SECRET"), "{written}: {problem}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_proxy_that_is_not_text_is_refused() {
        use std::os::unix::ffi::OsStrExt as _;
        let problem = find_proxy(Some(OsStr::from_bytes(b"http://h\xff")), false).unwrap_err().to_string();
        assert!(problem.starts_with("DISCORD_PROXY is not UTF-8 text"), "{problem}");
    }
}
