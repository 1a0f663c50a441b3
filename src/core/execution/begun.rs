//! The part of a receipt that is known before the run ends: enough to close the run if its process ends first.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::inbound::{EventId, Place, UserId};
use crate::language::{Language, say};
use crate::record::{Facts, Origin, Outcome, Receipt, ReceiptId};
use crate::reply::Reply;

/// A run that began. It is written down before the run does anything that cannot be taken back.
#[derive(Clone, Debug, PartialEq)]
pub struct Begun {
    /// The event that asked for it.
    pub event: EventId,
    /// The id of its future receipt.
    pub id: ReceiptId,
    /// The command, as people write it: `/tasks add`.
    pub command: String,
    /// The arguments as JSON text, cut as in a receipt.
    pub arguments: String,
    /// The caller.
    pub caller: UserId,
    /// The caller's language.
    pub language: Language,
    /// The place of the call.
    pub place: Place,
    /// When it began.
    pub started: SystemTime,
    /// Who made the call.
    pub origin: Origin,
}

/// What a run left when its process ended in the middle of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing: all that it changes is stored at its end.
    Nothing,
    /// Nobody knows: it changes things outside of the store too.
    Unknown,
}

impl Begun {
    /// The receipt of a run whose process ended in the middle of it, and what its caller is told. It can say neither
    /// that the run is done nor that it failed by itself.
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
