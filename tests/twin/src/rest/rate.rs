//! Rate limits: fixed windows per bucket, a global window, and the headers that report them.

use std::collections::HashMap;
use std::time::Duration;

/// Above this number, windows that have ended are removed.
const WINDOWS_KEPT: usize = 1024;

/// A number of requests per time window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The number of requests.
    pub requests: u64,
    /// The length of the window. It begins with its first request.
    pub per: Duration,
}

impl Rate {
    /// This many requests in this many seconds.
    pub const fn new(requests: u64, seconds: u64) -> Rate {
        Rate { requests, per: Duration::from_secs(seconds) }
    }
}

/// The rate limits of a twin. Discord documents only the global limit; the others were measured.
#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    /// Creating, editing, overwriting and deleting commands, per scope (global or guild).
    pub command_writes: Rate,
    /// Creating messages, per channel.
    pub channel_messages: Rate,
    /// Interaction callbacks and webhooks, per interaction token.
    pub webhooks: Rate,
    /// Every other route, per method and first path segment.
    pub others: Rate,
    /// All routes together, except interaction callbacks and webhooks.
    pub global: Rate,
}

impl Default for RateLimits {
    /// So high that no test reaches them by accident. The headers are sent all the same.
    fn default() -> RateLimits {
        let unlimited = Rate::new(1_000_000, 1);
        RateLimits {
            command_writes: unlimited,
            channel_messages: unlimited,
            webhooks: unlimited,
            others: unlimited,
            global: unlimited,
        }
    }
}

impl RateLimits {
    /// Discord's limits.
    pub fn strict() -> RateLimits {
        RateLimits {
            command_writes: Rate::new(5, 20),
            channel_messages: Rate::new(5, 5),
            webhooks: Rate::new(5, 2),
            others: Rate::new(50, 1),
            global: Rate::new(50, 1),
        }
    }

    /// The bucket of a request, and the bucket's rate.
    pub(crate) fn bucket(&self, method: &str, segments: &[&str]) -> (String, Rate) {
        match (method, segments) {
            (_, ["interactions" | "webhooks", _, token, ..]) => (format!("webhook-{token}"), self.webhooks),
            ("POST", ["channels", channel, "messages"]) => (format!("messages-{channel}"), self.channel_messages),
            ("POST" | "PUT" | "PATCH" | "DELETE", ["applications", _, "commands", ..]) => {
                ("commands-global".to_owned(), self.command_writes)
            }
            ("POST" | "PUT" | "PATCH" | "DELETE", ["applications", _, "guilds", guild, "commands", ..]) => {
                (format!("commands-{guild}"), self.command_writes)
            }
            (_, segments) => (format!("{method}-{}", segments.first().unwrap_or(&"")), self.others),
        }
    }
}

/// The state of a bucket after a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) bucket: String,
    pub(crate) limit: u64,
    pub(crate) remaining: u64,
    /// When the window ends, in milliseconds since 1970.
    pub(crate) reset_ms: u64,
    pub(crate) reset_after_ms: u64,
    pub(crate) verdict: Verdict,
}

/// Whether a request is within the limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Allowed,
    /// The limit of the bucket is exceeded.
    Bucket,
    /// The global limit is exceeded.
    Global,
}

#[derive(Clone, Copy)]
struct Window {
    ends_ms: u64,
    used: u64,
}

/// The open windows.
#[derive(Default)]
pub(crate) struct Limiter {
    windows: HashMap<String, Window>,
}

impl Limiter {
    /// Counts a request in its bucket and in the global window.
    pub(crate) fn pass(&mut self, limits: &RateLimits, method: &str, segments: &[&str], now_ms: u64) -> Standing {
        if self.windows.len() > WINDOWS_KEPT {
            self.windows.retain(|_, window| window.ends_ms > now_ms);
        }
        let is_exempt = matches!(segments, ["interactions" | "webhooks", ..]);
        let global = if is_exempt { None } else { Some(self.count("global", limits.global, now_ms)) };
        let (bucket, rate) = limits.bucket(method, segments);
        let global_is_full = global.filter(|window| window.used > limits.global.requests);
        let window = match global_is_full {
            Some(window) => window,
            None => self.count(&bucket, rate, now_ms),
        };
        let verdict = match global_is_full {
            Some(_) => Verdict::Global,
            None if window.used > rate.requests => Verdict::Bucket,
            None => Verdict::Allowed,
        };
        Standing {
            bucket,
            limit: rate.requests,
            remaining: rate.requests.saturating_sub(window.used),
            reset_ms: window.ends_ms,
            reset_after_ms: window.ends_ms.saturating_sub(now_ms),
            verdict,
        }
    }

