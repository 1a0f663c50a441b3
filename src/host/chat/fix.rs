//! Saves for real what a model only pretended to have saved: by the executor, with a receipt, once.

use serde_json::{Map, Value};
use tracing::{error, info, warn};

use crate::host::chat::Chat;
use crate::host::chat::answer::{Asker, memory_command};
use candor_core::access::{Consent, authorize_for_model};
use candor_core::agent::{Finished, RecoverMemory};
use candor_core::inbound::{Asked, Caller, EventId, Place};
use candor_core::language::say;
use candor_core::record::{ARGUMENTS_LENGTH_MAX, CallRecord, GuardFinding, Origin, Outcome, Receipt, TurnId};
use candor_core::reply::{Answer, Provenance};
use candor_core::router::Invocation;

/// The call number of the recovery in its turn: higher than that of any call of the model.
const RECOVERY: u32 = u32::MAX;

impl Chat {
    /// `[guard] recover_memory = "auto"`: saves at once. What was saved is no longer offered.
    pub(super) async fn recover(&self, finished: &mut Finished, asker: &Asker<'_>) -> Option<Receipt> {
        if self.settings.guard.recover_memory != RecoverMemory::Auto {
            return None;
        }
        let arguments = finished.recoverable.take()?;
        finished.record.recoverable = None;
        let recorded = Value::Object(arguments.clone()).to_string();
        let answer = self.save(asker.event, asker.caller, asker.place, arguments).await?;
        let Provenance::Command(receipt) = answer.provenance else {
            finished.notes.push(say!(asker.caller.language, "note-pretended", why = answer.reply.plain()));
            return None;
        };
        let facts = receipt.facts();
        finished.record.calls.push(CallRecord {
            tool: "recovered".to_owned(),
            command: Some(facts.command.clone()),
            arguments: recorded.chars().take(ARGUMENTS_LENGTH_MAX).collect(),
            outcome: facts.outcome.name().to_owned(),
            receipt: Some(receipt.id().to_string()),
            took_ms: u64::try_from(facts.took.as_millis()).ok(),
        });
        finished.notes.push(match facts.outcome {
            Outcome::Done => say!(asker.caller.language, "note-recovered", id = receipt.id().to_string()),
            Outcome::TimedOut | Outcome::Failed => {
                say!(asker.caller.language, "note-perhaps-recovered", id = receipt.id().to_string())
            }
            Outcome::Refused => say!(asker.caller.language, "note-pretended", why = answer.reply.plain()),
        });
        Some(*receipt)
    }

    /// The Fix button: saves for real what the model of that turn only pretended to save. Only for the person whose
    /// turn it was, or an operator; it happens once.
    pub async fn fix(&self, turn: TurnId, event: EventId, caller: &Caller, place: Place) -> Answer {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Answer::host(say!(language, "fix-blocked"));
        }
        let unreadable = |problem| {
            warn!(error = %problem, "cannot read or claim a turn");
            Answer::host(say!(language, "fix-store"))
        };
        let kept = match self.turns.turn(turn).await {
            Ok(kept) => kept,
            Err(problem) => return unreadable(problem),
        };
        let owned = |user| user == caller.id || self.access.is_operator(caller, place);
        let Some(kept) = kept.filter(|kept| owned(kept.user)) else {
            return Answer::host(say!(language, "fix-not-theirs"));
        };
        let Some(arguments) = kept.record.recoverable else {
            return Answer::host(say!(language, "fix-nothing"));
        };
        match self.turns.claim_recovery(turn).await {
            Ok(true) => {}
            Ok(false) => {
                return Answer::host(say!(language, "fix-saved-before"));
            }
            Err(problem) => return unreadable(problem),
        }
        info!(user.id = caller.id.0, "saves a memory that a model only pretended to save");
        // The memory belongs to the person whose turn it was, whoever pressed the button.
        let owner = match kept.user == caller.id {
            true => caller.clone(),
            // An operator's own roles and permissions are not lent to somebody else.
            false => Caller { language: caller.language, ..Caller::new(kept.user, "") },
        };
        let Some(answer) = self.save(event, &owner, kept.place, arguments).await else {
            return Answer::host(say!(language, "fix-under-way"));
        };
        if is_certainly_not_saved(&answer)
            && let Err(problem) = self.turns.release_recovery(turn).await
        {
            warn!(error = %problem, "a memory that was not saved cannot be offered again");
        }
        answer
    }

    /// Stores which Discord messages show a turn's reply, so that the turn is found by any of them.
    pub async fn shown(&self, turn: TurnId, messages: &[u64]) {
        if let Err(problem) = self.turns.shown(turn, messages).await {
            error!(error = %problem, "the messages of a turn could not be kept; they cannot be looked up or changed");
        }
    }

    async fn save(
        &self,
        event: EventId,
        caller: &Caller,
        place: Place,
        arguments: Map<String, Value>,
    ) -> Option<Answer> {
        let path = memory_command();
        // The operator's setting or the button press is the consent.
        let consent = Consent::given(caller.id, path.clone(), arguments.clone());
        let invocation = Invocation {
            event: EventId::of_call(event, RECOVERY),
            caller: caller.clone(),
            place,
            asked: Asked::Typed,
            path: path.clone(),
            arguments,
        };
        match authorize_for_model(invocation, &self.registry, &self.access, Some(consent), Origin::Recovered) {
            Ok(permit) => {
                let answer = self.executor.run(permit).await;
                if answer.as_ref().is_some_and(is_saved) {
                    self.counters.findings.count(GuardFinding::RecoveredMemory);
                }
                answer
            }
            Err(denied) => {
                self.counters.denials.count(denied.rule());
                Some(Answer::host(denied.text(&path, caller.language)))
            }
        }
    }
}

fn is_saved(answer: &Answer) -> bool {
    outcome(answer) == Some(Outcome::Done)
}

/// Whether it is certain that nothing was saved: it did not run, or the command itself refused. After a failure it
/// is not known.
fn is_certainly_not_saved(answer: &Answer) -> bool {
    matches!(outcome(answer), None | Some(Outcome::Refused))
}

fn outcome(answer: &Answer) -> Option<Outcome> {
    match &answer.provenance {
        Provenance::Command(receipt) => Some(receipt.facts().outcome),
        Provenance::Turn(_) | Provenance::Host => None,
    }
}
