//! The meter: which interactions wait for an answer, since when, and how long the others waited.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::payload::snowflake::now_ms;
use crate::payload::{self, CHANNEL_ID};
use crate::rest::errors::Refusal;
use crate::rest::rate::{Standing, Verdict};
use crate::rest::{Answer, BASE, Outcome, Reply, content_type, parse, says};
use crate::twin::state::State;

/// Discord refuses a callback that comes later.
const CALLBACK_MAX: Duration = Duration::from_secs(3);

const MESSAGE: u64 = 4;
const DEFERRED_MESSAGE: u64 = 5;

/// The token of an interaction of a load.
pub(super) fn token(id: u64) -> String {
    format!("load-{id}")
}

fn id_of(token: &str) -> Option<u64> {
    token.strip_prefix("load-")?.parse().ok()
}

/// What waits, and what was measured.
pub(crate) struct Meter {
    waiting: HashMap<u64, Waiting>,
    measured: Measured,
    /// Has a permit more for every interaction that got its final answer.
    finished: Arc<Semaphore>,
}

/// An interaction that was sent.
struct Waiting {
    due: Instant,
    sent: Instant,
    is_deferred: bool,
}

/// Times since interactions were due, and counts.
pub(super) struct Measured {
    /// Until the callback.
    pub(super) answered: Vec<Duration>,
    /// Until the final message, which is the callback if that was not deferred.
    pub(super) finished: Vec<Duration>,
    /// Until the interaction was sent.
    pub(super) behind: Vec<Duration>,
    /// When the last final message arrived.
    pub(super) last: Instant,
    pub(super) n_deferred: usize,
    /// Callbacks that came after [`CALLBACK_MAX`].
    pub(super) n_late: usize,
    /// Callbacks of a wrong type, or to an interaction that was answered.
    pub(super) n_refused: usize,
}

impl Default for Measured {
    fn default() -> Measured {
        Measured {
            answered: Vec::new(),
            finished: Vec::new(),
            behind: Vec::new(),
            last: Instant::now(),
            n_deferred: 0,
            n_late: 0,
            n_refused: 0,
        }
    }
}

impl Default for Meter {
    fn default() -> Meter {
        Meter { waiting: HashMap::new(), measured: Measured::default(), finished: Arc::new(Semaphore::new(0)) }
    }
}

