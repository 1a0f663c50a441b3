//! A circuit breaker: after repeated failures of a server it pauses requests, and then tries one.
//!
//! Pure: time is an argument, and nothing here sends a request.

use std::time::Duration;

use tokio::time::Instant;

use candor_core::agent::{ConversationKey, ModelFailure};

/// Counts the failures that mean that a server is down.
#[derive(Debug)]
pub(crate) struct Breaker {
    n_failures_max: u32,
    rest: Duration,
    state: BreakerState,
    /// The conversation of the last doubtful failure since the server was last up.
    doubted: Option<ConversationKey>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BreakerState {
    Closed {
        n_failures: u32,
    },
    /// Requests are paused until then.
    Open {
        until: Instant,
    },
    /// One request is running. If it has no outcome by then, the next request replaces it.
    Probing {
        until: Instant,
    },
}

/// The kind of a request that is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The server is assumed to be up.
    Normal,
    /// The one request that tests the server.
    Probe,
}

/// The state of the server, judging by an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerHealth {
    /// It responds, even if with a refusal.
    Up,
    /// It does not respond, or fails.
    Down,
    /// It fails in its own words, which may concern only this conversation.
    Doubtful,
    /// It got no request, or no time to respond, or it failed in a way that the request may have caused.
    Unknown,
}

/// A change of state, for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakerChange {
    /// Requests are paused from now on.
    Opened,
    /// The server is up again.
    Closed,
}

impl Breaker {
    /// Creates a closed breaker, which opens after `n_failures_max` failures in a row, for `rest`.
    pub(crate) fn new(n_failures_max: u32, rest: Duration) -> Self {
        Self { n_failures_max, rest, state: BreakerState::Closed { n_failures: 0 }, doubted: None }
    }

    /// Lets a request through, or returns the rest of the pause.
    pub(crate) fn admit(&mut self, now: Instant) -> Result<Admission, Duration> {
        match self.state {
            BreakerState::Closed { .. } => Ok(Admission::Normal),
            BreakerState::Open { until } | BreakerState::Probing { until } if now < until => Err(until - now),
            BreakerState::Open { .. } | BreakerState::Probing { .. } => {
                self.state = BreakerState::Probing { until: now + self.rest };
                Ok(Admission::Probe)
            }
        }
    }

    /// Records the outcome of a request that was let through. A doubtful failure counts only if the last one came from
    /// another conversation, so that one person's conversation never shuts out all others.
    pub(crate) fn record(
        &mut self,
        health: ServerHealth,
        conversation: Option<&ConversationKey>,
        now: Instant,
    ) -> Option<BreakerChange> {
        let is_again = conversation.is_some() && conversation == self.doubted.as_ref();
        match health {
            ServerHealth::Up => self.doubted = None,
            ServerHealth::Doubtful => self.doubted = conversation.cloned(),
            ServerHealth::Down | ServerHealth::Unknown => {}
        }
        let health = match health {
            ServerHealth::Doubtful if is_again => ServerHealth::Unknown,
            ServerHealth::Doubtful => ServerHealth::Down,
            health => health,
        };
        let (state, change) = match (health, self.state) {
            (ServerHealth::Up, BreakerState::Closed { .. }) => (BreakerState::Closed { n_failures: 0 }, None),
            (ServerHealth::Up, BreakerState::Open { .. } | BreakerState::Probing { .. }) => {
                (BreakerState::Closed { n_failures: 0 }, Some(BreakerChange::Closed))
            }
            (ServerHealth::Down, BreakerState::Closed { n_failures }) if n_failures + 1 < self.n_failures_max => {
                (BreakerState::Closed { n_failures: n_failures + 1 }, None)
            }
            (ServerHealth::Down, BreakerState::Closed { .. } | BreakerState::Probing { .. }) => {
                (BreakerState::Open { until: now + self.rest }, Some(BreakerChange::Opened))
            }
            // The probe found out nothing, so the next request is one.
            (ServerHealth::Unknown, BreakerState::Probing { .. }) => (BreakerState::Open { until: now }, None),
            // Sent before the breaker opened.
            (ServerHealth::Down, open @ BreakerState::Open { .. }) => (open, None),
            (ServerHealth::Unknown | ServerHealth::Doubtful, state) => (state, None),
        };
        self.state = state;
        change
    }

    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.state, BreakerState::Closed { .. })
    }
}

