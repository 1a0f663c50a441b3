//! Runs a permitted command, until its changes are stored together with its receipt or are known not to be.

use std::time::{Duration, SystemTime};

use tokio::sync::{OwnedRwLockReadGuard, oneshot};
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;
use tracing::field::Empty;
use tracing::{Instrument as _, error, info, info_span, warn};

use crate::crash_point::CrashPoint;
use crate::executor::calls::{send_channels, why_broken};
use crate::executor::cooldowns;
use crate::executor::effects::{Added, RunServices};
use crate::executor::flights::{Ended, NotBegun, RunGuard};
use crate::executor::late::{LateReceipt, committed, is_kept};
use crate::executor::ledger::Keeping;
use crate::executor::ledger::{Commit, Committed, Intent, StagedChange};
use crate::executor::runner::{Executor, by_store, not_begun};
use crate::salt;
use candor_core::access::{CooldownKey, Permit};
use candor_core::contract::{Call, ChannelMessage, Outgoing, Owner, ServiceError};
use candor_core::execution::{self, Begun, Closed, Effect, End, NotStored, RunFailure, Running};
use candor_core::guild::Rules;
use candor_core::inbound::{ChannelId, CommandPath, Place};
use candor_core::language::say;
use candor_core::record::{Outcome, ReceiptId};
use candor_core::reply::{Answer, Provenance, Reply};
use candor_core::router::Invocation;
use candor_core::text::visible_line;

/// How often a handler runs if others change the same records each time. Nothing of an earlier attempt is stored.
pub(super) const TRIES: u32 = 3;

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are answers, and each is moved on at once")]
pub enum Ran {
    /// This process answers: the command ran, or it could not begin.
    Answered(Answer),
    /// Its event was claimed before, or its run is under way: that run answers.
    Elsewhere,
    /// A later call found nothing to do, and is made again at another time. No answer is given.
    PutOff,
}

impl Ran {
    pub fn answer(self) -> Option<Answer> {
        match self {
            Self::Answered(answer) => Some(answer),
            Self::Elsewhere | Self::PutOff => None,
        }
    }
}

impl From<Option<Answer>> for Ran {
    fn from(answer: Option<Answer>) -> Self {
        answer.map_or(Self::Elsewhere, Self::Answered)
    }
}

impl Executor {
    /// Runs a command once.
    ///
    /// Its changes and its receipt are stored before this returns. If it changes nothing, `keeping` may let its receipt
    /// be stored while the answer is being sent.
    pub async fn run(&self, permit: Permit, rules: &Rules, keeping: &Keeping) -> Ran {
        let path = &permit.invocation().path;
        let span = info_span!(
            "command",
            otel.name = %format_args!("command {path}"),
            otel.status_code = Empty,
            candor.command.name = %path,
            candor.receipt.id = Empty,
            candor.outcome = Empty,
            error.type = Empty,
        );
        let ran = self.run_once(permit, rules, keeping).instrument(span.clone()).await;
        if let Ran::Answered(answer) = &ran
            && let Provenance::Command(receipt) = &answer.provenance
        {
            let outcome = receipt.facts().outcome;
            span.record("candor.receipt.id", tracing::field::display(receipt.id()));
            span.record("candor.outcome", outcome.name());
            if !outcome.is_reply() && outcome != Outcome::Refused {
                span.record("otel.status_code", "ERROR").record("error.type", outcome.name());
            }
        }
        ran
    }

