//! The executor: runs permitted commands, and stores what they change together with their receipts.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use tokio::sync::OwnedRwLockReadGuard;
use tokio::task::JoinError;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info, warn};

use crate::host::Sealer;
use crate::host::clock::Clock;
use crate::host::crash_point::CrashPoint;
use crate::host::executor::cooldowns::{self, CooldownStore};
use crate::host::executor::flight::{Flights, NotBegun, RunGuard, RunServices};
use crate::host::executor::keeping::Keeping;
use crate::host::executor::ledger::{Commit, Committed, Intent, Ledger};
use candor_core::access::Permit;
use candor_core::contract::{Call, Owner, RecordChange, ServiceError, Services};
use candor_core::execution::{self, Closed, End, NotStored, RunFailure, Running};
use candor_core::inbound::{Asking, CommandPath, EventId};
use candor_core::language::{Language, say};
use candor_core::record::{Counted as _, Counters, Denial, Outcome, ReceiptId};
use candor_core::registry::Registry;
use candor_core::reply::{Answer, Provenance};
use candor_core::router::Invocation;

/// How often a handler runs if somebody else changes the same records each time. Nothing of an earlier run is stored.
pub(super) const TRIES: u32 = 3;

/// Runs permitted commands.
pub struct Executor {
    /// The commands in force.
    pub registry: Arc<Registry>,
    /// The services that handlers may be granted.
    pub services: Services,
    /// Where events are claimed and receipts stored.
    pub ledger: Arc<dyn Ledger>,
    /// Where cooldowns are stored.
    pub cooldowns: Arc<dyn CooldownStore>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The longest that a handler may run.
    pub deadline: Duration,
    /// Counts denials.
    pub counters: Arc<Counters>,
    /// The runs that are under way.
    pub flights: Flights,
    /// Seals the tokens of deferred answers.
    pub sealer: Sealer,
}

impl Executor {
    /// Claims a message that is about to become a chat turn. False if it was claimed before.
    pub async fn claim(&self, event: EventId) -> Result<bool, ServiceError> {
        self.ledger.claim(event, self.clock.now()).await
    }

