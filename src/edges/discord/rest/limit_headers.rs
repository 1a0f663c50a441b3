//! What the headers of an answer say about the limits of requests.

use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::edges::discord::rest::limits::PAUSE_MAX;

/// What is read of them. A wait that is none, or that nobody can mean, is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimitHeaders {
    /// The limit is that of all bots.
    pub(crate) is_shared: bool,
    /// The limit is for every route.
    pub(crate) is_global: bool,
    /// The last request of its period was this one: when the next period begins, from now.
    pub(crate) used_up: Option<Duration>,
    /// After which time a refused request may be sent again.
    pub(crate) retry_after: Option<Duration>,
}

impl LimitHeaders {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let scope = header("x-ratelimit-scope");
        let is_last = header("x-ratelimit-remaining") == Some("0");
        Self {
            is_shared: scope == Some("shared"),
            is_global: scope == Some("global") || header("x-ratelimit-global").is_some(),
            used_up: header("x-ratelimit-reset-after").filter(|_| is_last).and_then(seconds),
            retry_after: header("retry-after").and_then(seconds),
        }
    }
}

/// A number of seconds, which may have a fraction.
fn seconds(text: &str) -> Option<Duration> {
    wait_of(text.parse().ok()?)
}

/// A wait of so many seconds, if that is a wait. Longer ones are cut to the longest that is believed.
pub(super) fn wait_of(seconds: f64) -> Option<Duration> {
    (0.0 <= seconds).then(|| Duration::try_from_secs_f64(seconds).map_or(PAUSE_MAX, |wait| wait.min(PAUSE_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_and_what_is_none_is_not() {
        let some = |seconds| Some(Duration::from_secs_f64(seconds));
        let cases = [
            ("0.25", some(0.25)),
            ("5", some(5.0)),
            ("1e19", some(3_600.0)),
            ("1e309", some(3_600.0)),
            ("-1", None),
            ("NaN", None),
            ("soon", None),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}
