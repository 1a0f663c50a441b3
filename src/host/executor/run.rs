//! The executor: runs permitted commands, and asks modules for what they know about a person.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::task::JoinError;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info, warn};

use crate::host::clock::Clock;
use crate::host::executor::cooldowns::{self, CooldownStore};
use crate::host::executor::ledger::Ledger;
use candor_core::access::Permit;
use candor_core::agent::prompt::Background;
use candor_core::contract::{Call, CommandError, Owner, ServiceError, Services};
use candor_core::execution::{self, End, RunFailure};
use candor_core::inbound::{Asked, Asking, Caller, EventId, Place};
use candor_core::language::say;
use candor_core::record::{Counted as _, Counters, Denial, ReceiptId};
use candor_core::registry::Registry;
use candor_core::reply::{Answer, Provenance};
use candor_core::text::with_causes;

/// The longest that a chat turn waits for what modules know about its person.
const BACKGROUND_DEADLINE: Duration = Duration::from_secs(2);

/// The most entries of one module in the chat model's prompt.
const BACKGROUND_ENTRIES_MAX: usize = 50;

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
}

impl Executor {
    /// Claims a message that is about to become a chat turn. False if it was claimed before.
    pub async fn claim(&self, event: EventId) -> Result<bool, ServiceError> {
        self.ledger.claim(event, self.clock.now()).await
    }

    /// The entries that modules have about this caller, by module. They are data for the chat model.
    ///
    /// Each module is asked in a task of its own, all at once. One that fails or is too slow contributes nothing.
    pub async fn background(&self, caller: &Caller, place: Place) -> Vec<Background> {
        let (now, until) = (self.clock.now(), Instant::now() + self.deadline.min(BACKGROUND_DEADLINE));
        let asking = Asking { caller, place, asked: Asked::Typed };
        let asked = self.registry.modules().iter().filter_map(|(owner, facts)| {
            let telling = facts.code.background()?.tell(self.call(&asking, owner, now));
            Some((owner, facts, AbortOnDropHandle::new(tokio::spawn(telling))))
        });
        // Every task is started before the first is awaited.
        let asked: Vec<_> = asked.collect();
        let mut background = Vec::new();
        for (owner, facts, telling) in asked {
            match entries(timeout_at(until, telling).await) {
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => background.push(Background { title: facts.summary.clone(), entries }),
                Err(why) => warn!(module = %owner, error = why, "this module told the chat model nothing"),
            }
        }
        background
    }

    /// Runs a command once. `None` if the event was claimed before: the run that claimed it answers.
    pub async fn run(&self, permit: Permit) -> Option<Answer> {
        let invocation = permit.invocation();
        let (command, caller) = (invocation.path.to_string(), invocation.caller.clone());
        let (looked_up, place) = (invocation.path.command().to_owned(), invocation.place.key());
        let started = self.clock.now();
        if let Err(wait) = cooldowns::take(&*self.cooldowns, invocation, permit.cooldowns(), started).await {
            info!(command.name = %command, user.id = caller.id.0, rule = Denial::Cooldown.name(), "denied");
            self.counters.denials.count(Denial::Cooldown);
            return Some(wait);
        }
        let id = match self.claim_numbered(invocation.event, started).await {
            Ok(Some(id)) => id,
            Ok(None) => {
                info!(event.id = invocation.event.0, command.name = %command, "already claimed; not run again");
                return None;
            }
            Err(problem) => {
                error!(command.name = %command, error = %problem, "cannot claim; not run");
                return Some(Answer::host(say!(caller.language, "command-store", command = command)));
            }
        };
        let call = self.call(&invocation.asking(), permit.owner(), started);
        let (running, ticket) = execution::open(permit, id, call);

        let watch = Instant::now();
        // A task of its own: a handler that blocks or panics cannot take this one with it. Dropping the handle ends it.
        let running = AbortOnDropHandle::new(tokio::spawn(running));
        let end = match timeout(self.deadline, running).await {
            Ok(Ok(returned)) => End::Returned(returned),
            Ok(Err(broken)) => End::Panicked(why_broken(broken)),
            Err(_) => End::TimedOut(self.deadline),
        };
        let took = watch.elapsed();

        let closed = ticket.close(end, took);
        log_failure(id, &command, closed.failure());
        info!(
            receipt.id = %id,
            command.name = %command,
            command.looked_up = looked_up,
            registry.size = self.registry.size(),
            user.id = caller.id.0,
            place,
            outcome = closed.receipt().facts().outcome.name(),
            duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "command ran"
        );
        let kept = self.ledger.append(closed.receipt()).await;
        if let Err(problem) = &kept {
            // The command ran and the person must be told, even if the receipt cannot be stored.
            error!(receipt.id = %id, error = %problem, "the receipt could not be kept");
        }
        Some(closed.answer(kept.is_ok()))
    }

    /// Claims an event that is about to become a run, and gives its receipt an id. `None` if it was claimed before.
    async fn claim_numbered(&self, event: EventId, at: SystemTime) -> Result<Option<ReceiptId>, ServiceError> {
        // The number first: an event that is claimed has to run.
        let id = ReceiptId::from_number(self.ledger.number().await?);
        Ok(self.ledger.claim(event, at).await?.then_some(id))
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

    /// The context that a handler or a completer gets for this caller.
    pub fn call(&self, asking: &Asking<'_>, owner: &Owner, now: SystemTime) -> Call {
        let Asking { caller, place, .. } = *asking;
        let wanted = self.registry.modules().get(owner).map_or(&[][..], |facts| &facts.services);
        Call { caller: caller.clone(), place, now, services: self.services.granted(&owner.to_string(), wanted, asking) }
    }
}

/// Logs the full details of a failed run, once.
fn log_failure(id: ReceiptId, command: &str, failure: Option<&RunFailure>) {
    match failure {
        None => {}
        Some(RunFailure::Failed(problem)) => {
            error!(receipt.id = %id, command.name = command, error = problem, "handler failed");
        }
        Some(RunFailure::Panicked(text)) => {
            error!(receipt.id = %id, command.name = command, panic = text, "handler panicked");
        }
        Some(RunFailure::TimedOut(deadline)) => {
            let seconds = deadline.as_secs();
            error!(receipt.id = %id, command.name = command, deadline_s = seconds, "handler did not return in time");
        }
    }
}

/// What a module knows about a person, or why it contributes nothing, for the log.
fn entries(
    ended: Result<Result<Result<Vec<String>, CommandError>, JoinError>, Elapsed>,
) -> Result<Vec<String>, String> {
    match ended {
        Ok(Ok(Ok(entries))) => Ok(entries.into_iter().take(BACKGROUND_ENTRIES_MAX).collect()),
        // The text of a refusal is for a person, who does not read it here.
        Ok(Ok(Err(CommandError::Tell(_)))) => Err("it refused".to_owned()),
        Ok(Ok(Err(CommandError::Internal(problem)))) => Err(with_causes(&*problem)),
        Ok(Err(broken)) => Err(why_broken(broken)),
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// Why a task did not end normally.
fn why_broken(broken: JoinError) -> String {
    broken.try_into_panic().map_or_else(|_| "cancelled".to_owned(), |panic| panic_text(&*panic))
}

/// The text of a panic, where there is one.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}
