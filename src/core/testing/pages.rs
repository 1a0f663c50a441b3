//! Web pages in memory, for module tests.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use crate::contract::{Http, HttpError, HttpGet, HttpResponse, Validators};

/// Pages in place of the web. Other addresses cannot be reached. The hosts that a module may read from are checked as
/// always: see [`Services::with_http_hosts`](crate::contract::Services::with_http_hosts).
#[derive(Default)]
pub struct Pages {
    pages: BTreeMap<String, Result<HttpResponse, HttpError>>,
    asked: Mutex<Vec<(String, Validators)>>,
}

impl Pages {
    /// Adds the answer at this address, written as a browser shows it: `https://example.org/`.
    #[must_use]
    pub fn with(mut self, address: &str, answer: Result<HttpResponse, HttpError>) -> Self {
        self.pages.insert(address.to_owned(), answer);
        self
    }

    /// Returns the requested addresses in order, each with the validators that the module had.
    pub fn asked(&self) -> Vec<(String, Validators)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Http for Pages {
    async fn get(&self, get: HttpGet<'_>) -> Result<HttpResponse, HttpError> {
        let address = get.url.to_string();
        let answer = self.pages.get(&address).cloned().unwrap_or(Err(HttpError::Unreachable));
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push((address, get.known.clone()));
        // Like a server: a page whose state is known is not sent again.
        let is_known = |page: &HttpResponse| get.known.etag.is_some() && get.known.etag == page.validators.etag;
        answer.map(|page| match is_known(&page) {
            true => HttpResponse { status: 304, body: Vec::new(), ..page },
            false => page,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::contract::{HostServices, HttpHosts, ServiceName};
    use crate::inbound::{Caller, Place, UserId};
    use crate::testing::call;

    #[test]
    fn a_module_reads_from_its_hosts_alone_and_learns_whether_a_page_changed() {
        let validators = Validators { etag: Some("\"1\"".to_owned()), last_modified: None };
        let page =
            HttpResponse { status: 200, validators: validators.clone(), body: b"news".into(), content_type: None };
        let pages = Arc::new(Pages::default().with("https://example.org/feed", Ok(page)));
        let host = HostServices { http: Some(pages.clone()), ..HostServices::default() };
        let ann = Caller::new(UserId(7), "Ann");
        let of = |asked: &[ServiceName]| call("feed", &host, asked, ann.clone(), Place::Console, UNIX_EPOCH).services;

        let services = of(&[ServiceName::Http]).with_http_hosts(HttpHosts::declared(["example.org"]));
        let http = services.http().unwrap();
        let read = |address: &str, known: &Validators| http.get_if_changed(address, known).now_or_never().unwrap();
        let first = read("https://example.org/feed", &Validators::default()).unwrap();
        assert_eq!((first.text(), first.is_unchanged()), (Some("news"), false));
        let again = read("https://example.org/feed", &first.validators).unwrap();
        assert_eq!((again.text(), again.is_unchanged()), (Some(""), true));
        assert_eq!(read("https://example.org/none", &validators), Err(HttpError::Unreachable));
        assert_eq!(read("https://other.example/feed", &validators), Err(HttpError::HostNotAllowed));
        assert_eq!(pages.asked().len(), 3);

        assert!(of(&[]).http().is_err(), "a module that does not ask for it has it");
    }
}
