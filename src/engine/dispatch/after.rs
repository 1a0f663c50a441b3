//! The dispatcher's other methods, for edits of messages and the buttons under a chat reply.

use std::sync::Arc;
use std::time::SystemTime;

use tracing::error;

use crate::chat::{Chat, Places};
use crate::dispatch::dispatcher::Dispatcher;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Caller, EventId, Inbound, Place, UserId};
use candor_core::record::Counters;
use candor_core::router::Route;

impl Dispatcher {
    pub fn chat(&self) -> &Chat {
        &self.chat
    }

    pub fn counters(&self) -> &Arc<Counters> {
        &self.executor.counters
    }

    /// Returns the time of the store's server.
    pub fn now(&self) -> SystemTime {
        self.executor.clock.now()
    }

    pub fn is_blocked(&self, caller: &Caller) -> bool {
        self.access.is_blocked(caller)
    }

    pub fn is_operator(&self, caller: &Caller, place: Place) -> bool {
        self.access.is_operator(caller, place)
    }

    pub fn places(&self) -> &Places {
        self.chat.talker.places()
    }

    /// Whether all budgets that a turn of this person in this place counts for have something left.
    pub async fn has_budget(&self, person: UserId, place: Place) -> bool {
        self.chat.budgets.refusal(person, place, self.now()).await.is_none()
    }

    /// Whether the author may chat here, the message is meant for the model, and the rate limit has room. Does not
    /// check budgets: see [`Self::has_budget`].
    pub fn may_talk(&self, message: &Inbound) -> bool {
        let caller = message.caller();
        let place = message.place();
        let has_model = self.chat.model.is_some();
        if !has_model || !self.chat.talker.may_send(caller.id, self.access.chat.per_minute) {
            return false;
        }
        let is_admitted = self.access.chat.admits(caller, place, self.access.is_operator(caller, place)).is_ok();
        let is_admitted = is_admitted && self.places().admits(caller, place).is_ok();
        is_admitted && !self.access.is_blocked(caller) && self.is_for_the_model(message)
    }

    /// Waits, for a short time, until running summaries have ended and their use is counted. Called after
    /// [`Talker::leave`](crate::chat::Talker::leave).
    pub async fn left(&self) {
        if let Some(summaries) = &self.chat.summaries {
            summaries.ended().await;
        }
    }

    /// Handles an edit of a message before it was answered. A message that is no longer meant for the model is not
    /// answered; nothing in it runs.
    pub fn edited(&self, message: &Inbound) {
        let now = match self.route(message) {
            Route::Chat(words) => message.came_with().map(|came_with| (words, came_with.clone())),
            _ => None,
        };
        self.chat.edited(message.event(), now);
    }

    /// Claims a component that works once. Returns false if it was used before.
    pub async fn take_control(&self, control: EventId) -> Result<bool, ServiceError> {
        self.executor
            .claim(control)
            .await
            .inspect_err(|problem| error!(error = %problem, "a control could not be claimed"))
    }

    /// Whether a message is meant for the chat model. Only such a message may be asked again.
    pub fn is_for_the_model(&self, message: &Inbound) -> bool {
        matches!(self.looked_at(message), Route::Chat(_))
    }
}
