//! A person's words to a model, for tests.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::inbound::{Addressed, AuthorKind, Caller, CameWith, EventId, Inbound, Message, Place, UserId};
use crate::registry::{Catalog, Registry};
use crate::router::{ChatText, Route, classify};

/// Routes this text as chat. Only the router makes a `ChatText`, even in tests.
pub fn chat(text: &str) -> ChatText {
    let message = Message {
        id: EventId(1),
        caller: Caller::new(UserId(2), "Ada"),
        author: AuthorKind::Person,
        place: Place::Console,
        addressed: Addressed::Direct,
        bot: UserId(3),
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: UNIX_EPOCH,
    };
    match classify(&Inbound::Message(message), &Catalog::new(Arc::new(Registry::default()), false)) {
        Route::Chat(words) => words,
        other => panic!("{text:?} is {} and not chat", other.name()),
    }
}
