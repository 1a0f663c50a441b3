//! Runs a permitted command: its handler runs until what it changes is stored together with its receipt, or is known
//! not to be.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::OwnedRwLockReadGuard;
use tokio::task::JoinError;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;
use tracing::field::Empty;
use tracing::{Instrument as _, error, info, info_span, warn};

use crate::host::crash_point::CrashPoint;
use crate::host::executor::cooldowns;
use crate::host::executor::effects::{Added, RunServices};
use crate::host::executor::keeping::Keeping;
use crate::host::executor::ledger::{Commit, Committed, Intent, Ledger, StagedChange};
use crate::host::executor::runner::{Executor, by_store, not_begun};
use crate::host::executor::under_way::{Ended, Flights, NotBegun, RunGuard};
use crate::host::salt;
use candor_core::access::{CooldownKey, Permit};
use candor_core::contract::{Call, ChannelMessage, Outgoing, Owner, ServiceError};
use candor_core::execution::{self, Begun, Closed, Effect, End, NotStored, RunFailure, Running};
use candor_core::inbound::{ChannelId, CommandPath, Place};
use candor_core::language::say;
use candor_core::record::{Outcome, ReceiptId};
use candor_core::reply::{Answer, Provenance, Reply};
use candor_core::router::Invocation;
use candor_core::text::visible_line;

/// How often a handler runs if somebody else changes the same records each time. Nothing of an earlier run is stored.
pub(super) const TRIES: u32 = 3;

/// What became of a permitted command.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are answers, and each is moved on at once")]
pub enum Ran {
    /// This process answers: it ran, or it could not begin.
    Answered(Answer),
    /// Its event was claimed before, or its run is under way: that run answers.
    Elsewhere,
    /// A later call found nothing to do, and is made again at another time. Nobody is told anything.
    PutOff,
}