impl ServerHealth {
    /// Returns the health after a timeout. `had` is the part of `timeout` that the server had. It is at fault only if
    /// it had nearly all of it. Otherwise the turn had no more time left, or other requests came first.
    pub(crate) fn of_time_out(had: Duration, timeout: Duration) -> Self {
        // The turn's clock and this one differ by a moment, even if both have the same time.
        if had < timeout - timeout / 10 { Self::Unknown } else { Self::Down }
    }

    /// Returns the health that a failure suggests. A timeout counts as one with the full time for an answer.
    ///
    /// A status of 500 is not counted. Servers send it when a template fails on one conversation, in words that cannot
    /// be listed, and opening the breaker would shut out everyone. Ignoring it costs little: a 500 comes at once, and
    /// the breaker is there to spare people a wait. The statuses of a gateway without its server (502, 503, 504) and of
    /// a busy server (429, 529) concern all conversations, unless the server explains them in its own words: see
    /// [`Self::Doubtful`].
    pub(crate) fn of(failure: &ModelFailure) -> Self {
        match failure {
            ModelFailure::Unreachable
            | ModelFailure::Interrupted
            | ModelFailure::TimedOut(_)
            | ModelFailure::RateLimited(_)
            | ModelFailure::Overloaded(_)
            | ModelFailure::ServerError(502..=504) => Self::Down,
            ModelFailure::NotConfigured
            | ModelFailure::Busy
            | ModelFailure::Unavailable { .. }
            | ModelFailure::ServerError(_) => Self::Unknown,
            ModelFailure::Unauthorized
            | ModelFailure::Forbidden
            | ModelFailure::UnknownModel
            | ModelFailure::Redirected(_)
            | ModelFailure::ToolsUnsupported
            | ModelFailure::ContextTooLong
            | ModelFailure::Refused(_)
            | ModelFailure::Reported
            | ModelFailure::Empty
            | ModelFailure::CutOff
            | ModelFailure::UnknownEnd
            | ModelFailure::Filtered
            | ModelFailure::ToolCall
            | ModelFailure::TooManyCalls
            | ModelFailure::LostCall
            | ModelFailure::NotJson
            | ModelFailure::TooLarge => Self::Up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::inbound::{Place, UserId};

    const REST: Duration = Duration::from_secs(30);

    #[test]
    fn only_a_server_that_had_its_time_is_down() {
        let cases = [
            (60_000, ServerHealth::Down),
            (59_999, ServerHealth::Down),
            (54_000, ServerHealth::Down),
            (53_999, ServerHealth::Unknown),
            (50, ServerHealth::Unknown),
            (0, ServerHealth::Unknown),
        ];
        for (had_ms, expected) in cases {
            let health = ServerHealth::of_time_out(Duration::from_millis(had_ms), Duration::from_secs(60));
            assert_eq!(health, expected, "{had_ms} ms");
        }
    }

    /// What happens to a breaker that opens after three failures, each step so many seconds after its start.
    #[derive(Clone, Copy)]
    enum Step {
        Admit(u64, Result<Admission, u64>),
        Record(u64, ServerHealth, Option<BreakerChange>),
    }

    fn walk(case: &str, steps: &[Step]) -> Breaker {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut breaker = Breaker::new(3, REST);
        for (n, step) in steps.iter().enumerate() {
            match *step {
                Step::Admit(seconds, expected) => {
                    let admitted = breaker.admit(at(seconds));
                    assert_eq!(admitted, expected.map_err(Duration::from_secs), "{case}, step {n}");
                }
                Step::Record(seconds, health, expected) => {
                    assert_eq!(breaker.record(health, None, at(seconds)), expected, "{case}, step {n}");
                }
            }
        }
        breaker
    }

    #[test]
    fn a_doubtful_failure_counts_once_for_each_conversation_in_a_row() {
        let [ada, bob] = [1, 2].map(|user| ConversationKey::new(Place::Console, UserId(user)));
        let now = Instant::now();
        let outcomes = |breaker: &mut Breaker, outcomes: &[(ServerHealth, Option<&ConversationKey>)]| {
            for &(health, conversation) in outcomes {
                breaker.record(health, conversation, now);
            }
            breaker.is_open()
        };
        let doubtful = ServerHealth::Doubtful;
        let down = ServerHealth::Down;
        let up = ServerHealth::Up;
        let of_ada = (doubtful, Some(&ada));
        let of_bob = (doubtful, Some(&bob));
        let cases: [(&[_], bool); 5] = [
            (&[of_ada, of_ada, of_ada, of_ada], false),
            (&[of_ada, of_ada, of_bob, of_bob, (down, Some(&ada))], true),
            (&[of_ada, of_bob, of_ada], true),
            (&[of_ada, of_bob, (up, None), of_ada, of_bob], false),
            (&[(doubtful, None), (doubtful, None), (doubtful, None)], true),
        ];
        for (n, (all, is_open)) in cases.into_iter().enumerate() {
            assert_eq!(outcomes(&mut Breaker::new(3, REST), all), is_open, "case {n}");
        }
        // A conversation that is refused anyway is no probe.
        let mut breaker = Breaker::new(2, Duration::ZERO);
        assert!(outcomes(&mut breaker, &[of_bob, of_ada]));
        assert_eq!(breaker.admit(now), Ok(Admission::Probe));
        assert_eq!(breaker.record(doubtful, Some(&ada), now), None);
        assert_eq!(breaker.admit(now), Ok(Admission::Probe));
        assert_eq!(breaker.record(up, Some(&bob), now), Some(BreakerChange::Closed));
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_good_probe_closes_it() {
        use Admission::{Normal, Probe};
        use BreakerChange::{Closed, Opened};
        use ServerHealth::{Down, Unknown, Up};
        use Step::{Admit, Record};

        let fails = |n| vec![Record(0, Down, None); n];
        let opens = [fails(2), vec![Admit(0, Ok(Normal)), Record(0, Down, Some(Opened))]].concat();
        let cases: [(&str, Vec<Step>, bool); 10] = [
            ("two failures", [fails(2), vec![Admit(0, Ok(Normal))]].concat(), false),
            (
                "not in a row",
                [fails(2), vec![Record(0, Up, None)], fails(2), vec![Admit(0, Ok(Normal))]].concat(),
                false,
            ),
            ("not asked", [fails(2), vec![Record(0, Unknown, None), Record(0, Down, Some(Opened))]].concat(), true),
            ("open", [opens.clone(), vec![Admit(0, Err(30)), Admit(29, Err(1))]].concat(), true),
            (
                "a late failure does not prolong it",
                [opens.clone(), vec![Record(20, Down, None), Admit(20, Err(10)), Admit(30, Ok(Probe))]].concat(),
                true,
            ),
            ("a late success closes it", [opens.clone(), vec![Record(1, Up, Some(Closed))]].concat(), false),
            (
                "one probe, and it succeeds",
                [
                    opens.clone(),
                    vec![Admit(30, Ok(Probe)), Admit(31, Err(29)), Record(32, Up, Some(Closed)), Admit(32, Ok(Normal))],
                ]
                .concat(),
                false,
            ),
            (
                "one probe, and it fails",
                [opens.clone(), vec![Admit(40, Ok(Probe)), Record(41, Down, Some(Opened)), Admit(42, Err(29))]]
                    .concat(),
                true,
            ),
            (
                "a probe that found out nothing",
                [opens.clone(), vec![Admit(40, Ok(Probe)), Record(41, Unknown, None), Admit(41, Ok(Probe))]].concat(),
                true,
            ),
            (
                "a probe that was never heard of again",
                [opens, vec![Admit(40, Ok(Probe)), Admit(69, Err(1)), Admit(70, Ok(Probe))]].concat(),
                true,
            ),
        ];
        for (case, steps, is_open) in cases {
            assert_eq!(walk(case, &steps).is_open(), is_open, "{case}");
        }
    }
}
