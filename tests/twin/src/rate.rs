//! Rate limits: fixed windows per bucket, one for everything together, and the headers that tell of them.

use std::collections::HashMap;
use std::time::Duration;

/// So many requests in so much time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// How many requests.
    pub requests: u64,
    /// The length of the window, which begins with its first request.
    pub per: Duration,
}

impl Rate {
    /// So many requests in so many seconds.
    pub const fn new(requests: u64, seconds: u64) -> Rate {
        Rate { requests, per: Duration::from_secs(seconds) }
    }
}

/// The rates that a twin holds its bot to. Discord documents only the global one; the others were measured.
#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    /// Creating, changing, overwriting and removing commands, per scope.
    pub command_writes: Rate,
    /// Messages per channel.
    pub channel_messages: Rate,
    /// Requests per webhook, which for interactions means per token.
    pub webhooks: Rate,
    /// Every other route.
    pub others: Rate,
    /// All routes together, except callbacks and webhooks of interactions.
    pub global: Rate,
}

impl Default for RateLimits {
    /// So generous that no test meets them by accident. The headers are there all the same.
    fn default() -> RateLimits {
        let generous = Rate::new(1_000_000, 1);
        RateLimits {
            command_writes: generous,
            channel_messages: generous,
            webhooks: generous,
            others: generous,
            global: generous,
        }
    }
}

impl RateLimits {
    /// As Discord has them.
    pub fn strict() -> RateLimits {
        RateLimits {
            command_writes: Rate::new(5, 20),
            channel_messages: Rate::new(5, 5),
            webhooks: Rate::new(5, 2),
            others: Rate::new(50, 1),
            global: Rate::new(50, 1),
        }
    }

    /// The bucket of a request, and its rate.
    pub(crate) fn bucket(&self, method: &str, steps: &[&str]) -> (String, Rate) {
        match (method, steps) {
            (_, ["interactions" | "webhooks", _, token, ..]) => (format!("webhook-{token}"), self.webhooks),
            ("POST", ["channels", channel, "messages"]) => (format!("messages-{channel}"), self.channel_messages),
            ("POST" | "PUT" | "PATCH" | "DELETE", ["applications", _, "commands", ..]) => {
                ("commands-global".to_owned(), self.command_writes)
            }
            ("POST" | "PUT" | "PATCH" | "DELETE", ["applications", _, "guilds", guild, "commands", ..]) => {
                (format!("commands-{guild}"), self.command_writes)
            }
            (_, steps) => (format!("{method}-{}", steps.first().unwrap_or(&"")), self.others),
        }
    }
}

/// Where a bucket stands after a request.
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

/// Whether a request may pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Free,
    /// This bucket is empty.
    Bucket,
    /// The bot as a whole was too fast.
    Global,
}

#[derive(Clone, Copy)]
struct Window {
    ends_ms: u64,
    used: u64,
}

/// The windows that are open.
#[derive(Default)]
pub(crate) struct Limiter {
    windows: HashMap<String, Window>,
}

/// From here on ended windows are thrown away before a new one opens.
const WINDOWS_KEPT: usize = 1024;

impl Limiter {
    /// Counts a request.
    pub(crate) fn pass(&mut self, limits: &RateLimits, method: &str, steps: &[&str], now_ms: u64) -> Standing {
        if self.windows.len() > WINDOWS_KEPT {
            self.windows.retain(|_, window| window.ends_ms > now_ms);
        }
        let is_exempt = matches!(steps, ["interactions" | "webhooks", ..]);
        let global = if is_exempt { None } else { Some(self.count("global", limits.global, now_ms)) };
        let (bucket, rate) = limits.bucket(method, steps);
        let global_is_full = global.filter(|window| window.used > limits.global.requests);
        let window = match global_is_full {
            Some(window) => window,
            None => self.count(&bucket, rate, now_ms),
        };
        let verdict = match global_is_full {
            Some(_) => Verdict::Global,
            None if window.used > rate.requests => Verdict::Bucket,
            None => Verdict::Free,
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
    /// The headers, by their names in Discord's docs. Times are in seconds.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("x-ratelimit-limit", self.limit.to_string()),
            ("x-ratelimit-remaining", self.remaining.to_string()),
            ("x-ratelimit-reset", seconds(self.reset_ms)),
            ("x-ratelimit-reset-after", seconds(self.reset_after_ms)),
            ("x-ratelimit-bucket", hash(&self.bucket)),
        ];
        match self.verdict {
            Verdict::Free => {}
            Verdict::Bucket => headers.push(("x-ratelimit-scope", "user".to_owned())),
            Verdict::Global => {
                headers.push(("x-ratelimit-scope", "global".to_owned()));
                headers.push(("x-ratelimit-global", "true".to_owned()));
            }
        }
        if self.verdict != Verdict::Free {
            headers.push(("retry-after", self.reset_after_ms.div_ceil(1000).to_string()));
        }
        headers
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Bots must not read meaning into a bucket's name, so it has none: FNV-1a of what it stands for.
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
            assert_eq!(write(1_000 + n), (Verdict::Free, 4 - n, 20_000 - n));
        }
        assert_eq!(write(2_000), (Verdict::Bucket, 0, 19_000));
        assert_eq!(write(21_000), (Verdict::Free, 4, 20_000));
    }

    #[test]
    fn buckets_are_apart_and_interactions_are_outside_the_global_one() {
        let (limits, mut limiter) = (RateLimits::strict(), Limiter::default());
        for n in 0..60 {
            let channel = n.to_string();
            let standing = limiter.pass(&limits, "POST", &["channels", &channel, "messages"], 0);
            assert_eq!(standing.verdict, if n < 50 { Verdict::Free } else { Verdict::Global }, "{n}");
            let callback = limiter.pass(&limits, "POST", &["interactions", "1", &channel, "callback"], 0);
            assert_eq!(callback.verdict, Verdict::Free, "{n}");
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
