//! What may be asked of Discord, and when: pauses that Discord asked for, and how many refusals may still be risked.
//!
//! Discord bans an address for a while after 10,000 requests in 10 minutes that were answered with 401, 403 or 429. See
//! its documentation, "Rate Limits", "Invalid Request Limit". The bot stops long before that.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serenity::http::{LightMethod, Route};
use tokio::time::Instant;

/// This many refused requests within [`INVALID_WITHIN`] are risked at most.
const INVALID_MAX: usize = 500;
const INVALID_WITHIN: Duration = Duration::from_secs(600);
/// How many pauses are remembered. Each is for one route of one channel.
const PAUSES_MAX: usize = 1_024;

/// What Discord limits together: a route, with its channel or its interaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bucket {
    key: String,
    /// Whether the limit of all routes is not for this one: the answers to interactions.
    is_exempt: bool,
}

impl Bucket {
    /// The bucket of a request.
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

/// Why a request is not sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Withheld {
    /// Discord asked for a pause until then.
    Until(Instant),
    /// Too many requests were refused; there is room again then.
    Invalid(Instant),
    /// The token was refused: no request will be answered any more.
    Token,
}

/// How long Discord asks to wait, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    /// Since the answer.
    pub(crate) wait: Duration,
    /// Whether it is for every route but interactions' answers.
    pub(crate) is_global: bool,
}

/// The limits of one token.
#[derive(Debug, Default)]
pub(crate) struct Limits(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    pauses: HashMap<Bucket, Instant>,
    everything: Option<Instant>,
    invalid: VecDeque<Instant>,
    is_token_refused: bool,
}

impl Limits {
    /// Whether a request may be sent now.
    pub(crate) fn admit(&self, bucket: &Bucket, now: Instant) -> Result<(), Withheld> {
        self.counts(now)?;
        let known = self.lock();
        let own = known.pauses.get(bucket).copied();
        match own.into_iter().chain(known.everything.filter(|_| !bucket.is_exempt)).max() {
            Some(until) if now < until => Err(Withheld::Until(until)),
            _ => Ok(()),
        }
    }

    /// Whether there is room for another refusal.
    pub(crate) fn counts(&self, now: Instant) -> Result<(), Withheld> {
        let mut known = self.lock();
        if known.is_token_refused {
            return Err(Withheld::Token);
        }
        while known.invalid.front().is_some_and(|&first| INVALID_WITHIN <= now.saturating_duration_since(first)) {
            known.invalid.pop_front();
        }
        if INVALID_MAX <= known.invalid.len() {
            let oldest = known.invalid.front().copied().unwrap_or(now);
            return Err(Withheld::Invalid(oldest + INVALID_WITHIN));
        }
        Ok(())
    }

    /// Takes note of an answer with this status. `is_shared`: the limit is that of all bots, and does not count.
    pub(crate) fn answered(&self, status: u16, is_shared: bool, now: Instant) {
        if matches!(status, 401 | 403) || (status == 429 && !is_shared) {
            let mut known = self.lock();
            known.invalid.push_back(now);
            if INVALID_MAX < known.invalid.len() {
                known.invalid.pop_front();
            }
        }
    }

    /// Takes note of a pause that Discord asks for.
    pub(crate) fn pause(&self, bucket: &Bucket, pause: Pause, now: Instant) {
        let mut known = self.lock();
        let until = now + pause.wait;
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

    /// From now on nothing is sent.
    pub(crate) fn token_refused(&self) {
        self.lock().is_token_refused = true;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serenity::all::{ChannelId, InteractionId};
    use serenity::http::Route;

    use super::*;

    fn channel(id: u64) -> Bucket {
        Bucket::of(LightMethod::Post, Route::ChannelMessages { channel_id: ChannelId::new(id) })
    }

    fn callback() -> Bucket {
        Bucket::of(LightMethod::Post, Route::InteractionResponse { interaction_id: InteractionId::new(1), token: "t" })
    }

    #[test]
    fn at_most_500_refused_requests_are_made_in_ten_minutes() {
        let (limits, began) = (Limits::default(), Instant::now());
        let refused = (0..10_000).filter(|n| {
            let now = began + Duration::from_millis(n * 10);
            let may = limits.admit(&channel(1), now).is_ok();
            limits.answered([401, 403, 429][usize::try_from(n % 3).unwrap()], false, now);
            may
        });
        assert_eq!(refused.count(), INVALID_MAX);
        let later = began + INVALID_WITHIN + Duration::from_secs(200);
        assert_eq!(limits.admit(&channel(1), later), Ok(()));
    }

    #[test]
    fn a_limit_that_all_bots_share_does_not_count() {
        let (limits, now) = (Limits::default(), Instant::now());
        (0..INVALID_MAX).for_each(|_| limits.answered(429, true, now));
        assert_eq!(limits.admit(&channel(1), now), Ok(()));
    }

    #[test]
    fn a_pause_is_for_its_route_or_for_all_but_interactions() {
        let (limits, now, wait) = (Limits::default(), Instant::now(), Duration::from_secs(5));
        limits.pause(&channel(1), Pause { wait, is_global: false }, now);
        assert_eq!(limits.admit(&channel(1), now), Err(Withheld::Until(now + wait)));
        assert_eq!(limits.admit(&channel(2), now), Ok(()));
        assert_eq!(limits.admit(&channel(1), now + wait), Ok(()));
        limits.pause(&channel(1), Pause { wait, is_global: true }, now);
        assert_eq!(limits.admit(&channel(2), now), Err(Withheld::Until(now + wait)));
        assert_eq!(limits.admit(&callback(), now), Ok(()));
    }

    #[test]
    fn nothing_is_sent_with_a_token_that_was_refused() {
        let limits = Limits::default();
        limits.token_refused();
        assert_eq!(limits.admit(&callback(), Instant::now()), Err(Withheld::Token));
    }
}
