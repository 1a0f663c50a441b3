//! Runs commands: permit, claim, handler under a deadline, receipt.
//!
//! The only maker of receipts. Whatever happens to a handler (an answer, a refusal, an error, a panic, no
//! answer in time), the person is told exactly that, and the ledger says the same.

mod cooldowns;
#[path = "receipt.rs"]
pub mod receipt;
mod recorded;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::task::JoinError;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::{error, info, warn};

use crate::agent::Background;
use crate::causes::with_causes;
use crate::contract::{Call, CommandError, Owner, ServiceError, Services};
use crate::counters::{Counters, Denial};
use crate::guard::{Access, Asking, Permit, Spent};
use crate::inbound::{Asked, Caller, EventId, Place};
use crate::language::{Language, say};
use crate::receipt::{ARGUMENTS_LENGTH_MAX, Facts, Outcome, Receipt, ReceiptId};
use crate::registry::Registry;
use crate::reply::{Answer, Audience, Provenance, Reply};

pub use cooldowns::{Cooldowns, Taking};

/// A chat turn waits no longer for what modules have to say about its person.
const BACKGROUND_DEADLINE: Duration = Duration::from_secs(2);

/// Entries of one module in the chat model's prompt.
const BACKGROUND_ENTRIES_MAX: usize = 50;

/// What the executor keeps.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Claims an event, so that it runs once however often it is delivered. Gives the number of the
    /// receipt to come, or nothing if the event was claimed before.
    async fn claim(&self, event: EventId, at: SystemTime) -> Result<Option<u64>, ServiceError>;
    /// Appends a receipt to the chain.
    async fn append(&self, receipt: &Receipt) -> Result<(), ServiceError>;
    /// Keeps what a command answered for a while, because it could not be shown when it came.
    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError>;
}

/// Tells the time. A trait, so that tests can.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> SystemTime;
}

/// Runs permitted commands.
pub struct Executor {
    registry: Arc<Registry>,
    access: Access,
    services: Services,
    ledger: Arc<dyn Ledger>,
    clock: Arc<dyn Clock>,
    deadline: Duration,
    cooldowns: Arc<dyn Cooldowns>,
    counters: Arc<Counters>,
}

impl Executor {
    /// An executor over the commands in force. No handler may run longer than `deadline`.
    pub fn new(
        registry: Arc<Registry>,
        access: Access,
        services: Services,
        ledger: Arc<dyn Ledger>,
        clock: Arc<dyn Clock>,
        deadline: Duration,
    ) -> Self {
        let (cooldowns, counters) = (Arc::new(cooldowns::Nowhere), Arc::default());
        Self { registry, access, services, ledger, clock, deadline, cooldowns, counters }
    }

    /// Keeps cooldowns here. Without, a command that has one does not run.
    #[must_use]
    pub fn with_cooldowns(self, cooldowns: Arc<dyn Cooldowns>) -> Self {
        Self { cooldowns, ..self }
    }

    /// Counts here, and not for itself.
    #[must_use]
    pub fn with_counters(self, counters: Arc<Counters>) -> Self {
        Self { counters, ..self }
    }

    /// Claims a message that is about to be a chat turn. False if it was claimed before.
    pub async fn claim(&self, event: EventId) -> Result<bool, ServiceError> {
        Ok(self.ledger.claim(event, self.clock.now()).await?.is_some())
    }

    /// What modules have to say about this caller to the chat model: data, by module.
    ///
    /// Each module is asked in a task of its own, all at once. One that fails, or takes too long, says nothing.
    pub async fn background(&self, caller: &Caller, place: Place) -> Vec<Background> {
        let (now, until) = (self.clock.now(), Instant::now() + self.deadline.min(BACKGROUND_DEADLINE));
        let asking = Asking { caller, place, asked: Asked::Typed };
        let asked = self.registry.modules().iter().filter_map(|(owner, facts)| {
            let told = facts.background.as_ref()?.tell(self.call(&asking, owner, now));
            Some((owner, facts, AbortOnDropHandle::new(tokio::spawn(told))))
        });
        // Every task is started before the first is waited for.
        let asked: Vec<_> = asked.collect();
        let mut background = Vec::new();
        for (owner, facts, told) in asked {
            match entries(timeout_at(until, told).await) {
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => background.push(Background { title: facts.summary.clone(), entries }),
                Err(why) => warn!(module = %owner, error = why, "this module told the chat model nothing"),
            }
        }
        background
    }

