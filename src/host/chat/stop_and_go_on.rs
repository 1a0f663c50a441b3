//! The buttons of a reply that is not whole: *Stop* while it is written, and *Go on* once it ends in the middle.

use tracing::{info, warn};

use crate::host::chat::Chat;
use crate::host::chat::queue::Stop;
use candor_core::agent::ConversationKey;
use candor_core::inbound::{Caller, EventId, Place};
use candor_core::language::say;
use candor_core::record::{ReplyButton, TurnId};
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
        info!(user.id = caller.id.0, "a turn was stopped");
        running.stop(Stop::Pressed(one_line(&caller.name, NAME_MAX)));
        Ok(())
    }

    /// Takes the right to have the model go on with the reply of that turn: once, for the person whose turn it was. It is
    /// given back if the model then says nothing more.
    ///
    /// # Errors
    /// In words for the person, if it is not given.
    pub async fn go_on(&self, turn: TurnId, caller: &Caller) -> Result<(), String> {
        let language = caller.language;
        if self.access.is_blocked(caller) {
            return Err(say!(language, "press-blocked"));
        }
        let unusable = |problem| {
            warn!(error = %problem, "cannot read or claim a turn");
            say!(language, "run-store")
        };
        let kept = self.turns.turn(turn).await.map_err(unusable)?;
        let Some(kept) = kept.filter(|kept| kept.user == caller.id && kept.record.cut.is_some()) else {
            return Err(say!(language, "go-on-nothing"));
        };
        // What was forgotten is nothing to go on with.
        let key = ConversationKey::new(kept.place, kept.user);
        if self.conversations.n_exchanges(&key).await.map_err(unusable)? == 0 {
            return Err(say!(language, "go-on-nothing"));
        }
        if !self.turns.claim_button(turn, ReplyButton::GoOn).await.map_err(unusable)? {
            return Err(say!(language, "go-on-before"));
        }
        // The model goes on with what it said last. A turn that failed said nothing.
        let later = self.turns.turns_after(turn, kept.user, kept.place, FAILED_MAX).await.map_err(unusable)?;
        match later.len() < FAILED_MAX && later.iter().all(|later| later.record.failure.is_some()) {
            true => Ok(()),
            false => Err(say!(language, "go-on-over")),
        }
    }

    /// Ends the turn that was to go on with a reply. Where the model said nothing more, the button stays usable. Without an
    /// answer, a later message took the press along.
    pub(super) async fn gone_on(&self, turn: TurnId, answer: Option<&Answer>) {
        let said_more = answer.is_none_or(|answer| match &answer.provenance {
            Provenance::Turn(facts) => facts.author == Author::Model,
            Provenance::Command(_) | Provenance::Host => false,
        });
        if !said_more {
            self.release(turn, ReplyButton::GoOn).await;
        }
    }
}
