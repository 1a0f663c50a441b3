//! The service `http`: reads a URL.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::contract::services::web::{HttpError, HttpHosts};

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