    /// Runs a command once. `None` if its event was claimed before, or its run is under way: that run answers.
    ///
    /// Its changes and its receipt are stored before this returns. If it changes nothing, `keeping` may let its receipt
    /// be stored while the answer is being sent.
    pub async fn run(&self, permit: Permit, keeping: &Keeping) -> Option<Answer> {
        let invocation = permit.invocation().without_arguments();
        let path = &invocation.path;
        let Some(entered) = self.flights.enter(invocation.event, &self.ledger) else {
            info!(event.id = invocation.event.0, command.name = %path, "it is under way; not run again");
            return None;
        };
        let started = self.clock.now();
        match cooldowns::waiting(&*self.cooldowns, invocation.event, permit.cooldowns(), started).await {
            Ok(None) => {}
            Ok(Some(wait)) => return self.refused(NotBegun::Wait(wait), &invocation, started),
            Err(problem) => {
                return Some(not_begun(&invocation, &problem, |language, command| {
                    say!(language, "cooldown-unknown", command = command)
                }));
            }
        }
        let cooldowns = permit.cooldowns().to_vec();
        let id = match self.ledger.number().await {
            Ok(number) => ReceiptId::from_number(number),
            Err(problem) => return Some(not_begun(&invocation, &problem, by_store)),
        };
        let owner = permit.owner().clone();
        let (mut services, call) = self.call_in_run(&invocation, &owner, started, &entered);
        let (mut running, mut ticket) = execution::open(permit, id, call);
        entered.flight.intends(Intent {
            begun: ticket.begun().clone(),
            cooldowns: cooldowns.clone(),
            is_outside: false,
            reply_to: None,
        });
        // Several processes may have got the event: one of them runs it.
        if self.ledger.is_shared()
            && let Err(problem) = entered.flight.begin().await
        {
            return match entered.flight.end().await {
                Err(refused) => self.refused(refused, &invocation, started),
                Ok(_) => Some(not_begun(&invocation, &problem, by_store)),
            };
        }
        CrashPoint::Began.reached();
        for tried in 1.. {
            let watch = Instant::now();
            let end = self.ended(running).await;
            let took = watch.elapsed();
            let closed = ticket.close(end, took);
            log_failure(id, path, closed.failure());
            // What a run that failed has staged is dropped: a failed command changes nothing.
            let changes = services.changes(closed.receipt().facts().outcome == Outcome::Done).await;
            CrashPoint::Staged.reached();
            let ended = match entered.flight.end().await {
                Ok(ended) => ended,
                Err(refused) => return self.refused(refused, &invocation, started),
            };
            let commit = Commit {
                event: invocation.event,
                at: started,
                cooldowns: cooldowns.clone(),
                changes,
                receipt: closed.receipt().clone(),
                intent: ended.intended(|| closed.text()),
            };
            let can_store_later = commit.changes.is_empty() && cooldowns.is_empty() && !ended.is_begun;
            if can_store_later
                && keeping.store_later()
                && let Some(guard) = self.flights.store_later()
            {
                entered.remember();
                let flights = self.flights.clone();
                keeping.storing(tokio::spawn(store(self.ledger.clone(), flights, commit, (entered, guard))));
                return Some(self.answered(closed, true, &invocation));
            }
            let had_no_effect = commit.changes.is_empty() && !ended.is_outside;
            match committed(&*self.ledger, commit).await {
                Ok(Committed::Committed) => {
                    CrashPoint::Committed.reached();
                    entered.flight.leave_open(|| closed.text()).await;
                    return Some(self.answered(closed, true, &invocation));
                }
                Ok(Committed::ClaimedBefore) => return self.refused(NotBegun::ClaimedBefore, &invocation, started),
                Ok(Committed::Wait(wait)) => return self.refused(NotBegun::Wait(wait), &invocation, started),
                Ok(Committed::Conflict) | Err(ServiceError::Full(_)) if tried < TRIES && !ended.is_outside => {
                    info!(receipt.id = %id, command.name = %path, tried, "a record was changed meanwhile; it runs again");
                    entered.flight.begins_again().await;
                    let call;
                    (services, call) = self.call_in_run(&invocation, &owner, started, &entered);
                    (running, ticket) = closed.again(call);
                }
                Ok(Committed::Conflict) | Err(ServiceError::Full(_)) => {
                    warn!(receipt.id = %id, command.name = %path, tried, "a record was changed meanwhile; nothing is stored");
                    let why = if ended.is_outside { NotStored::Unsure } else { NotStored::Conflict };
                    let closed = closed.not_stored(why);
                    let commit = Commit {
                        event: invocation.event,
                        at: started,
                        cooldowns,
                        changes: Vec::new(),
                        receipt: closed.receipt().clone(),
                        intent: ended.intended(|| closed.text()),
                    };
                    let kept = committed(&*self.ledger, commit).await;
                    entered.flight.leave_open(|| closed.text()).await;
                    return Some(self.answered(closed, is_kept(id, &kept), &invocation));
                }
                Err(problem) => {
                    // The person must be told, even if nothing can be stored.
                    error!(receipt.id = %id, error = %problem, "the run could not be stored");
                    let closed = if had_no_effect { closed } else { closed.not_stored(NotStored::Unsure) };
                    return Some(self.answered(closed, false, &invocation));
                }
            }
        }
        None
    }

    /// Stores an answer that could not be shown, for `/receipt`. Returns whether it is stored.
    pub async fn keep(&self, answer: &Answer) -> bool {
        let Provenance::Command(receipt) = &answer.provenance else { return false };
        if !receipt.is_kept() {
            return false;
        }
        let kept = self.ledger.keep_answer(receipt.id(), &answer.reply.plain(), self.clock.now()).await;
        if let Err(problem) = &kept {
            error!(receipt.id = %receipt.id(), error = %problem, "an answer that could not be shown could not be kept");
        }
        kept.is_ok()
    }

    /// Records that the answer to this event is deferred, and the token by which its person learns how the run ended if
    /// this process ends first. Returns whether to call [`Executor::shown`] once they saw the answer. Waits for a
    /// commit that is under way, so the run must be polled meanwhile.
    pub async fn deferred(&self, event: EventId, token: &str) -> bool {
        let Some(flight) = self.flights.get(event) else { return false };
        let Some(sealed) = self.sealer.seal(event.0, token) else { return false };
        let written = flight.defer(sealed).await;
        if let Err(problem) = &written {
            // The run goes on: if the process ends before it does, its person is not told.
            warn!(event.id = event.0, error = %problem, "a deferred answer could not be written down");
        }
        written.is_ok()
    }

    /// The person saw the answer to a deferred event, or finds it in `/receipt`.
    pub async fn shown(&self, event: EventId) {
        if let Err(problem) = self.ledger.shown(event).await {
            warn!(event.id = event.0, error = %problem, "an answer that was shown is still written down as open");
        }
    }

