//! Limits of requests to Discord: the pauses that it asked for, whether another refusal may be risked, and how many
//! run at once. Each takes a connection, and so a file descriptor.
//!
//! Also reads the rate limit headers of an answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::HeaderMap;
use serenity::http::{LightMethod, Route};
use tokio::sync::{OwnedMutexGuard, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::rest::refusals::Refusals;

/// The part of the risked refusals that is reserved for answers to interactions: failures in channels must not stop
/// commands.
const INVALID_OF_INTERACTIONS: usize = 100;
/// The maximum of remembered pauses, and of closed channels. Each is for one route of one channel.
const PAUSES_MAX: usize = 1_024;
/// The longest pause. Discord asks for seconds, and for an hour at most after it banned an address. A longer pause
/// comes from a faulty intermediary and would never end.
pub(crate) const PAUSE_MAX: Duration = Duration::from_secs(60 * 60);
/// How long a channel that the bot may not use is not tried again. It doubles with each refusal up to the longest: a
/// short change of permissions has no long effect.
const CLOSED_FIRST: Duration = Duration::from_secs(5);
const CLOSED_MAX: Duration = Duration::from_secs(60);
/// How long after that a channel is remembered.
const CLOSED_REMEMBERED: Duration = Duration::from_secs(600);
/// Discord's codes for a channel that the bot may not see, or where it lacks a permission.
const CLOSED: [i64; 2] = [50_001, 50_013];

/// The unit of a rate limit: a route, with its channel or its interaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bucket {
    key: String,
    /// Whether the global limit does not apply: it is an answer to an interaction.
    pub(super) is_exempt: bool,
}

impl Bucket {
    pub(crate) fn of(method: LightMethod, route: Route<'_>) -> Self {
        let path = route.path();
        let is_exempt = path.contains("/interactions/") || path.contains("/webhooks/");
        // The messages of a channel are limited together.
        let key = match path.split_once("/messages/") {
            Some((channel, _)) if !is_exempt => channel,
            _ => &path,
        };
        Self { key: format!("{method:?} {key}"), is_exempt }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Withheld {
    /// Discord asked for a pause until then.
    Until(Instant),
    /// Too many requests were refused; there is room again then.
    Invalid(Instant),
    /// The token was refused: no request will be answered any more.
    Token,
    /// Discord refused this in the channel a moment ago with this code; it is tried again then.
    Closed(i64, Instant),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// Counted from the answer.
    pub(crate) wait: Duration,
    /// Whether it is for every route except answers to interactions.
    pub(crate) is_global: bool,
}

#[derive(Default)]
pub(crate) struct Limits {
    known: Mutex<Known>,
    pub(super) refusals: Arc<Refusals>,
    /// The order of requests in each bucket that has some in progress.
    turns: Mutex<HashMap<Bucket, Arc<tokio::sync::Mutex<()>>>>,
}

/// The turn of one request in its bucket. The next one begins when it is dropped.
pub(crate) struct Turn<'a> {
    limits: &'a Limits,
    bucket: &'a Bucket,
    own: Option<OwnedMutexGuard<()>>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.own = None;
        let mut turns = self.limits.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // No request waits for it.
        if turns.get(self.bucket).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(self.bucket);
        }
    }
}

#[derive(Debug, Default)]
struct Known {
    pauses: HashMap<Bucket, Instant>,
    everything: Option<Instant>,
    closed: HashMap<Bucket, Closed>,
    is_token_refused: bool,
}

#[derive(Clone, Copy, Debug)]
struct Closed {
    until: Instant,
    code: i64,
    /// How long it was closed the last time.
    lasted: Duration,
}

