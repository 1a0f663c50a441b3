//! The context menu of a reply: has its question asked again, deletes it, and hides JSON in it.

use tracing::{info, warn};

use crate::host::chat::Chat;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, EventId, Place};
use candor_core::language::{Language, say};
use candor_core::record::{KeptTurn, TurnId};

/// A reply, by what a person chose or pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyRef {
    /// The one that this Discord message shows.
    Message(u64),
    /// The one of this turn.
    Turn(TurnId),
}

impl Chat {
    /// The messages that a reply answered: to be asked again by the person who asked, with their own rights.
    ///
    /// # Errors
    /// In words for the person, if they may not, or if there are none.
    pub async fn questions(&self, reply: ReplyRef, caller: &Caller) -> Result<Vec<EventId>, String> {
        let language = caller.language;
        let kept = self.reply(reply, caller).await?;
        if kept.user != caller.id {
            return Err(say!(language, "ask-again-not-theirs"));
        }
        match kept.record.questions.as_slice() {
            [] => Err(say!(language, "ask-again-nothing")),
            questions => Ok(questions.iter().map(|&id| EventId(id)).collect()),
        }
    }

    /// The messages that show a reply, to be deleted or changed: by the person who asked, and by operators. What ran in
    /// its turn stays done.
    ///
    /// # Errors
    /// In words for the person, if they may not, or if it is not known.
    pub async fn to_change(&self, reply: ReplyRef, caller: &Caller, place: Place) -> Result<Vec<u64>, String> {
        let language = caller.language;
        let kept = self.reply(reply, caller).await?;
        if kept.user != caller.id && !self.access.is_operator(caller, place) {
            return Err(say!(language, "reply-not-theirs"));
        }
        let messages = self.turns.messages_of(kept.id).await.map_err(|problem| unreadable(&problem, language))?;
        info!(user.id = %caller.id.0, turn = kept.id.0, "a reply is deleted or changed");
        Ok(messages)
    }

    /// The turn of a reply, for anybody who is not blocked.
    async fn reply(&self, reply: ReplyRef, caller: &Caller) -> Result<KeptTurn, String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "chat-blocked"));
        }
        let kept = match reply {
            ReplyRef::Message(message) => self.turns.turn_of_message(message).await,
            ReplyRef::Turn(turn) => self.turns.turn(turn).await,
        };
        kept.map_err(|problem| unreadable(&problem, language))?.ok_or_else(|| say!(language, "said-none"))
    }
}

fn unreadable(problem: &ServiceError, language: Language) -> String {
    warn!(error = %problem, "cannot read a turn");
    say!(language, "said-store")
}
