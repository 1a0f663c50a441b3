//! Decides who gets the page: with a token configured, only requests that carry it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use axum::http::{HeaderMap, Uri, header};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use candor_engine::warn_if_shared;

/// A shorter token could be guessed by trying.
const TOKEN_LENGTH_MIN: usize = 16;
/// Longer than any token: a longer file was named by mistake. In bytes.
const TOKEN_LENGTH_MAX: u64 = 1_024;

/// Makes the browser ask for the token.
pub(super) const CHALLENGE: &str = "Basic realm=\"Candor: any name, and the token as the password\", charset=\"UTF-8\"";

/// The token of the page. Only its digest is kept, for comparison.
#[derive(Clone)]
pub struct PageToken(Hmac<Sha256>);

/// Why a file gives no token: the file and the problem. Never contains the file's content.
#[derive(Debug, thiserror::Error)]
#[error("the token file `{}` {problem}", path.display())]
pub struct TokenError {
    path: PathBuf,
    problem: TokenProblem,
}

#[derive(Debug, thiserror::Error)]
enum TokenProblem {
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("holds no token: one line of {TOKEN_LENGTH_MIN} to {TOKEN_LENGTH_MAX} visible characters without spaces")]
    NoToken,
}

impl PageToken {
    /// Reads the token from a file that contains nothing else. Warns if other users may read the file.
    ///
    /// # Errors
    /// The file cannot be read, or contains no token that is long enough.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        read(path).map_err(|problem| TokenError { path: path.to_owned(), problem })
    }

    /// Returns whether a request may get the page: it carries the token as a bearer token or as the password of a
    /// browser's dialog.
    pub(super) fn admits(&self, headers: &HeaderMap) -> bool {
        given(headers).is_some_and(|given| self.is(&given))
    }

    /// Compares in a time that depends neither on the position of the difference nor on the lengths.
    fn is(&self, given: &[u8]) -> bool {
        keyed(given).is_some_and(|given| given.verify(&self.0.clone().finalize().into_bytes()).is_ok())
    }
}

fn read(path: &Path) -> Result<PageToken, TokenProblem> {
    let file = File::open(path).map_err(TokenProblem::Unreadable)?;
    warn_if_shared("token", path, &file);
    let mut content = String::new();
    file.take(TOKEN_LENGTH_MAX + 1).read_to_string(&mut content).map_err(TokenProblem::Unreadable)?;
    let token = content.trim_end();
    let fits = (TOKEN_LENGTH_MIN..=1_024).contains(&token.len()) && token.chars().all(|c| c.is_ascii_graphic());
    let token = keyed(token.as_bytes()).filter(|_| fits);
    token.map(PageToken).ok_or(TokenProblem::NoToken)
}

/// Returns a digest of a token, for comparison.
fn keyed(token: &[u8]) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(b"the operator's page").ok()?;
    mac.update(token);
    Some(mac)
}

fn given(headers: &HeaderMap) -> Option<Vec<u8>> {
    let (scheme, value) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(value.trim().as_bytes().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let pair = BASE64_STANDARD.decode(value.trim()).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    pair.get(colon + 1..).map(<[u8]>::to_owned)
}

/// Returns whether a form was sent from this page. A browser says so in a header that scripts cannot write:
/// `Sec-Fetch-Site`, or `Origin` if the connection is not encrypted.
pub(super) fn is_own_form(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let is_form = text(header::CONTENT_TYPE).is_some_and(|kind| {
        let kind = kind.split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
    });
    let is_own = match headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => match (text(header::ORIGIN).and_then(|origin| origin.parse::<Uri>().ok()), text(header::HOST)) {
            (Some(origin), Some(host)) => origin.authority().is_some_and(|from| from.as_str() == host),
            _ => false,
        },
    };
    is_form && is_own
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn headers(of: &[(&'static str, &str)]) -> HeaderMap {
        of.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn token() -> PageToken {
        PageToken(keyed(TOKEN.as_bytes()).unwrap())
    }

    #[test]
    fn the_token_opens_as_bearer_or_as_a_password_and_nothing_else_does() {
        let basic = |pair: &str| format!("Basic {}", BASE64_STANDARD.encode(pair));
        let good = [format!("Bearer {TOKEN}"), format!("bearer {TOKEN}"), basic(&format!("ada:{TOKEN}"))];
        for value in good {
            assert!(token().admits(&headers(&[("authorization", &value)])), "{value}");
        }
        let bad = [
            "Bearer 0123456789abcdeg".to_owned(),
            "Bearer 0123456789abcde".to_owned(),
            "Bearer ".to_owned(),
            "Bearer".to_owned(),
            TOKEN.to_owned(),
            format!("Digest {TOKEN}"),
            basic(TOKEN),
            basic(&format!("{TOKEN}:")),
            basic("ada:"),
            "Basic !".to_owned(),
        ];
        for value in bad {
            assert!(!token().admits(&headers(&[("authorization", &value)])), "{value}");
        }
        assert!(!token().admits(&HeaderMap::new()));
    }

    #[test]
    fn a_file_gives_one_long_line_or_no_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.token");
        let read = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            PageToken::read(&path).map_err(|problem| problem.to_string())
        };
        for content in ["0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n"] {
            assert!(read(content.as_bytes()).unwrap().is(TOKEN.as_bytes()), "{content:?}");
        }
        let long = "x".repeat(1_025);
        for content in ["", "\n", "0123456789abcde\n", "0123456789 abcdef", "0123456789\nabcdef", &long] {
            let problem = read(content.as_bytes()).err().unwrap();
            assert!(problem.contains("page.token` holds no token") && !problem.contains("0123"), "{problem}");
        }
        let problem = PageToken::read(Path::new("no/such.token")).err().unwrap().to_string();
        assert!(problem.starts_with("the token file `no/such.token` cannot be read: "), "{problem}");
    }

    #[test]
    fn only_a_form_of_the_page_itself_is_taken() {
        let form = ("content-type", "application/x-www-form-urlencoded");
        let host = ("host", "10.0.0.7:9180");
        let own = [
            headers(&[form, host, ("sec-fetch-site", "same-origin")]),
            headers(&[form, host, ("origin", "http://10.0.0.7:9180")]),
            headers(&[
                ("content-type", "application/x-www-form-urlencoded; charset=UTF-8"),
                host,
                ("origin", "https://10.0.0.7:9180"),
            ]),
        ];
        for headers in own {
            assert!(is_own_form(&headers), "{headers:?}");
        }
        let others = [
            headers(&[form, host]),
            headers(&[form, host, ("sec-fetch-site", "cross-site"), ("origin", "http://10.0.0.7:9180")]),
            headers(&[form, host, ("sec-fetch-site", "same-site")]),
            headers(&[form, host, ("sec-fetch-site", "none")]),
            headers(&[form, host, ("origin", "http://10.0.0.7:8080")]),
            headers(&[form, host, ("origin", "http://evil.example")]),
            headers(&[form, host, ("origin", "null")]),
            headers(&[form, ("origin", "http://10.0.0.7:9180")]),
            headers(&[("content-type", "text/plain"), host, ("sec-fetch-site", "same-origin")]),
            headers(&[host, ("sec-fetch-site", "same-origin")]),
        ];
        for headers in others {
            assert!(!is_own_form(&headers), "{headers:?}");
        }
    }
}
