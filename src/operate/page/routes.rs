//! Serves the page: `GET /`, and `POST /` for the simulator, which changes nothing either.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha256};
use url::form_urlencoded;

use super::entry::{CHALLENGE, PageToken, is_own_form};
use super::health;
use super::render::{REFRESHES, STYLE, Shown, render};
use super::simulate::{Asked, At, ReadInteraction, Simulated, simulate};
use super::view::Overview;
use crate::state::AdminState;
use candor_core::language::Language;
use candor_core::registry::Catalog;

/// The largest form, in bytes: a text of 4,000 characters, or an interaction.
const FORM_MAX: usize = 128 * 1024;

/// The page's access to the bot. All of it only reads and runs nothing.
#[derive(Clone)]
pub struct Page {
    /// The token that requests must carry. `None`: the page listens on this machine only.
    pub token: Option<PageToken>,
    /// Collects the page's data. Takes a few seconds at most.
    pub look: Arc<dyn Fn() -> BoxFuture<'static, Overview> + Send + Sync>,
    /// Returns the names of the commands in force, as an operator (true) or another person sees them.
    pub names: Arc<dyn Fn(bool) -> Catalog + Send + Sync>,
    /// The language of answers to people whose language is unknown.
    pub language: Language,
    /// Reads an interaction in Discord's form. The error says why it is not one.
    pub read_interaction: Arc<ReadInteraction>,
}

#[derive(Clone)]
struct Served {
    page: Page,
    state: AdminState,
}

pub(crate) fn routes(page: Page, state: AdminState) -> Router {
    let token = page.token.clone();
    Router::new()
        .route("/", get(look).post(simulated))
        .layer(DefaultBodyLimit::max(FORM_MAX))
        .layer(from_fn_with_state(token, admitted))
        .layer(from_fn(sealed))
        .with_state(Served { page, state })
}

/// Refuses requests without the token, if one is configured.
async fn admitted(State(token): State<Option<PageToken>>, request: Request, next: Next) -> Response {
    if token.is_none_or(|token| token.admits(request.headers())) {
        return next.run(request).await;
    }
    let help = "this page asks for the token of `[admin] page_token_file`, as a bearer token or as a password\n";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, CHALLENGE)], help).into_response()
}

/// Adds headers that forbid the browser to run scripts, to load or cache anything, and to show the page within another.
async fn sealed(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    // With `no-referrer`, a browser on an unencrypted connection would send the page's own form without an origin.
    let fixed = [
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
    if let Some(policy) = POLICY.clone() {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

static POLICY: LazyLock<Option<HeaderValue>> = LazyLock::new(|| {
    let style = BASE64_STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    HeaderValue::from_str(&policy).ok()
});

async fn look(State(served): State<Served>, uri: Uri) -> Response {
    let query = uri.query().unwrap_or_default();
    let asked = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "refresh");
    let refresh = asked.and_then(|(_, seconds)| seconds.parse().ok()).filter(|seconds| REFRESHES.contains(seconds));
    served.answer(Asked::default(), None, refresh).await
}

async fn simulated(State(served): State<Served>, headers: HeaderMap, body: Bytes) -> Response {
    if !is_own_form(&headers) {
        return (StatusCode::FORBIDDEN, "only the form of this page may ask\n").into_response();
    }
    let mut asked = Asked::default();
    for (name, value) in form_urlencoded::parse(&body) {
        match &*name {
            "text" => asked.text = value.into_owned(),
            "at" => asked.at = At::named(&value),
            "operator" => asked.by_operator = true,
            _ => {}
        }
    }
    let Page { names, language, read_interaction, .. } = &served.page;
    let found = simulate(&asked, &names(asked.by_operator), *language, &**read_interaction);
    served.answer(asked, Some(found), None).await
}

impl Served {
    async fn answer(&self, asked: Asked, found: Option<Result<Simulated, String>>, refresh: Option<u32>) -> Response {
        let (overview, measured) = tokio::join!((self.page.look)(), self.state.measured());
        let health = health::read(&self.state, measured);
        let shown = Shown { overview, health, asked, found, refresh };
        ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], render(&shown)).into_response()
    }
}
