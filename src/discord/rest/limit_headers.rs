//! The rate limit headers of an answer.

use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::rest::limits::PAUSE_MAX;

/// The parsed rate limit headers. An invalid wait is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimitHeaders {
    /// Whether the limit is shared by all bots.
    pub(crate) is_shared: bool,
    /// Whether the limit is for every route.
    pub(crate) is_global: bool,
    /// If this was the last request of its period: the time until the next period.
    pub(crate) used_up: Option<Duration>,
    /// After which time a refused request may be retried.
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

/// Parses a number of seconds, which may have a fraction.
fn seconds(text: &str) -> Option<Duration> {
    wait_of(text.parse().ok()?)
}

/// Converts seconds into a wait. Negative ones give `None`; longer ones are cut to the maximum.
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