    async fn run_once(&self, permit: Permit, rules: &Rules, keeping: &Keeping) -> Ran {
        let invocation = permit.invocation().without_arguments();
        let Some(entered) = self.flights.enter(invocation.event, &self.ledger) else {
            info!(event.id = %invocation.event.0, command.name = %invocation.path, "it is under way; not run again");
            return Ran::Elsewhere;
        };
        let started = self.clock.now();
        let id = match self.admitted(&permit, &invocation, started).await {
            Ok(id) => id,
            Err(answer) => return answer.into(),
        };
        let run = Attempts {
            executor: self,
            rules,
            owner: permit.owner().clone(),
            due: permit.due(),
            tells: permit.tells(),
            may_change: permit.may_change(),
            cooldowns: permit.cooldowns().to_vec(),
            invocation,
            started,
            id,
            entered,
        };
        let (mut services, call) = run.context();
        let (mut running, mut ticket) = execution::open(permit, id, salt, call);
        if let Err(answer) = run.begin(ticket.begun()).await {
            return answer.into();
        }
        CrashPoint::Began.reached();
        for tried in 1.. {
            let watch = Instant::now();
            let end = run.ended(running).await;
            if let Some(until) = ticket.put_off(&end) {
                services.end().await;
                match run.entered.flight.end().await {
                    Ok(ended) if !ended.is_outside => return run.put_off(until).await,
                    // The run may have changed something outside, so it is closed as a failure.
                    Ok(_) => {}
                    Err(refused) => return run.refused(refused).into(),
                }
            }
            let took = watch.elapsed();
            let mut changes = services.end().await;
            let ended = run.entered.flight.end().await;
            let is_outside = ended.as_ref().is_ok_and(|ended| ended.is_outside);
            let effect = if changes.is_empty() && !is_outside { Effect::None } else { Effect::Change };
            let closed = ticket.close(end, effect, took);
            log_failure(id, &run.owner, &run.invocation.path, closed.failure());
            if !closed.receipt().facts().outcome.is_reply() {
                // A failed command changes nothing.
                changes.clear();
            } else if let Some(told) = run.told(closed.reply()) {
                changes.push(told);
            }
            CrashPoint::Staged.reached();
            let ended = match ended {
                Ok(ended) => ended,
                Err(refused) => return run.refused(refused).into(),
            };
            let unsent = run.unsent(&mut changes);
            let changes_nothing = changes.is_empty();
            let added = Added::by(&changes);
            let commit = run.commit(&closed, changes, ended);
            if changes_nothing
                && run.cooldowns.is_empty()
                && run.due.is_none()
                && !ended.is_begun
                // After a crash, the next process must find the intent of a deferred answer to notify its person.
                && !run.entered.flight.is_deferring()
                && keeping.store_later()
                && let Some(storing) = self.flights.store_later()
            {
                let answer = with_lines(run.answered(closed, true), unsent);
                run.store_later(commit, storing, keeping);
                return Ran::Answered(answer);
            }
            match committed(&*self.ledger, commit).await {
                Ok(Committed::Committed) => {
                    CrashPoint::Committed.reached();
                    added.wake(&self.calls.services);
                    run.entered.flight.leave_open(|| closed.text()).await;
                    return Ran::Answered(with_lines(run.answered(closed, true), unsent));
                }
                Ok(Committed::ClaimedBefore) => return run.refused(NotBegun::ClaimedBefore).into(),
                Ok(Committed::Wait(wait)) => return run.refused(NotBegun::Wait(wait)).into(),
                Ok(Committed::Conflict) | Err(ServiceError::Full(_)) if tried < TRIES && !ended.is_outside => {
                    let command = &run.invocation.path;
                    info!(
                        receipt.id = %id,
                        command.name = %command,
                        tried,
                        "a record was changed in the meantime; the command runs again"
                    );
                    run.entered.flight.begins_again().await;
                    let call;
                    (services, call) = run.context();
                    (running, ticket) = closed.again(call);
                }
                Ok(Committed::Conflict) | Err(ServiceError::Full(_)) => {
                    // On the heap: it is rare, and would make each run's future half as big again.
                    return Ran::Answered(Box::pin(run.give_up(closed, ended, tried)).await);
                }
                Err(problem) => {
                    // The person gets an answer even if nothing can be stored.
                    error!(receipt.id = %id, error = %problem, "the run could not be stored");
                    added.wake(&self.calls.services);
                    let had_no_effect = changes_nothing && !ended.is_outside;
                    let why = match problem {
                        // Its changes outside of the store remain.
                        ServiceError::DiskFull if !ended.is_outside => NotStored::DiskFull,
                        _ => NotStored::Unsure,
                    };
                    let closed = if had_no_effect { closed } else { closed.not_stored(why) };
                    return Ran::Answered(run.answered(closed, false));
                }
            }
        }
        Ran::Elsewhere
    }

