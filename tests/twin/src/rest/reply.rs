//! HTTP responses: from the routes, or injected by a test.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;

use crate::rest::fault::FaultAnswer;
use crate::rest::rate::Standing;
use crate::rest::{Answer, Outcome};

/// A response before it is written.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// The rule that was broken, if the twin refused the request.
    pub(crate) rule: Option<String>,
    headers: Vec<(&'static str, String)>,
    breaks_off: bool,
}

impl Reply {
    /// The response to a routed request, with the rate limit headers.
    pub(crate) fn of(outcome: Outcome, standing: &Standing) -> Reply {
        let headers = standing.headers();
        match outcome {
            Ok(Answer::Json(status, body)) => Reply { status, body, rule: None, headers, breaks_off: false },
            Ok(Answer::Empty) => Reply { status: 204, body: Value::Null, rule: None, headers, breaks_off: false },
            Err(refusal) => {
                let rule = Some(refusal.rule());
                Reply { status: refusal.status, body: refusal.body(), rule, headers, breaks_off: false }
            }
        }
    }

    /// The response that a test injected.
    pub(crate) fn injected(fault: FaultAnswer) -> Reply {
        let mut headers = Vec::new();
        headers.extend(fault.retry_after.map(|seconds| ("retry-after", seconds)));
        if let Some(scope) = fault.scope {
            headers.push(("x-ratelimit-scope", scope.to_owned()));
            if scope == "global" {
                headers.push(("x-ratelimit-global", "true".to_owned()));
            }
        }
        Reply { status: fault.status, body: fault.body, rule: None, headers, breaks_off: fault.breaks_off }
    }

    /// Whether Discord counts the request as invalid: 401, 403 and 429, except limits of scope `shared`.
    pub(crate) fn is_invalid(&self) -> bool {
        let is_shared = self.headers.iter().any(|(name, value)| *name == "x-ratelimit-scope" && value == "shared");
        matches!(self.status, 401 | 403 | 429) && !is_shared
    }

    pub(crate) fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match &self.body {
            Value::Null => status.into_response(),
            Value::String(page) if self.breaks_off => {
                let half = page.as_bytes().get(..page.len() / 2).unwrap_or_default().to_vec();
                let parts = [Ok(half), Err(std::io::Error::other("reset"))];
                (status, Body::from_stream(futures_util::stream::iter(parts))).into_response()
            }
            Value::String(page) => (status, Html(page.clone())).into_response(),
            body => (status, axum::Json(body)).into_response(),
        };
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(HeaderName::from_static(name), value);
            }
        }
        response
    }
}