    fn count(&mut self, bucket: &str, rate: Rate, now_ms: u64) -> Window {
        let length = u64::try_from(rate.per.as_millis()).unwrap_or(u64::MAX);
        let fresh = Window { ends_ms: now_ms.saturating_add(length), used: 0 };
        let window = self.windows.entry(bucket.to_owned()).or_insert(fresh);
        if window.ends_ms <= now_ms {
            *window = fresh;
        }
        window.used += 1;
        *window
    }
}

impl Standing {
    /// The rate limit headers. Times are in seconds.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("x-ratelimit-limit", self.limit.to_string()),
            ("x-ratelimit-remaining", self.remaining.to_string()),
            ("x-ratelimit-reset", seconds(self.reset_ms)),
            ("x-ratelimit-reset-after", seconds(self.reset_after_ms)),
            ("x-ratelimit-bucket", hash(&self.bucket)),
        ];
        match self.verdict {
            Verdict::Allowed => {}
            Verdict::Bucket => headers.push(("x-ratelimit-scope", "user".to_owned())),
            Verdict::Global => {
                headers.push(("x-ratelimit-scope", "global".to_owned()));
                headers.push(("x-ratelimit-global", "true".to_owned()));
            }
        }
        if self.verdict != Verdict::Allowed {
            headers.push(("retry-after", self.reset_after_ms.div_ceil(1000).to_string()));
        }
        headers
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// The name of a bucket as the headers show it: FNV-1a, so that bots cannot read a meaning into it.
fn hash(bucket: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bucket.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: &[&str] = &["applications", "1", "commands"];

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let (limits, mut limiter) = (RateLimits::strict(), Limiter::default());
        let mut write = |now_ms| {
            let standing = limiter.pass(&limits, "POST", COMMANDS, now_ms);
            (standing.verdict, standing.remaining, standing.reset_after_ms)
        };
        for n in 0..5 {
            assert_eq!(write(1_000 + n), (Verdict::Allowed, 4 - n, 20_000 - n));
        }
        assert_eq!(write(2_000), (Verdict::Bucket, 0, 19_000));
        assert_eq!(write(21_000), (Verdict::Allowed, 4, 20_000));
    }

    #[test]
    fn buckets_are_apart_and_interactions_are_outside_the_global_one() {
        let (limits, mut limiter) = (RateLimits::strict(), Limiter::default());
        for n in 0..60 {
            let channel = n.to_string();
            let standing = limiter.pass(&limits, "POST", &["channels", &channel, "messages"], 0);
            assert_eq!(standing.verdict, if n < 50 { Verdict::Allowed } else { Verdict::Global }, "{n}");
            let callback = limiter.pass(&limits, "POST", &["interactions", "1", &channel, "callback"], 0);
            assert_eq!(callback.verdict, Verdict::Allowed, "{n}");
        }
    }

    #[test]
    fn the_headers_tell_what_is_left() {
        let mut limiter = Limiter::default();
        let strict = RateLimits::strict();
        for _ in 0..5 {
            limiter.pass(&strict, "PUT", COMMANDS, 500);
        }
        let headers = limiter.pass(&strict, "PUT", COMMANDS, 500).headers();
        let value = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str());
        assert_eq!(value("x-ratelimit-limit"), Some("5"));
        assert_eq!(value("x-ratelimit-reset"), Some("20.500"));
        assert_eq!(value("x-ratelimit-reset-after"), Some("20.000"));
        assert_eq!((value("x-ratelimit-scope"), value("retry-after")), (Some("user"), Some("20")));
        assert_eq!(value("x-ratelimit-global"), None);
    }
}