impl Limits {
    /// Waits for earlier requests of the same bucket: their answers say whether the next one may be sent. If they were
    /// sent together, all but a few would be refused. Answers to interactions never wait here.
    pub(crate) async fn turn<'a>(&'a self, bucket: &'a Bucket) -> Turn<'a> {
        if bucket.is_exempt {
            return Turn { limits: self, bucket, own: None };
        }
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.entry(bucket.clone()).or_default().clone()
        };
        Turn { limits: self, bucket, own: Some(turn.lock_owned().await) }
    }

    pub(crate) fn admit(&self, bucket: &Bucket, now: Instant) -> Result<(), Withheld> {
        self.counts(bucket.is_exempt, now)?;
        let known = self.lock();
        if let Some(closed) = known.closed.get(bucket).filter(|closed| now < closed.until) {
            return Err(Withheld::Closed(closed.code, closed.until));
        }
        let own = known.pauses.get(bucket).copied();
        match own.into_iter().chain(known.everything.filter(|_| !bucket.is_exempt)).max() {
            Some(until) if now < until => Err(Withheld::Until(until)),
            _ => Ok(()),
        }
    }

    /// Checks whether there is room for another refusal.
    pub(crate) fn counts(&self, is_exempt: bool, now: Instant) -> Result<(), Withheld> {
        if self.lock().is_token_refused {
            return Err(Withheld::Token);
        }
        self.refusals.room(if is_exempt { 0 } else { INVALID_OF_INTERACTIONS }, now).map_err(Withheld::Invalid)
    }

    /// Records an answer's status. `is_shared`: the limit is shared by all bots and does not count.
    pub(crate) fn answered(&self, status: u16, is_shared: bool, now: Instant) {
        if matches!(status, 401 | 403) || (status == 429 && !is_shared) {
            self.refusals.add(now);
        }
    }

    /// Records a refusal with this code: a channel that the bot may not use is not tried for a while.
    pub(crate) fn refused(&self, bucket: &Bucket, code: i64, now: Instant) {
        if bucket.is_exempt || !CLOSED.contains(&code) {
            return;
        }
        let mut known = self.lock();
        known.closed.retain(|_, closed| now < closed.until + CLOSED_REMEMBERED);
        let before = known.closed.get(bucket).map(|closed| closed.lasted);
        if before.is_some() || known.closed.len() < PAUSES_MAX {
            let lasts = before.map_or(CLOSED_FIRST, |before| CLOSED_MAX.min(before * 2));
            known.closed.insert(bucket.clone(), Closed { until: now + lasts, code, lasted: lasts });
        }
    }

    /// Records that Discord carried a request out: the channel is open.
    pub(crate) fn carried_out(&self, bucket: &Bucket) {
        self.lock().closed.remove(bucket);
    }

    pub(crate) fn pause(&self, bucket: &Bucket, pause: Pause, now: Instant) {
        let mut known = self.lock();
        let until = now + pause.wait.min(PAUSE_MAX);
        if pause.is_global {
            known.everything = known.everything.max(Some(until));
        } else {
            if PAUSES_MAX <= known.pauses.len() {
                known.pauses.retain(|_, until| now < *until);
            }
            if known.pauses.len() < PAUSES_MAX {
                known.pauses.insert(bucket.clone(), until);
            }
        }
    }

    /// Stops all further requests.
    pub(crate) fn token_refused(&self) {
        self.lock().is_token_refused = true;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const REQUESTS_MAX: u64 = 64;
/// With few file descriptors, each kind gets this fraction of them: one in eight.
const PART_OF_FILES: u64 = 8;
/// The minimum of concurrent requests, also with few file descriptors.
const REQUESTS_MIN: u64 = 4;

/// The slots for requests. Answers to interactions have 3 s, and never wait for other requests.
pub(super) struct Pool {
    answers: Semaphore,
    others: Semaphore,
}

impl Pool {
    /// Creates a pool for a process that may open this many files, if that is known.
    pub(super) fn of(open_files: Option<u64>) -> Self {
        let size = open_files.map_or(REQUESTS_MAX, |max| (max / PART_OF_FILES).clamp(REQUESTS_MIN, REQUESTS_MAX));
        let places = || Semaphore::new(usize::try_from(size).unwrap_or(Semaphore::MAX_PERMITS));
        Self { answers: places(), others: places() }
    }

    /// Waits for a slot. Never `None`: the pools are never closed.
    pub(super) async fn place(&self, is_answer: bool) -> Option<SemaphorePermit<'_>> {
        if is_answer { &self.answers } else { &self.others }.acquire().await.ok()
    }
}

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
mod limits_tests {
    use serenity::all::{ChannelId, InteractionId};
    use serenity::http::Route;
    use tokio::time::timeout;

    use super::*;
    use crate::rest::refusals::REFUSALS_MAX;
    use candor_engine::REFUSALS_WITHIN;

    fn channel(id: u64) -> Bucket {
        Bucket::of(LightMethod::Post, Route::ChannelMessages { channel_id: ChannelId::new(id) })
    }

    fn callback() -> Bucket {
        Bucket::of(LightMethod::Post, Route::InteractionResponse { interaction_id: InteractionId::new(1), token: "t" })
    }