    /// Runs a command once. `None` if the event was claimed before: whoever claimed it answers.
    pub async fn run(&self, permit: Permit) -> Option<Answer> {
        let Spent { invocation, handler, owner, audience, origin, cooldowns } = permit.spend();
        let (command, language) = (invocation.path.to_string(), invocation.caller.language);
        let started = self.clock.now();
        if let Err(wait) = cooldowns::take(&*self.cooldowns, &invocation, &cooldowns, started).await {
            self.counters.denied(Denial::Cooldown);
            return Some(wait);
        }
        let number = match self.ledger.claim(invocation.event, started).await {
            Ok(Some(number)) => number,
            Ok(None) => {
                info!(event.id = invocation.event.0, command.name = %command, "already claimed; not run again");
                return None;
            }
            Err(problem) => {
                error!(command.name = %command, error = %problem, "cannot claim; not run");
                return Some(Answer::host(say!(language, "command-store", command = command.as_str())));
            }
        };
        let id = ReceiptId::from_number(number);
        let call = self.call(&Asking::of(&invocation), &owner, started);
        let arguments = recorded::arguments(&invocation.arguments);

        let watch = Instant::now();
        // A task of its own: a handler that blocks or panics cannot take this one with it. Dropped, it ends.
        let running = AbortOnDropHandle::new(tokio::spawn(handler.run(invocation.arguments, call)));
        let ended = match timeout(self.deadline, running).await {
            Ok(Ok(returned)) => Ended::Returned(Box::new(returned)),
            Ok(Err(broken)) => Ended::Panicked(
                broken.try_into_panic().map_or_else(|_| "cancelled".to_owned(), |panic| panic_text(&*panic)),
            ),
            Err(_) => Ended::TimedOut,
        };
        let took = watch.elapsed();

        let (outcome, reply) = self.tell(&command, id, ended, language);
        let facts = Facts {
            command: command.clone(),
            arguments: arguments.chars().take(ARGUMENTS_LENGTH_MAX).collect(),
            caller: invocation.caller.id,
            place: invocation.place,
            started,
            took,
            outcome,
            origin,
            source: reply.source.clone(),
        };
        let mut receipt = Receipt::mint(id, facts, &reply.plain());
        info!(
            receipt.id = %id,
            command.name = %command,
            user.id = invocation.caller.id.0,
            outcome = outcome.name(),
            duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "command ran"
        );
        if let Err(problem) = self.ledger.append(&receipt).await {
            // The command ran and the person must hear of it, also when it cannot be written down.
            error!(receipt.id = %id, error = %problem, "the receipt could not be kept");
            receipt.was_not_kept();
        }
        let audience = if outcome == Outcome::Done { audience } else { Audience::Asker };
        Some(Answer { reply, provenance: Provenance::Command(Box::new(receipt)), audience })
    }

    /// Keeps an answer that could not be shown, for `/receipt`. Says whether it is kept.
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

    /// What a handler or a completer is given for whoever asks.
    pub fn call(&self, asking: &Asking<'_>, owner: &Owner, now: SystemTime) -> Call {
        let Asking { caller, place, .. } = *asking;
        let wanted = self.registry.modules().get(owner).map_or(&[][..], |facts| &facts.services);
        Call {
            caller: caller.clone(),
            place,
            now,
            services: self.services.granted(&owner.to_string(), wanted, caller.id, place),
            catalog: self.access.catalog(&self.registry, asking),
        }
    }

    /// The outcome, and what the person is told of it. The whole truth goes to the log, once.
    fn tell(&self, command: &str, id: ReceiptId, ended: Ended, language: Language) -> (Outcome, Reply) {
        match ended {
            Ended::Returned(returned) => match *returned {
                Ok(reply) => (Outcome::Done, reply),
                Err(CommandError::Tell(text)) => (Outcome::Refused, Reply::text(text)),
                Err(CommandError::Internal(problem)) => {
                    error!(receipt.id = %id, command.name = command, error = with_causes(&*problem), "handler failed");
                    (Outcome::Failed, Reply::text(say!(language, "failed-inside", command = command)))
                }
            },
            Ended::Panicked(text) => {
                error!(receipt.id = %id, command.name = command, panic = text, "handler panicked");
                (Outcome::Failed, Reply::text(say!(language, "failed-crashed", command = command)))
            }
            Ended::TimedOut => {
                let seconds = self.deadline.as_secs();
                error!(receipt.id = %id, command.name = command, deadline_s = seconds, "handler did not return in time");
                (
                    Outcome::TimedOut,
                    Reply::text(say!(language, "failed-too-slow", command = command, seconds = seconds)),
                )
            }
        }
    }
}

/// What a module has to say about a person, or why it says nothing, for the log.
fn entries(
    ended: Result<Result<Result<Vec<String>, CommandError>, JoinError>, Elapsed>,
) -> Result<Vec<String>, String> {
    match ended {
        Ok(Ok(Ok(entries))) => Ok(entries.into_iter().take(BACKGROUND_ENTRIES_MAX).collect()),
        // The words of a refusal are a person's, who is not here to read them.
        Ok(Ok(Err(CommandError::Tell(_)))) => Err("it refused".to_owned()),
        Ok(Ok(Err(CommandError::Internal(problem)))) => Err(with_causes(&*problem)),
        Ok(Err(broken)) => {
            Err(broken.try_into_panic().map_or_else(|_| "cancelled".to_owned(), |panic| panic_text(&*panic)))
        }
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// How a handler ended.
enum Ended {
    Returned(Box<Result<Reply, CommandError>>),
    Panicked(String),
    TimedOut,
}

/// The text of a panic, where there is one.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}

#[cfg(test)]
mod tests;
