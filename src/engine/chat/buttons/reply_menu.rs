//! The context menu of a reply: ask its question again, delete it, and hide JSON in it.

use tracing::{info, warn};

use crate::chat::Chat;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, EventId, Place};
use candor_core::language::{Language, say};
use candor_core::record::{KeptTurn, TurnId};

/// A reply, identified by the chosen message or the pressed button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyRef {
    Message(u64),
    Turn(TurnId),
}

impl Chat {
    /// Returns the messages that a reply answered, so that the same person can ask them again with their own rights.
    ///
    /// # Errors
    /// Returns a text for the person, if they may not, or if there are no messages.
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

    /// Returns the messages that show a reply, so that they can be deleted or changed. Allowed for the person who asked
    /// and for operators. Commands that ran in the turn are not undone.
    ///
    /// # Errors
    /// Returns a text for the person, if they may not, or if the turn is unknown.
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

    /// Returns the turn of a reply, unless the caller is blocked.
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
