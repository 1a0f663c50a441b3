//! Closes runs that ended processes left open: notifies their callers and stores their receipts.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tracing::{error, info, warn};

use crate::crash_point::CrashPoint;
use crate::executor::ledger::OpenIntent;
use crate::executor::run::TRIES;
use crate::executor::runner::Executor;
use crate::storage::LeftOpen;
use candor_core::contract::ServiceError;
use candor_core::execution::Left;
use candor_core::language::say;
use candor_core::record::Origin;

/// How long a deferred answer can be given. See Discord's documentation on interaction tokens.
const TOKEN_LIVES: Duration = Duration::from_secs(15 * 60);

/// How long after its deadline a run of another process may still be storing its result.
const SLACK: Duration = Duration::from_secs(60);

/// Shows a person how their command ended, in place of the note that it runs.
#[async_trait]
pub trait Teller: Send + Sync {
    /// Whether repeating is safe: a second call with this token does not show the text twice.
    fn may_repeat(&self, token: &str) -> bool;
    async fn tell(&self, token: &str, text: &str) -> Telling;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    Shown,
    /// Discord did not accept the text, and may do so later.
    NotNow,
    Never,
}

/// The number of runs that were left open, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftRuns {
    pub n_closed: usize,
    /// Runs that stay open, because their callers could not be notified yet.
    pub n_waiting: usize,
}

impl Executor {
    /// Closes the runs that ended processes left open, and notifies their callers.
    ///
    /// # Errors
    /// Fails if the store fails. A run that cannot be closed does not block the others; it is closed the next time.
    pub async fn close_interrupted(&self, teller: &dyn Teller) -> Result<LeftRuns, ServiceError> {
        let now = self.clock.now();
        let mut left = LeftOpen::all(now, self.longest_run());
        let mut runs = LeftRuns::default();
        let mut failed = None;
        loop {
            let open = self.ledger.open_intents(left).await?;
            let Some(last) = open.last() else { return failed.map_or(Ok(runs), Err) };
            left.after = Some(last.begun.event);
            for intent in open {
                match self.close_one(intent, now, teller).await {
                    Ok(true) => runs.n_closed += 1,
                    Ok(false) => runs.n_waiting += 1,
                    Err(problem) => failed = Some(problem),
                }
            }
        }
    }

    /// Returns how long after its event a run of another process may still show its end.
    pub fn others_run_for(&self) -> Duration {
        if self.ledger.is_shared() { self.longest_run() } else { Duration::ZERO }
    }

    /// Returns the time after which no process can still be storing the result of a run.
    fn longest_run(&self) -> Duration {
        self.deadline * TRIES + SLACK
    }

    /// Closes one run, and notifies its caller. Returns false if the run stays open because the caller can only be
    /// notified later.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn close_one(
        &self,
        open: OpenIntent,
        now: SystemTime,
        teller: &dyn Teller,
    ) -> Result<bool, ServiceError> {
        let OpenIntent { begun, is_outside, reply_to, answer } = open;
        let id = begun.id;
        let language = begun.language;
        let command = begun.command.clone();
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
        // A run that began in the future did so before the clock was set back. Its age is unknown, so it counts as
        // young.
        let is_young = now.duration_since(begun.started).map_or(true, |age| age < TOKEN_LIVES);
        let token = reply_to.filter(|_| is_young).and_then(|sealed| self.sealer.open(begun.event.0, &sealed));
        let text = format!("{text}\n-# {id}");
        // If notifying can be repeated, it comes first: if this process ends in between, the next one shows the same
        // text in the same place. Otherwise the process that closes the run notifies, so that only one of several does.
        let (first, then) = match token {
            Some(token) if teller.may_repeat(&token) => (Some(token), None),
            token => (None, token),
        };
        CrashPoint::Telling.reached();
        let mut telling = match &first {
            Some(token) => teller.tell(token, &text).await,
            None => Telling::Never,
        };
        if telling == Telling::NotNow {
            return Ok(false);
        }
        CrashPoint::Told.reached();
        let is_due = receipt.as_ref().is_some_and(|receipt| receipt.facts().origin == Origin::Due);
        match &answer {
            Some(answer) if telling != Telling::Shown => self.ledger.keep_answer(id, answer, now).await?,
            // It is sent to the place where the call was requested.
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
                telling = teller.tell(token, &text).await;
            }
            let is_told = telling == Telling::Shown;
            warn!(receipt.id = %id, command.name = command, has_run, is_told, "interrupted: the bot ended in the middle of it");
        }
        Ok(true)
    }

    /// Closes the runs left open and logs how many. Returns false if any could not be closed.
    pub async fn tell_interrupted(&self, teller: &dyn Teller) -> bool {
        match self.close_interrupted(teller).await {
            Ok(LeftRuns { n_closed: 0, n_waiting: 0 }) => true,
            Ok(LeftRuns { n_closed, n_waiting }) => {
                info!(closed = n_closed, waiting = n_waiting, "runs that a process left open are closed");
                n_waiting == 0
            }
            Err(problem) => {
                error!(error = %problem, "could not close the work of an ended process");
                false
            }
        }
    }
}
