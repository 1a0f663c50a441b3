//! The part of a receipt that is known before the run ends: enough to close the run if its process ends first.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::inbound::{EventId, Place, UserId};
use crate::language::{Language, say};
use crate::record::{Facts, Origin, Outcome, Receipt, ReceiptId};
use crate::reply::Reply;

/// A started run. It is stored before the run does anything that cannot be undone.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    pub event: EventId,
    /// The id of its future receipt.
    pub id: ReceiptId,
    /// The command as people write it: `/tasks add`.
    pub command: String,
    /// The arguments as JSON text, truncated as in a receipt.
    pub arguments: String,
    pub caller: UserId,
    pub language: Language,
    pub place: Place,
    pub started: SystemTime,
    pub origin: Origin,
}

/// The possible effect of a run whose process ended in the middle of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The run had no effect: its changes are stored only at its end.
    Nothing,
    /// Unknown, because the run also changes things outside of the store.
    Unknown,
}

impl Begun {
    /// Returns the receipt of a run whose process ended in the middle of it, and the message for its caller. The
    /// receipt claims neither that the run is done nor that it failed by itself.
    pub fn interrupted(&self, left: Left) -> (Arc<Receipt>, String) {
        let command = self.command.as_str();
        let (outcome, text) = match left {
            Left::Nothing => (Outcome::Interrupted, say!(self.language, "interrupted-nothing", command = command)),
            Left::Unknown => (Outcome::Unknown, say!(self.language, "interrupted-unknown", command = command)),
        };
        (self.receipt(outcome, Duration::ZERO, &Reply::text(text.clone())), text)
    }

    pub(super) fn receipt(&self, outcome: Outcome, took: Duration, reply: &Reply) -> Arc<Receipt> {
        let facts = Facts {
            command: self.command.clone(),
            arguments: self.arguments.clone(),
            caller: self.caller,
            place: self.place,
            started: self.started,
            took,
            outcome,
            origin: self.origin,
            source: reply.source.clone(),
        };
        Receipt::mint(self.id, facts, &reply.plain())
    }
}
