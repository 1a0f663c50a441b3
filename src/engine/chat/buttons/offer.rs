//! The buttons under a reply: each runs a command that the model only wrote.

use tracing::warn;

use crate::chat::Chat;
use candor_core::contract::Press;
use candor_core::inbound::{Caller, CommandPath, CommandType};
use candor_core::language::say;
use candor_core::record::{GuardFinding, Outcome, ReplyButton, TurnId};
use candor_core::reply::{Answer, PreparedCall, Provenance};

/// An offered command whose button was pressed, until its run ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Taken {
    turn: TurnId,
    /// The used button of a command that changes something. It is released only if the run certainly did nothing.
    used: Option<ReplyButton>,
}

impl Taken {
    /// Whether the command changes something: then it can be claimed once.
    pub fn is_change(&self) -> bool {
        self.used.is_some()
    }
}

impl Chat {
    /// Claims the command offered at this place under the reply of that turn, for the person of the turn. It then runs
    /// like every command. A complete command that changes something can be claimed once.
    ///
    /// # Errors
    /// Returns a text for the person, if there is nothing to run.
    pub async fn offered(&self, turn: TurnId, place: usize, caller: &Caller) -> Result<(PreparedCall, Taken), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "run-blocked"));
        }
        let unusable = |problem| {
            warn!(error = %problem, "cannot read or claim a turn");
            say!(language, "run-store")
        };
        let kept = self.turns.turn(turn).await.map_err(unusable)?;
        let Some(kept) = kept.filter(|kept| kept.user == caller.id) else {
            return Err(say!(language, "run-not-theirs"));
        };
        let Some(mut offer) = kept.record.offers.into_iter().nth(place) else {
            return Err(say!(language, "run-nothing"));
        };
        let private = self.talker.private_offers.of(turn, place, self.executor.clock.now());
        offer.arguments.extend(private.unwrap_or_default().0);
        let names: Vec<_> = offer.command.trim_start_matches('/').split(' ').collect();
        let path = CommandPath::at(CommandType::Slash, &names);
        let registry = self.executor.registry.now();
        let leaf = registry.find(&path).map(|(_, leaf)| leaf);
        let is_whole = leaf.is_some_and(|leaf| leaf.press(&offer.arguments) == Press::Runs);
        let used = (offer.writes && is_whole).then_some(ReplyButton::Offer(place));
        if let Some(button) = used
            && !self.turns.claim_button(turn, button).await.map_err(unusable)?
        {
            return Err(say!(language, "run-before"));
        }
        Ok((
            PreparedCall { path, arguments: offer.arguments, in_place: false, once: offer.writes, for_everyone: false },
            Taken { turn, used },
        ))
    }

    /// Ends the run of a claimed command. If it certainly did nothing, it can be claimed again.
    pub async fn offered_ended(&self, taken: Taken, answer: Option<&Answer>) {
        let outcome = answer.and_then(|answer| match &answer.provenance {
            Provenance::Command(receipt) => Some(receipt.facts().outcome),
            Provenance::Turn(_) | Provenance::Host => None,
        });
        if matches!(outcome, Some(Outcome::Done | Outcome::Answered)) {
            self.executor.counters.findings.count(GuardFinding::Recovered);
        }
        if let Some(button) = taken.used
            && matches!(outcome, None | Some(Outcome::Refused | Outcome::Asked))
        {
            self.release(taken.turn, button).await;
        }
    }

    /// Makes a button usable again after a press without effect.
    pub(in crate::chat) async fn release(&self, turn: TurnId, button: ReplyButton) {
        if let Err(problem) = self.turns.release_button(turn, button).await {
            warn!(error = %problem, button = button.key(), "a button that did nothing cannot be used again");
        }
    }
}
