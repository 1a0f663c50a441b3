//! The buttons of an incomplete reply: *Stop* while it is written, and *Go on* if it was cut off.

use tracing::{info, warn};

use crate::chat::Chat;
use crate::chat::queue::{Said, Stop};
use candor_core::agent::ConversationKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, EventId, Place};
use candor_core::language::{Language, say};
use candor_core::record::{KeptTurn, ReplyButton, TurnId, TurnRecord};
use candor_core::reply::{Answer, Author, Provenance};
use candor_core::text::one_line;

/// The most characters shown of a person's name.
const NAME_MAX: usize = 40;

/// A reply cannot be continued after this many failed turns.
const FAILED_MAX: usize = 10;

impl Chat {
    /// Ends the turn of this event with the text so far. Allowed for its person and for operators.
    ///
    /// # Errors
    /// Returns a text for the person, if nothing is ended.
    pub fn stop(&self, event: EventId, caller: &Caller, place: Place) -> Result<(), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "press-blocked"));
        }
        let Some(running) = self.talker.queues.running(event) else {
            return Err(say!(language, "stop-over"));
        };
        if running.user != caller.id && !self.access.is_operator(caller, place) {
            return Err(say!(language, "stop-not-theirs"));
        }
        info!(user.id = %caller.id.0, "a turn was stopped");
        running.stop(Stop::Pressed(one_line(&caller.name, NAME_MAX)));
        Ok(())
    }

    /// Claims *Go on* once for a reply that was cut off, for the person of the turn. The claim is released if the model
    /// then adds nothing.
    ///
    /// # Errors
    /// Returns a text for the person, if the claim fails.
    pub async fn go_on(&self, turn: TurnId, caller: &Caller) -> Result<(), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "press-blocked"));
        }
        let kept = self.cut_turn(turn, caller).await?;
        if !self.turns.claim_button(turn, ReplyButton::GoOn).await.map_err(|problem| unusable(problem, language))? {
            return Err(say!(language, "go-on-before"));
        }
        let is_last = self.is_last(&kept, language).await;
        if is_last.is_err() {
            self.release(turn, ReplyButton::GoOn).await;
        }
        is_last
    }

    /// Checks whether the model can still continue that reply. Check again when the continuing turn begins, because
    /// another turn may have ended meanwhile.
    ///
    /// # Errors
    /// Returns a text for the person, if it cannot, or if that is unknown.
    pub(in crate::chat) async fn can_go_on(&self, turn: TurnId, caller: &Caller) -> Result<(), String> {
        let kept = self.cut_turn(turn, caller).await?;
        self.is_last(&kept, caller.language).await
    }

    async fn cut_turn(&self, turn: TurnId, caller: &Caller) -> Result<KeptTurn, String> {
        let kept = self.turns.turn(turn).await.map_err(|problem| unusable(problem, caller.language))?;
        kept.filter(|kept| kept.user == caller.id && kept.record.cut.is_some())
            .ok_or_else(|| say!(caller.language, "go-on-nothing"))
    }

    /// Checks that nothing was said or done in the conversation since: the model continues its last words.
    async fn is_last(&self, kept: &KeptTurn, language: Language) -> Result<(), String> {
        let unusable = |problem| unusable(problem, language);
        // A forgotten conversation cannot be continued.
        let key = ConversationKey::of_turn(kept);
        if self.conversations.n_exchanges(&key).await.map_err(unusable)? == 0 {
            return Err(say!(language, "go-on-nothing"));
        }
        // A turn that failed, or that was stopped before the first word, does not count.
        let is_nothing = |record: &TurnRecord| {
            (record.failure.is_some() || record.said.is_empty())
                && record.calls.iter().all(|call| call.receipt.is_none())
        };
        let of = (!key.is_shared()).then_some(kept.user);
        let later = self.turns.turns_after(kept.id, of, kept.place, FAILED_MAX).await.map_err(unusable)?;
        match later.len() < FAILED_MAX && later.iter().all(|later| is_nothing(&later.record)) {
            true => Ok(()),
            false => Err(say!(language, "go-on-over")),
        }
    }

    /// Separates the words for the model from presses whose reply is no longer the last in the conversation. The second
    /// value holds the reasons for those.
    pub(in crate::chat) async fn still_said(&self, said: Vec<Said>) -> (Vec<Said>, Vec<String>) {
        let mut still = Vec::with_capacity(said.len());
        let mut unsaid = Vec::new();
        for said in said {
            let can_be_said = match said.goes_on {
                Some(turn) => self.can_go_on(turn, &said.by).await,
                None => Ok(()),
            };
            match can_be_said {
                Ok(()) => still.push(said),
                Err(why) if unsaid.contains(&why) => {}
                Err(why) => unsaid.push(why),
            }
        }
        (still, unsaid)
    }

    /// Returns the messages that the continued replies had answered. Empty without summaries, which alone need them.
    pub(in crate::chat) async fn goes_on_from(&self, said: &[Said]) -> Vec<u64> {
        let mut messages = Vec::new();
        for turn in said.iter().filter_map(|said| said.goes_on).filter(|_| self.talker.summaries.is_some()) {
            match self.turns.turn(turn).await {
                Ok(kept) => messages.extend(kept.into_iter().flat_map(|kept| kept.record.answered())),
                Err(problem) => warn!(error = %problem, "could not read the question of the reply to go on with"),
            }
        }
        messages.sort_unstable();
        messages.dedup();
        messages
    }

    /// Ends a turn that was to continue these replies. If the model added nothing, the buttons stay usable.
    pub(in crate::chat) async fn gone_on(&self, turns: &[TurnId], answer: Option<&Answer>) {
        let said_more = answer.is_some_and(|answer| match &answer.provenance {
            Provenance::Turn(facts) => facts.author == Author::Model,
            Provenance::Command(_) | Provenance::Host => false,
        });
        if !said_more {
            for turn in turns {
                self.release(*turn, ReplyButton::GoOn).await;
            }
        }
    }
}

fn unusable(problem: ServiceError, language: Language) -> String {
    warn!(error = %problem, "cannot read or claim a turn");
    say!(language, "run-store")
}