    /// Returns the number for a run's receipt, if the run may begin. The error is the answer, if this process gives
    /// one.
    async fn admitted(
        &self,
        permit: &Permit,
        invocation: &Invocation,
        now: SystemTime,
    ) -> Result<ReceiptId, Option<Answer>> {
        match cooldowns::waiting(&*self.cooldowns, invocation.event, permit.cooldowns(), now).await {
            Ok(None) => {}
            Ok(Some(wait)) => return Err(self.refused(NotBegun::Wait(wait), invocation, now)),
            Err(problem) => {
                return Err(Some(not_begun(invocation, &problem, |language, command| {
                    say!(language, "cooldown-unknown", command = command)
                })));
            }
        }
        let number = self.ledger.number().await;
        number.map(ReceiptId::from_number).map_err(|problem| Some(not_begun(invocation, &problem, by_store)))
    }
}

/// A run under way, with the facts that all of its attempts share.
pub(super) struct Attempts<'a> {
    pub(super) executor: &'a Executor,
    pub(super) rules: &'a Rules,
    pub(super) invocation: Invocation,
    pub(super) owner: Owner,
    pub(super) started: SystemTime,
    pub(super) id: ReceiptId,
    /// The time for which a module scheduled the call.
    pub(super) due: Option<SystemTime>,
    /// The channel for the answer of a run that an event triggered.
    pub(super) tells: Option<ChannelId>,
    pub(super) may_change: bool,
    pub(super) cooldowns: Vec<(CooldownKey, Duration)>,
    /// Registers the run as under way until it is dropped.
    pub(super) entered: RunGuard,
}

