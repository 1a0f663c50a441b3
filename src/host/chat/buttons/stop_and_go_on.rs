//! The buttons of a reply that is not whole: *Stop* while it is written, and *Go on* once it ends in the middle.

use tracing::{info, warn};

use crate::host::chat::Chat;
use crate::host::chat::queue::{Said, Stop};
use candor_core::agent::ConversationKey;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, EventId, Place};
use candor_core::language::{Language, say};
use candor_core::record::{KeptTurn, ReplyButton, TurnId, TurnRecord};
use candor_core::reply::{Answer, Author, Provenance};
use candor_core::text::one_line;

/// The longest name of a person that is repeated, in characters.
const NAME_MAX: usize = 40;

/// Fewer failed turns than this may stand between a reply and going on with it.
const FAILED_MAX: usize = 10;

impl Chat {
    /// Ends the turn that this event began, with what it has. For its person, and for operators.
    ///
    /// # Errors
    /// In words for the person, if nothing is ended.
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

    /// Claims *Go on* for a reply that was cut off: once, for the person whose turn it was. The claim is released if
    /// the model then adds nothing.
    ///
    /// # Errors
    /// In words for the person, if it is not given.
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

    /// Whether the model can still go on with that reply: to be asked once more when the turn that does so begins,
    /// because another one may have ended meanwhile.
    ///
    /// # Errors
    /// In words for the person, if it cannot, or if that is not known.
    pub(in crate::host::chat) async fn can_go_on(&self, turn: TurnId, caller: &Caller) -> Result<(), String> {
        let kept = self.cut_turn(turn, caller).await?;
        self.is_last(&kept, caller.language).await
    }

    /// The turn, if it is this person's and its reply was cut off.
    async fn cut_turn(&self, turn: TurnId, caller: &Caller) -> Result<KeptTurn, String> {
        let kept = self.turns.turn(turn).await.map_err(|problem| unusable(problem, caller.language))?;
        kept.filter(|kept| kept.user == caller.id && kept.record.cut.is_some())
            .ok_or_else(|| say!(caller.language, "go-on-nothing"))
    }

    /// Whether nothing was said or done in its conversation since: the model goes on with what it said last.
    async fn is_last(&self, kept: &KeptTurn, language: Language) -> Result<(), String> {
        let unusable = |problem| unusable(problem, language);
        // What was forgotten is nothing to go on with.
        let key = ConversationKey::of_turn(kept);
        if self.conversations.n_exchanges(&key).await.map_err(unusable)? == 0 {
            return Err(say!(language, "go-on-nothing"));
        }
        // One that failed, or that was stopped before the first word.
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

    /// What the model is to be told of what was said, and why some of it is not: a press whose reply is no longer the
    /// last thing in the conversation.
    pub(in crate::host::chat) async fn still_said(&self, said: Vec<Said>) -> (Vec<Said>, Vec<String>) {
        let (mut still, mut unsaid) = (Vec::with_capacity(said.len()), Vec::new());
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

    /// The messages that were answered by the replies that are gone on with. None, where no summary asks for them.
    pub(in crate::host::chat) async fn goes_on_from(&self, said: &[Said]) -> Vec<u64> {
        let mut messages = Vec::new();
        for turn in said.iter().filter_map(|said| said.goes_on).filter(|_| self.talker.summaries.is_some()) {
            match self.turns.turn(turn).await {
                Ok(kept) => messages.extend(kept.into_iter().flat_map(|kept| kept.record.answered())),
                Err(problem) => warn!(error = %problem, "what a reply answered that is gone on with is not known"),
            }
        }
        messages.sort_unstable();
        messages.dedup();
        messages
    }

    /// Ends a turn that was to go on with these replies. Where the model said nothing more, the buttons stay usable.
    pub(in crate::host::chat) async fn gone_on(&self, turns: &[TurnId], answer: Option<&Answer>) {
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