    /// The context that a handler or a completer gets for this caller.
    pub fn call(&self, asking: &Asking<'_>, owner: &Owner, now: SystemTime) -> Call {
        let Asking { caller, place, .. } = *asking;
        let wanted = self.registry.modules().get(owner).map_or(&[][..], |facts| &facts.services);
        Call { caller: caller.clone(), place, now, services: self.services.granted(&owner.to_string(), wanted, asking) }
    }

    /// The context of a handler's run, and what it changes.
    fn call_in_run(
        &self,
        invocation: &Invocation,
        owner: &Owner,
        now: SystemTime,
        entered: &RunGuard,
    ) -> (RunServices, Call) {
        let (flights, flight) = (self.flights.clone(), entered.flight.clone());
        let run = RunServices { flights, flight, staged: OnceLock::new() };
        let call = self.call(&invocation.asking(), owner, now);
        let services = call.services.in_run(&run);
        (run, Call { services, ..call })
    }

    /// Polls a handler to its end, or to its deadline.
    async fn ended(&self, running: Running) -> End {
        // A task of its own: a handler that blocks or panics cannot take this one with it. Dropping the handle ends it.
        let running = AbortOnDropHandle::new(tokio::spawn(running));
        match timeout(self.deadline, running).await {
            Ok(Ok(returned)) => End::Returned(returned),
            Ok(Err(broken)) => End::Panicked(why_broken(broken)),
            Err(_) => End::TimedOut(self.deadline),
        }
    }

    /// The answer to an event that may not run, if this process gives one.
    fn refused(&self, refused: NotBegun, invocation: &Invocation, now: SystemTime) -> Option<Answer> {
        match refused {
            NotBegun::ClaimedBefore => {
                info!(event.id = invocation.event.0, command.name = %invocation.path, "already claimed; not run again");
                None
            }
            NotBegun::Wait(wait) => {
                let (command, user, rule) = (&invocation.path, invocation.caller.id.0, Denial::Cooldown.name());
                info!(command.name = %command, user.id = user, rule, key = %wait.key, "denied");
                self.counters.denials.count(Denial::Cooldown);
                Some(cooldowns::refusal(invocation, &wait, now))
            }
        }
    }

    /// The answer to a run that has ended and is stored, or could not be, with the run's line in the log.
    fn answered(&self, closed: Closed, kept: bool, invocation: &Invocation) -> Answer {
        let facts = closed.receipt().facts();
        info!(
            receipt.id = %closed.receipt().id(),
            command.name = %invocation.path,
            command.looked_up = invocation.path.command(),
            registry.size = self.registry.size(),
            user.id = invocation.caller.id.0,
            place = invocation.place.key(),
            outcome = facts.outcome.name(),
            duration_ms = u64::try_from(facts.took.as_millis()).unwrap_or(u64::MAX),
            "command ran"
        );
        closed.answer(kept)
    }
}

impl RunServices {
    /// What the run changes in the store, if it is to be stored. The run has ended.
    async fn changes(&self, is_done: bool) -> Vec<RecordChange> {
        let Some(staged) = self.staged.get() else { return Vec::new() };
        let changes = staged.end().await;
        if is_done { changes } else { Vec::new() }
    }
}

/// Stores the receipt of a run that changed nothing. Returns whether it is stored. Until then the run is under way.
async fn store(
    ledger: Arc<dyn Ledger>,
    flights: Flights,
    commit: Commit,
    _under_way: (RunGuard, OwnedRwLockReadGuard<()>),
) -> bool {
    flights.together().await;
    CrashPoint::StoringLate.reached();
    let id = commit.receipt.id();
    is_kept(id, &committed(&*ledger, commit).await)
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

/// What the person reads if the store failed before their command ran.
fn by_store(language: Language, command: String) -> String {
    say!(language, "command-store", command = command)
}

/// The answer to a run that did not begin, because the store failed.
fn not_begun(invocation: &Invocation, problem: &ServiceError, text: impl FnOnce(Language, String) -> String) -> Answer {
    let command = invocation.path.to_string();
    error!(command.name = command, error = %problem, "the store failed; not run");
    Answer::host(text(invocation.caller.language, command))
}

/// Logs the full details of a failed run, once.
fn log_failure(id: ReceiptId, command: &CommandPath, failure: Option<&RunFailure>) {
    match failure {
        None => {}
        Some(RunFailure::Failed(problem)) => {
            error!(receipt.id = %id, command.name = %command, error = problem, "handler failed");
        }
        Some(RunFailure::Panicked(text)) => {
            error!(receipt.id = %id, command.name = %command, panic = text, "handler panicked");
        }
        Some(RunFailure::TimedOut(deadline)) => {
            let seconds = deadline.as_secs();
            error!(receipt.id = %id, command.name = %command, deadline_s = seconds, "handler did not return in time");
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