impl Attempts<'_> {
    /// Begins the run. On a shared store this is stored at once: several processes may have received the event, and
    /// only one of them runs it. So is an answer that was deferred before. The error is the answer, if this process gives one.
    async fn begin(&self, begun: &Begun) -> Result<(), Option<Answer>> {
        let flight = &self.entered.flight;
        flight.intends(Intent {
            begun: begun.clone(),
            cooldowns: self.cooldowns.clone(),
            is_outside: false,
            reply_to: None,
        });
        if !self.executor.ledger.is_shared() && !flight.is_deferring() {
            return Ok(());
        }
        let Err(problem) = flight.begin().await else { return Ok(()) };
        Err(match flight.end().await {
            Err(refused) => self.refused(refused),
            Ok(_) => Some(not_begun(&self.invocation, &problem, by_store)),
        })
    }

    /// Returns the context of an attempt, and the services that stage its changes.
    fn context(&self) -> (RunServices, Call) {
        let run = RunServices::new(self.entered.flight.clone(), self.may_change);
        let call = self.executor.call(&self.invocation.asking(), &self.owner, self.rules, self.started);
        let services = call.services.in_run(&run);
        (run, Call { services, due: self.due, receipt: Some(self.id), ..call })
    }

    /// Polls a handler to its end, or to its deadline.
    async fn ended(&self, running: Running) -> End {
        // In a separate task, so that a handler that blocks or panics cannot take this one with it. Dropping the handle
        // aborts it.
        let running = AbortOnDropHandle::new(tokio::spawn(running));
        match timeout(self.executor.deadline, running).await {
            Ok(Ok(returned)) => End::Returned(returned),
            Ok(Err(broken)) => End::Panicked(why_broken(broken)),
            Err(_) => End::TimedOut(self.executor.deadline),
        }
    }

    /// Returns the answer of an event-triggered run as a message to its channel; `None` if the answer is empty.
    fn told(&self, reply: &Reply) -> Option<StagedChange> {
        let (channel, Owner::Module(module)) = (self.tells?, &self.owner) else { return None };
        if reply.plain().trim().is_empty() {
            return None;
        }
        let registry = self.executor.registry.now();
        let code = &registry.modules().get(&self.owner)?.code;
        let channels = send_channels(code, &self.owner, self.invocation.place, self.rules);
        let Some(allowed_by) = channels.allowed_by(channel) else {
            info!(receipt.id = %self.id, module, channel.id = %channel, "message dropped: the module may no longer send to this channel");
            return None;
        };
        match ChannelMessage::of(reply.clone()) {
            Ok(message) => {
                let module = module.clone();
                Some(StagedChange::Message(Box::new(Outgoing { module, channel, allowed_by, message })))
            }
            Err(problem) => {
                error!(receipt.id = %self.id, module, error = %problem, "could not post the module's message about an event");
                None
            }
        }
    }

    /// Removes the messages to channels from the changes of a run in the console. They are shown there, one per line,
    /// and not sent.
    fn unsent(&self, changes: &mut Vec<StagedChange>) -> Vec<String> {
        if self.invocation.place != Place::Console {
            return Vec::new();
        }
        let language = self.invocation.caller.language;
        let shown = |Outgoing { channel, message, .. }: &Outgoing| {
            let words = visible_line(&message.reply().plain());
            say!(language, "message-not-sent", channel = channel.to_string(), words = words)
        };
        let lines = changes.iter().filter_map(StagedChange::message).map(shown).collect();
        changes.retain(|change| change.message().is_none());
        lines
    }

    fn commit(&self, closed: &Closed, changes: Vec<StagedChange>, ended: Ended) -> Commit {
        Commit {
            event: self.invocation.event,
            at: self.started,
            cooldowns: self.cooldowns.clone(),
            changes,
            receipt: closed.receipt().clone(),
            intent: ended.intended(|| closed.text()),
            due: self.due.map(|_| closed.text()),
        }
    }

    /// Stores the receipt of a run that changed nothing, while its answer is being sent.
    fn store_later(self, commit: Commit, storing: OwnedRwLockReadGuard<()>, keeping: &Keeping) {
        self.entered.remember();
        let (kept, is_kept) = oneshot::channel();
        keeping.storing(is_kept);
        let late = LateReceipt { commit, is_kept: kept, under_way: (self.entered, storing) };
        self.executor.late.add(late, &self.executor.ledger, &self.executor.flights);
    }

    /// Schedules a call that found nothing to do for another time.
    async fn put_off(&self, until: SystemTime) -> Ran {
        match self.executor.ledger.call_again(self.invocation.event, until).await {
            Ok(()) => Ran::PutOff,
            Err(problem) => {
                warn!(
                    event.id = %self.invocation.event.0,
                    command.name = %self.invocation.path,
                    error = %problem,
                    "a call that is due could not be put off; it is tried again"
                );
                Ran::Elsewhere
            }
        }
    }

    /// Gives up after others changed the same records in each attempt. Only the receipt is stored, and it says so.
    async fn give_up(&self, closed: Closed, ended: Ended, tried: u32) -> Answer {
        let command = &self.invocation.path;
        warn!(
            receipt.id = %self.id,
            command.name = %command,
            tried,
            "a record was changed in the meantime; nothing is stored"
        );
        let why = if ended.is_outside { NotStored::Unsure } else { NotStored::Conflict };
        let closed = closed.not_stored(why);
        let commit = self.commit(&closed, Vec::new(), ended);
        let kept = committed(&*self.executor.ledger, commit).await;
        self.entered.flight.leave_open(|| closed.text()).await;
        self.answered(closed, is_kept(self.id, &kept))
    }

    fn refused(&self, refused: NotBegun) -> Option<Answer> {
        self.executor.refused(refused, &self.invocation, self.started)
    }

    /// Returns the answer of a run that has ended, and logs the run. `kept`: whether the run is stored.
    fn answered(&self, closed: Closed, kept: bool) -> Answer {
        let facts = closed.receipt().facts();
        let counters = &self.executor.counters;
        counters.runs.count(facts.origin, facts.outcome);
        counters.run_times.took(facts.took);
        info!(
            receipt.id = %closed.receipt().id(),
            command.name = %self.invocation.path,
            command.looked_up = self.invocation.path.command(),
            registry.size = self.executor.registry.now().size(),
            user.id = %self.invocation.caller.id.0,
            place = self.invocation.place.key(),
            outcome = facts.outcome.name(),
            duration_ms = u64::try_from(facts.took.as_millis()).unwrap_or(u64::MAX),
            "command ran"
        );
        closed.answer(kept)
    }
}

fn with_lines(answer: Answer, lines: Vec<String>) -> Answer {
    lines.into_iter().fold(answer, Answer::with_line)
}

/// Logs the full details of a failed run, once.
fn log_failure(id: ReceiptId, module: &Owner, command: &CommandPath, failure: Option<&RunFailure>) {
    match failure {
        None => {}
        Some(RunFailure::Failed(problem)) => {
            error!(receipt.id = %id, %module, command.name = %command, error = problem, "handler failed");
        }
        Some(RunFailure::Panicked(text)) => {
            error!(receipt.id = %id, %module, command.name = %command, panic = text, "handler panicked");
        }
        Some(RunFailure::TimedOut(deadline)) => {
            let seconds = deadline.as_secs();
            error!(receipt.id = %id, %module, command.name = %command, deadline_s = seconds, "handler did not return in time");
        }
    }
}
