//! The service `http`: reads an address.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::contract::services::web::{HttpError, HttpHosts};

/// The most bytes of an answer, as they are once unpacked.
pub const RESPONSE_SIZE_MAX: usize = 2 * 1024 * 1024;

/// By what a server knows which state of a page somebody has: for asking again only whether it changed. Untrusted: it
/// is what the server wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`: at most 256 characters.
    pub etag: Option<String>,
    /// `Last-Modified`: at most 256 characters.
    pub last_modified: Option<String>,
}

/// What a server answered. All of it is untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status, such as 200. Never that of a redirect.
    pub status: u16,
    /// `Content-Type`: at most 256 characters.
    pub content_type: Option<String>,
    /// For asking again.
    pub validators: Validators,
    /// The body: at most [`RESPONSE_SIZE_MAX`] bytes.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// Whether the page came.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the page is as it was: only for [`OwnHttp::get_if_changed`].
    pub fn is_unchanged(&self) -> bool {
        self.status == 304
    }

    /// The body as text; `None` if it is not UTF-8.
    pub fn text(&self) -> Option<&str> {
        let body = self.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.body);
        std::str::from_utf8(body).ok()
    }
}

/// One address to be read.
#[derive(Clone, Debug)]
pub struct HttpGet<'a> {
    /// The module that asks.
    pub module: &'a str,
    /// The address, which the hosts admit.
    pub url: Url,
    /// The hosts that the module may read from, for the addresses that a server redirects to.
    pub hosts: &'a HttpHosts,
    /// What the module has already.
    pub known: &'a Validators,
}

/// Reads what is on the public internet.
#[async_trait]
pub trait Http: Send + Sync {
    /// Reads an address, and those that it redirects to: each must be admitted by the hosts and lead to the public
    /// internet. Bounded in time and size.
    async fn get(&self, get: HttpGet<'_>) -> Result<HttpResponse, HttpError>;
}

/// Reads from the hosts of one module.
pub struct OwnHttp<'a> {
    pub(in crate::contract::services) http: &'a dyn Http,
    pub(in crate::contract::services) module: &'a str,
    pub(in crate::contract::services) hosts: &'a HttpHosts,
}

impl OwnHttp<'_> {
    /// Reads an address, `https://example.org/feed.xml`. An answer of the server is no error, whatever its status is.
    pub async fn get(&self, address: &str) -> Result<HttpResponse, HttpError> {
        self.get_if_changed(address, &Validators::default()).await
    }

    /// Reads an address, if it changed since an earlier answer had these validators. If not,
    /// [`HttpResponse::is_unchanged`] holds and there is no body.
    pub async fn get_if_changed(&self, address: &str, known: &Validators) -> Result<HttpResponse, HttpError> {
        let (module, hosts) = (self.module, self.hosts);
        self.http.get(HttpGet { module, url: hosts.admit(address)?, hosts, known }).await
    }

    /// The hosts that may be read from: for a sentence to whoever gave an address of another one.
    pub fn hosts(&self) -> &HttpHosts {
        self.hosts
    }
}