impl Meter {
    pub(super) fn finished(&self) -> Arc<Semaphore> {
        Arc::clone(&self.finished)
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn into_measured(self) -> Measured {
        self.measured
    }

    pub(super) fn sent(&mut self, id: u64, due: Instant) {
        let sent = Instant::now();
        self.measured.behind.push(sent.saturating_duration_since(due));
        self.waiting.insert(id, Waiting { due, sent, is_deferred: false });
    }

    fn callback(&mut self, id: u64, kind: u64, now: Instant) -> Result<(), Refusal> {
        let Some(waiting) = self.waiting.get_mut(&id).filter(|waiting| !waiting.is_deferred) else {
            self.measured.n_refused += 1;
            return Err(Refusal::already_acknowledged());
        };
        self.measured.n_late += usize::from(now.saturating_duration_since(waiting.sent) > CALLBACK_MAX);
        match kind {
            MESSAGE => {
                self.measured.answered.push(now.saturating_duration_since(waiting.due));
                self.finish(id, now);
            }
            DEFERRED_MESSAGE => {
                self.measured.answered.push(now.saturating_duration_since(waiting.due));
                waiting.is_deferred = true;
                self.measured.n_deferred += 1;
            }
            _ => {
                self.measured.n_refused += 1;
                return Err(Refusal::new(400, 50035, "Only callbacks of the types 4 and 5 are measured."));
            }
        }
        Ok(())
    }

    /// Notes the final message. Whatever comes after it is of no interest.
    fn finish(&mut self, id: u64, now: Instant) {
        if let Some(waiting) = self.waiting.remove(&id) {
            self.measured.finished.push(now.saturating_duration_since(waiting.due));
            self.measured.last = now;
            self.finished.add_permits(1);
        }
    }
}

/// The reply to a request about an interaction of a load. `None` for all other requests.
pub(crate) fn answered(state: &State, method: &Method, uri: &Uri, headers: &HeaderMap, bytes: &Bytes) -> Option<Reply> {
    let now = Instant::now();
    let mut segments = uri.path().strip_prefix(BASE)?.split('/').skip(1);
    let (route, _, id) = (segments.next()?, segments.next()?, id_of(segments.next()?)?);
    let mut meter = state.meter();
    let meter = meter.as_mut()?;
    let body = parse(content_type(headers), bytes).json;
    let outcome = match (method, route) {
        (&Method::POST, "interactions") => {
            let kind = body["type"].as_u64().unwrap_or_default();
            let wants_message = uri.query().is_some_and(|query| says(query, "with_response"));
            meter.callback(id, kind, now).map(|()| match wants_message {
                false => Answer::Empty,
                true => Answer::Json(200, callback_response(state, id, kind, &body["data"])),
            })
        }
        (&Method::POST | &Method::PATCH, "webhooks") => {
            meter.finish(id, now);
            Outcome::Ok(Answer::Json(200, message(state, &body)))
        }
        _ => return None,
    };
    Some(Reply::of(outcome, &standing(id)))
}

fn callback_response(state: &State, id: u64, kind: u64, data: &Value) -> Value {
    let message = message(state, data);
    json!({
        "interaction": {"id": id.to_string(), "type": 2, "response_message_id": message["id"]},
        "resource": {"type": kind, "message": message},
    })
}

fn message(state: &State, body: &Value) -> Value {
    let mut message = payload::bot_message(state.ids.next(), &CHANNEL_ID.to_string(), body);
    payload::make_response(&mut message, false);
    message
}

/// Each interaction has a bucket of its own, which is used for the first time.
fn standing(id: u64) -> Standing {
    let (limit, reset_after_ms) = (5, 2_000);
    let reset_ms = now_ms() + reset_after_ms;
    Standing { bucket: token(id), limit, remaining: limit - 1, reset_ms, reset_after_ms, verdict: Verdict::Allowed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_counts_from_the_moment_at_which_an_interaction_was_due() -> Result<(), Refusal> {
        let mut meter = Meter::default();
        let now = Instant::now();
        let due = now.checked_sub(Duration::from_secs(5)).unwrap_or(now);
        meter.sent(1, due);
        meter.callback(1, MESSAGE, now)?;
        assert_eq!(meter.measured.answered, [now - due]);
        assert!(meter.measured.behind[0] >= now - due, "it was sent as late as it was answered");
        assert_eq!(meter.measured.n_late, 0, "the bot itself was in time");
        Ok(())
    }

    #[test]
    fn a_deferred_answer_ends_with_its_final_message() -> Result<(), Refusal> {
        let mut meter = Meter::default();
        let due = Instant::now();
        let at = |ms| due + Duration::from_millis(ms);
        meter.sent(1, due);
        meter.callback(1, DEFERRED_MESSAGE, at(2))?;
        assert!(meter.is_waiting());
        meter.finish(1, at(9));
        meter.finish(1, at(11));
        let Measured { answered, finished, n_deferred, .. } = meter.into_measured();
        assert_eq!((answered, finished, n_deferred), (vec![at(2) - due], vec![at(9) - due], 1));
        Ok(())
    }

    #[test]
    fn what_discord_would_refuse_is_counted() {
        let mut meter = Meter::default();
        let sent = Instant::now();
        meter.sent(1, sent);
        assert!(meter.callback(1, 9, sent).is_err(), "a modal is no answer");
        assert!(meter.callback(1, MESSAGE, sent + Duration::from_secs(4)).is_ok(), "too late, but measured");
        assert!(meter.callback(1, MESSAGE, sent).is_err(), "twice");
        assert_eq!((meter.measured.n_refused, meter.measured.n_late, meter.measured.answered.len()), (2, 1, 1));
    }
}
