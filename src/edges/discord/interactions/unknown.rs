//! Interactions for commands or components that no longer exist: counted, and a reason to request a sync.

use crate::edges::discord::custom_id::Refused;
use crate::edges::discord::shared::Shared;
use candor_core::inbound::Asked;
use candor_core::record::UnknownInteraction;

impl Shared {
    /// Counts a component that does not exist. One made for somebody else does.
    pub(crate) fn note_control(&self, asked: Asked, refused: &Refused) {
        match (refused, asked) {
            (Refused::Foreign(_), _) => {}
            (_, Asked::Submitted) => self.counters.unknown.count(UnknownInteraction::Modal),
            _ => self.counters.unknown.count(UnknownInteraction::Component),
        }
    }
}
