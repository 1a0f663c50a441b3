//! Closes the runs of processes that ended in the middle of them: tells their callers, and stores their receipts.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tracing::{error, info, warn};

use crate::host::crash_point::CrashPoint;
use crate::host::executor::ledger::OpenIntent;
use crate::host::executor::run::TRIES;
use crate::host::executor::runner::Executor;
use candor_core::contract::ServiceError;
use candor_core::execution::Left;
use candor_core::language::say;
use candor_core::record::Origin;

/// How long a deferred answer can be given. See Discord's documentation on interaction tokens.
const TOKEN_LIVES: Duration = Duration::from_secs(15 * 60);

/// How long after its deadline a run of another process may still be on its way into the store.
const SLACK: Duration = Duration::from_secs(60);

/// How many are read at once.
const AT_ONCE: usize = 100;

/// Tells a person how their command ended, in place of the note that it runs.
#[async_trait]
pub trait Teller: Send + Sync {
    /// Whether repeating is safe: a second call with this token does not show the text twice.
    fn may_repeat(&self, token: &str) -> bool;
    /// Shows the text by this token. Returns whether it was shown.
    async fn tell(&self, token: &str, text: &str) -> bool;
}

impl Executor {
    /// Closes the runs that ended processes left open: all that began before `started` if this process is alone, else
    /// those too old to be under way. Returns how many were closed.
    ///
    /// # Errors
    /// If the store fails; what was not closed is closed the next time.
    pub async fn close_interrupted(&self, started: SystemTime, teller: &dyn Teller) -> Result<usize, ServiceError> {
        let now = self.clock.now();
        let before = match self.ledger.was_alone() {
            true => started,
            false => now.checked_sub(self.deadline * TRIES + SLACK).unwrap_or(SystemTime::UNIX_EPOCH),
        };
        let mut closed = 0;
        loop {
            let open = self.ledger.open_intents(before, AT_ONCE).await?;
            let n_open = open.len();
            for intent in open {
                self.close_one(intent, now, teller).await?;
                closed += 1;
            }
            if n_open < AT_ONCE {
                return Ok(closed);
            }
        }
    }

    /// Closes one run, and tells its caller.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn close_one(&self, open: OpenIntent, now: SystemTime, teller: &dyn Teller) -> Result<(), ServiceError> {
        let OpenIntent { begun, is_outside, reply_to, answer } = open;
        let (id, language, command) = (begun.id, begun.language, begun.command.clone());
        let has_run = answer.is_some();
        let (receipt, text) = match &answer {
            Some(answer) => {
                (None, format!("{}\n{answer}", say!(language, "interrupted-done", command = command.clone())))
            }
            None => {
                let left = if is_outside { Left::Unknown } else { Left::Nothing };
                let (receipt, text) = begun.interrupted(left);
                (Some(receipt), text)
            }
        };
        let is_young = now.duration_since(begun.started).is_ok_and(|age| age < TOKEN_LIVES);
        let token = reply_to.filter(|_| is_young).and_then(|sealed| self.sealer.open(begun.event.0, &sealed));
        let text = format!("{text}\n-# {id}");
        // Told first where that can be repeated: if this process ends in between, the next one says the same in the
        // same place. Elsewhere the process that closes it tells: of several, one does.
        let (first, then) = match token {
            Some(token) if teller.may_repeat(&token) => (Some(token), None),
            token => (None, token),
        };
        CrashPoint::Telling.reached();
        let mut is_told = match &first {
            Some(token) => teller.tell(token, &text).await,
            None => false,
        };
        CrashPoint::Told.reached();
        let is_due = receipt.as_ref().is_some_and(|receipt| receipt.facts().origin == Origin::Due);
        match &answer {
            Some(answer) if !is_told => self.ledger.keep_answer(id, answer, now).await?,
            // It is sent to where the call was asked for.
            None if is_due && is_outside => self.ledger.keep_answer(id, &text, now).await?,
            Some(_) | None => {}
        }
        let interrupted = receipt.as_ref().map(|receipt| (receipt.facts().origin, receipt.facts().outcome));
        let is_closed = self.ledger.close_intent(begun.event, receipt).await?;
        if is_closed {
            if let Some((origin, outcome)) = interrupted {
                self.counters.runs.count(origin, outcome);
            }
            if let Some(token) = &then {
                is_told = teller.tell(token, &text).await;
            }
            warn!(receipt.id = %id, command.name = command, has_run, is_told, "interrupted: the bot ended in the middle of it");
        }
        Ok(())
    }

    /// Closes what was left open and logs how much it was.
    pub async fn tell_interrupted(&self, started: SystemTime, teller: &dyn Teller) {
        match self.close_interrupted(started, teller).await {
            Ok(0) => {}
            Ok(closed) => info!(closed, "runs that a process left open are closed"),
            Err(problem) => error!(error = %problem, "what a process left open could not be closed"),
        }
    }
}
