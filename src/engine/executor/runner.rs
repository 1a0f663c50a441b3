//! The executor: the parts that commands run with, and its operations apart from running.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tracing::{error, info, warn};

use crate::Sealer;
use crate::clock::Clock;
use crate::executor::calls::ModuleCalls;
use crate::executor::cooldowns::{self, CooldownStore};
use crate::executor::flights::{Flights, NotBegun};
use crate::executor::late::LateReceipts;
use crate::executor::ledger::Ledger;
use crate::rules::InForce;
use candor_core::contract::{Call, Owner, ServiceError};
use candor_core::guild::Rules;
use candor_core::inbound::{Asking, EventId};
use candor_core::language::{Language, say};
use candor_core::record::{Counters, Denial};
use candor_core::reply::{Answer, Audience, Provenance};
use candor_core::router::Invocation;

pub struct Executor {
    pub registry: Arc<InForce>,
    pub calls: Arc<ModuleCalls>,
    /// The bot's internals, for the built-in commands.
    pub internals: Option<Arc<dyn Any + Send + Sync>>,
    /// Where events are claimed and receipts stored.
    pub ledger: Arc<dyn Ledger>,
    pub cooldowns: Arc<dyn CooldownStore>,
    pub clock: Arc<dyn Clock>,
    pub deadline: Duration,
    pub counters: Arc<Counters>,
    pub flights: Flights,
    pub late: LateReceipts,
    /// Seals the tokens of deferred answers.
    pub sealer: Sealer,
}

/// Whether a deferred answer survives the end of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deferral {
    /// It does. [`Executor::shown`] is to be called once its person saw the answer.
    Recorded,
    Unrecorded,
    /// Nothing is to be deferred: the run may not begin, so its answer comes at once, or another run gives it.
    NotNeeded,
}

impl Executor {
    /// Creates an executor without internals for built-in commands, and with its own counters.
    pub fn new<L: Ledger + CooldownStore + 'static>(
        calls: Arc<ModuleCalls>,
        ledger: Arc<L>,
        clock: Arc<dyn Clock>,
        sealer: Sealer,
    ) -> Self {
        Self {
            registry: calls.registry.clone(),
            deadline: calls.deadline,
            calls,
            internals: None,
            cooldowns: ledger.clone(),
            ledger,
            clock,
            counters: Arc::default(),
            flights: Flights::default(),
            late: LateReceipts::default(),
            sealer,
        }
    }

    /// Whether an answer is only for its asker, even if others can read the chat turn that called the command. An
    /// ephemeral refusal or failure is shown to all readers of a turn, because they read the model's words about it.
    /// The exception is a command whose answers are always ephemeral.
    pub fn is_for_one(&self, answer: &Answer) -> bool {
        let Provenance::Command(receipt) = &answer.provenance else { return answer.audience == Audience::Asker };
        let facts = receipt.facts();
        let name = facts.command.trim_start_matches('/').split(' ').next().unwrap_or_default();
        let is_open = self.registry.now().command(name).is_some_and(|command| !command.ephemeral);
        answer.audience == Audience::Asker && (!is_open || facts.outcome.is_reply())
    }

    /// Claims a message that is about to become a chat turn. Returns false if it was claimed before.
    pub async fn claim(&self, event: EventId) -> Result<bool, ServiceError> {
        self.ledger.claim(event, self.clock.now()).await
    }

    /// Releases a claim after which nothing happened.
    pub async fn release(&self, event: EventId) {
        if let Err(problem) = self.ledger.release(event).await {
            warn!(event.id = %event.0, error = %problem, "a claim behind which nothing happened stays");
        }
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

    /// Stores that the answer to this event is deferred, with the token to notify its person if this process ends
    /// first. If the run has not begun, it does so when it begins. Waits for a commit under way, so the run must be
    /// polled meanwhile.
    pub async fn deferred(&self, event: EventId, token: &str) -> Deferral {
        let Some(sealed) = self.sealer.seal(event.0, token) else { return Deferral::Unrecorded };
        let Some(flight) = self.flights.get_or_defer(event, &sealed) else { return Deferral::Recorded };
        match flight.defer(sealed).await {
            Ok(()) => Deferral::Recorded,
            Err(_) if flight.is_refused().await => Deferral::NotNeeded,
            Err(problem) => {
                // The run goes on: if the process ends before it does, its person is not notified.
                warn!(event.id = %event.0, error = %problem, "a deferred answer could not be recorded");
                Deferral::Unrecorded
            }
        }
    }

    /// Forgets the deferral of an event whose run never began.
    pub fn forget_deferred(&self, event: EventId) {
        self.flights.forget_deferred(event);
    }

    /// Records that the person saw the answer to a deferred event, or finds it in `/receipt`.
    pub async fn shown(&self, event: EventId) {
        if let Err(problem) = self.ledger.shown(event).await {
            warn!(event.id = %event.0, error = %problem, "an answer that was shown is still recorded as open");
        }
    }

    pub fn call(&self, asking: &Asking<'_>, owner: &Owner, rules: &Rules, now: SystemTime) -> Call {
        let call = self.calls.call(asking, owner, rules, now);
        match &self.internals {
            Some(internals) if *owner == Owner::Builtin => {
                let services = call.services.with_effects();
                Call { services: services.with_internals(internals.clone()), ..call }
            }
            _ => call,
        }
    }

    /// Returns the answer to an event that may not run, if this process gives one.
    pub(super) fn refused(&self, refused: NotBegun, invocation: &Invocation, now: SystemTime) -> Option<Answer> {
        match refused {
            NotBegun::ClaimedBefore => {
                info!(event.id = %invocation.event.0, command.name = %invocation.path, "already claimed; not run again");
                None
            }
            NotBegun::Wait(wait) => {
                let command = &invocation.path;
                let user = invocation.caller.id.0;
                let rule = Denial::Cooldown.name();
                info!(command.name = %command, user.id = %user, rule, key = %wait.key, "denied");
                self.counters.denials.count(Denial::Cooldown);
                Some(cooldowns::refusal(invocation, &wait, now))
            }
        }
    }
}

/// Returns the text for a command that did not run because the store failed.
pub(super) fn by_store(language: Language, command: String) -> String {
    say!(language, "command-store", command = command)
}

/// Returns the answer to a run that did not begin because the store failed.
pub(super) fn not_begun(
    invocation: &Invocation,
    problem: &ServiceError,
    text: impl FnOnce(Language, String) -> String,
) -> Answer {
    let command = invocation.path.to_string();
    error!(command.name = command, error = %problem, "the store failed; not run");
    Answer::host(text(invocation.caller.language, command))
}