impl Ran {
    /// The answer, if this process gives one.
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
    pub async fn run(&self, permit: Permit, keeping: &Keeping) -> Ran {
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
        let ran = self.run_once(permit, keeping).instrument(span.clone()).await;
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

    async fn run_once(&self, permit: Permit, keeping: &Keeping) -> Ran {
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
        let (cooldowns, owner, due) = (permit.cooldowns().to_vec(), permit.owner().clone(), permit.due());
        let (may_change, tells) = (permit.may_change(), permit.tells());
        let run =
            Attempts { executor: self, invocation, owner, started, id, due, tells, may_change, cooldowns, entered };
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
                    // It is closed as the failure that it is.
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
            let (changes_nothing, added) = (changes.is_empty(), Added::by(&changes));
            let commit = run.commit(&closed, changes, ended);
            if changes_nothing
                && run.cooldowns.is_empty()
                && !ended.is_begun
                // Whoever waits for a deferred answer is told by the next process, which must find it.
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
                    services.added(added);
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
                    // The person must be told, even if nothing can be stored.
                    error!(receipt.id = %id, error = %problem, "the run could not be stored");
                    services.added(added);
                    let had_no_effect = changes_nothing && !ended.is_outside;
                    let why = match problem {
                        // What it did outside of the store stays.
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

    /// The number of a run's receipt, if the run may begin. The error is the answer, if this process gives one.
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

/// One run that is under way, with what is the same in each of its attempts.
pub(super) struct Attempts<'a> {
    pub(super) executor: &'a Executor,
    /// Without its arguments.
    pub(super) invocation: Invocation,
    pub(super) owner: Owner,
    pub(super) started: SystemTime,
    pub(super) id: ReceiptId,
    /// When it was to be called, if a module asked for it earlier.
    pub(super) due: Option<SystemTime>,
    /// The channel in which its answer is told, if it runs because something happened.
    pub(super) tells: Option<ChannelId>,
    /// Whether it may change something.
    pub(super) may_change: bool,
    pub(super) cooldowns: Vec<(CooldownKey, Duration)>,
    /// The run is under way until this is dropped.
    pub(super) entered: RunGuard,
}

impl Attempts<'_> {
    /// Has the run begin, as far as that is stored at once: several processes may have got the event, and one of them
    /// runs it. The error is the answer, if this process gives one.
    async fn begin(&self, begun: &Begun) -> Result<(), Option<Answer>> {
        let flight = &self.entered.flight;
        flight.intends(Intent {
            begun: begun.clone(),
            cooldowns: self.cooldowns.clone(),
            is_outside: false,
            reply_to: None,
        });
        if !self.executor.ledger.is_shared() {
            return Ok(());
        }
        let Err(problem) = flight.begin().await else { return Ok(()) };
        Err(match flight.end().await {
            Err(refused) => self.refused(refused),
            Ok(_) => Some(not_begun(&self.invocation, &problem, by_store)),
        })
    }

    /// The context of an attempt, and what it changes.
    fn context(&self) -> (RunServices, Call) {
        let (flights, flight) = (self.executor.flights.clone(), self.entered.flight.clone());
        let run = RunServices::new(flights, flight, self.may_change);
        let call = self.executor.call(&self.invocation.asking(), &self.owner, self.started);
        let services = call.services.in_run(&run);
        (run, Call { services, due: self.due, receipt: Some(self.id), ..call })
    }

    /// Polls a handler to its end, or to its deadline.
    async fn ended(&self, running: Running) -> End {
        // A task of its own: a handler that blocks or panics cannot take this one with it. Dropping the handle ends it.
        let running = AbortOnDropHandle::new(tokio::spawn(running));
        match timeout(self.executor.deadline, running).await {
            Ok(Ok(returned)) => End::Returned(returned),
            Ok(Err(broken)) => End::Panicked(why_broken(broken)),
            Err(_) => End::TimedOut(self.executor.deadline),
        }
    }

    /// The answer of a run that nobody asked for, as a message to the channel in which it is told; none if it says
    /// nothing.
    fn told(&self, reply: &Reply) -> Option<StagedChange> {
        let (channel, Owner::Module(module)) = (self.tells?, &self.owner) else { return None };
        if reply.plain().trim().is_empty() {
            return None;
        }
        let registry = self.executor.registry.now();
        let code = &registry.modules().get(&self.owner)?.code;
        let channels = self.executor.send_channels(code, &self.owner, self.invocation.place);
        let Some(allowed_by) = channels.allowed_by(channel) else {
            info!(receipt.id = %self.id, module, channel.id = %channel, "what a module says is told nowhere: meanwhile this channel was taken from it");
            return None;
        };
        match ChannelMessage::of(reply.clone()) {
            Ok(message) => {
                let module = module.clone();
                Some(StagedChange::Message(Box::new(Outgoing { module, channel, allowed_by, message })))
            }
            Err(problem) => {
                error!(receipt.id = %self.id, module, error = %problem, "what a module says of an event cannot be told");
                None
            }
        }
    }

    /// Takes the messages to channels out of the changes, if the run was called in the console: they are shown there, each
    /// in a line, and not sent.
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

    /// Has the receipt of a run that changed nothing stored while its answer is being sent.
    fn store_later(self, commit: Commit, storing: OwnedRwLockReadGuard<()>, keeping: &Keeping) {
        self.entered.remember();
        let (ledger, flights) = (self.executor.ledger.clone(), self.executor.flights.clone());
        keeping.storing(tokio::spawn(store(ledger, flights, commit, (self.entered, storing))));
    }

    /// There is nothing to do yet.
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

    /// Somebody else changed the same records each time: nothing of the run is stored but its receipt, which says so.
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

    /// The answer to a run that has ended and is stored, or could not be, with the run's line in the log.
    fn answered(&self, closed: Closed, kept: bool) -> Answer {
        let (facts, counters) = (closed.receipt().facts(), &self.executor.counters);
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

/// The answer with these lines of the host below it.
fn with_lines(answer: Answer, lines: Vec<String>) -> Answer {
    lines.into_iter().fold(answer, Answer::with_line)
}

/// Stores the receipt of a run that changed nothing. Returns whether the answer that was given may stay as it is. Until
/// then the run is under way.
async fn store(
    ledger: Arc<dyn Ledger>,
    flights: Flights,
    commit: Commit,
    _under_way: (RunGuard, OwnedRwLockReadGuard<()>),
) -> bool {
    flights.together().await;
    CrashPoint::StoringLate.reached();
    let id = commit.receipt.id();
    match committed(&*ledger, commit).await {
        // Another process got the event too, and was first. Its run has the receipt, and what both answered is as good.
        Ok(Committed::ClaimedBefore) => {
            info!(receipt.id = %id, "another process has the receipt of this event");
            true
        }
        stored => is_kept(id, &stored),
    }
}

/// Commits, and once more if it is not known whether it is stored.
async fn committed(ledger: &dyn Ledger, commit: Commit) -> Result<Committed, ServiceError> {
    if !ledger.is_shared() {
        return ledger.commit(commit).await;
    }
    match ledger.commit(commit.clone()).await {
        Err(ServiceError::Store(problem)) => {
            warn!(receipt.id = %commit.receipt.id(), error = problem, "a commit is tried once more");
            ledger.commit(commit).await
        }
        ended => ended,
    }
}

fn is_kept(id: ReceiptId, stored: &Result<Committed, ServiceError>) -> bool {
    match stored {
        Ok(Committed::Committed) => true,
        Ok(other) => {
            error!(receipt.id = %id, result = ?other, "the receipt could not be kept");
            false
        }
        Err(problem) => {
            error!(receipt.id = %id, error = %problem, "the receipt could not be kept");
            false
        }
    }
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

/// Why a task did not end normally.
pub(super) fn why_broken(broken: JoinError) -> String {
    broken.try_into_panic().map_or_else(|_| "cancelled".to_owned(), |panic| panic_text(&*panic))
}

/// The text of a panic, where there is one.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}
