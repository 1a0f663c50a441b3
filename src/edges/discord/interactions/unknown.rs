//! Interactions that name what is not there, or no longer as it was sent: counted, and a reason to compare the commands
//! at Discord once more.

use crate::edges::discord::custom_id::Refused;
use crate::edges::discord::shared::Shared;
use candor_core::inbound::Asked;
use candor_core::record::UnknownInteraction;

impl Shared {
    /// Counts a control that is not there: one of somebody else is.
    pub(crate) fn note_control(&self, asked: Asked, refused: &Refused) {
        match (refused, asked) {
            (Refused::Foreign(_), _) => {}
            (_, Asked::Submitted) => self.counters.unknown(UnknownInteraction::Modal),
            _ => self.counters.unknown(UnknownInteraction::Component),
        }
    }
}