    #[test]
    fn at_most_500_refused_requests_are_made_in_ten_minutes_and_100_are_left_for_answers_to_interactions() {
        let limits = Limits::default();
        let began = Instant::now();
        let n_sent = |bucket: Bucket, after: Duration| {
            let sent = (0_u64..10_000).filter(|n| {
                let now = began + after + Duration::from_millis(n * 10);
                let may = limits.admit(&bucket, now).is_ok();
                if may {
                    limits.answered([401, 403, 429][usize::try_from(n % 3).unwrap()], false, now);
                }
                may
            });
            sent.count()
        };
        assert_eq!(n_sent(channel(1), Duration::ZERO), REFUSALS_MAX - INVALID_OF_INTERACTIONS);
        assert_eq!(n_sent(callback(), Duration::from_secs(100)), INVALID_OF_INTERACTIONS);
        assert_eq!(n_sent(channel(1), Duration::from_secs(200)), 0);
        assert_eq!(limits.admit(&channel(1), began + REFUSALS_WITHIN + Duration::from_secs(2)), Ok(()));
    }

    #[test]
    fn a_limit_that_all_bots_share_does_not_count() {
        let limits = Limits::default();
        let now = Instant::now();
        (0..REFUSALS_MAX).for_each(|_| limits.answered(429, true, now));
        assert_eq!(limits.admit(&channel(1), now), Ok(()));
    }

    #[test]
    fn a_pause_is_for_its_route_or_for_all_but_interactions() {
        let limits = Limits::default();
        let now = Instant::now();
        let wait = Duration::from_secs(5);
        limits.pause(&channel(1), Pause { wait, is_global: false }, now);
        assert_eq!(limits.admit(&channel(1), now), Err(Withheld::Until(now + wait)));
        assert_eq!(limits.admit(&channel(2), now), Ok(()));
        assert_eq!(limits.admit(&channel(1), now + wait), Ok(()));
        limits.pause(&channel(1), Pause { wait, is_global: true }, now);
        assert_eq!(limits.admit(&channel(2), now), Err(Withheld::Until(now + wait)));
        assert_eq!(limits.admit(&callback(), now), Ok(()));
    }

    #[test]
    fn a_channel_that_the_bot_may_not_use_is_left_alone_for_longer_each_time() {
        let limits = Limits::default();
        let now = Instant::now();
        for (code, is_closed) in [(50_001, true), (50_013, true), (50_006, false), (0, false)] {
            limits.refused(&channel(1), code, now);
            let until = now + CLOSED_FIRST;
            let expected = if is_closed { Err(Withheld::Closed(code, until)) } else { Ok(()) };
            assert_eq!(limits.admit(&channel(1), now), expected, "{code}");
            assert_eq!(limits.admit(&channel(2), now), Ok(()));
            assert_eq!(limits.admit(&channel(1), until), Ok(()));
            limits.lock().closed.clear();
        }
        let mut at = now;
        for seconds in [5, 10, 20, 40, 60, 60] {
            limits.refused(&channel(1), 50_001, at);
            let until = at + Duration::from_secs(seconds);
            assert_eq!(limits.admit(&channel(1), at), Err(Withheld::Closed(50_001, until)));
            at = until;
        }
        limits.carried_out(&channel(1));
        limits.refused(&channel(1), 50_001, at);
        assert_eq!(limits.admit(&channel(1), at + CLOSED_FIRST), Ok(()));
        limits.refused(&callback(), 50_001, now);
        assert_eq!(limits.admit(&callback(), now), Ok(()));
    }

    #[test]
    fn a_pause_without_end_is_cut() {
        let limits = Limits::default();
        let now = Instant::now();
        limits.pause(&channel(1), Pause { wait: Duration::MAX, is_global: true }, now);
        assert_eq!(limits.admit(&channel(1), now), Err(Withheld::Until(now + PAUSE_MAX)));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_of_one_channel_go_one_after_the_other_and_no_turn_is_kept() {
        let limits = Limits::default();
        let one = channel(1);
        let other = channel(2);
        let first = limits.turn(&one).await;
        let soon = Duration::from_millis(1);
        assert!(timeout(soon, limits.turn(&one)).await.is_err());
        drop((limits.turn(&other).await, limits.turn(&callback()).await));
        drop(first);
        drop(timeout(soon, limits.turn(&one)).await.unwrap());
        assert_eq!(limits.turns.lock().unwrap().len(), 0);
    }

    #[test]
    fn nothing_is_sent_with_a_token_that_was_refused() {
        let limits = Limits::default();
        limits.token_refused();
        assert_eq!(limits.admit(&callback(), Instant::now()), Err(Withheld::Token));
    }

    #[test]
    fn a_pool_has_room_beside_the_other_files_of_the_process() {
        for (open_files, expected) in [(Some(16), 4), (Some(64), 8), (Some(256), 32), (Some(1_024), 64), (None, 64)] {
            let pool = Pool::of(open_files);
            let places = [pool.answers.available_permits(), pool.others.available_permits()];
            assert_eq!(places, [expected; 2], "{open_files:?}");
        }
    }
}

#[cfg(test)]
mod limit_headers_tests {
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
