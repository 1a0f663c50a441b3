//! Interactions that name what is not there, or no longer as it was sent: counted, and a reason to compare the commands
//! at Discord once more.

use crate::counters::UnknownInteraction;
use crate::discord::custom_id::Refused;
use crate::discord::handler::Shared;
use crate::inbound::Asked;
use crate::router::{Route, Unknown, UnknownKind};

impl Shared {
    /// Counts a route that leads to nothing. What Discord still offers, and nobody owns, asks for a comparison: the
    /// reconciler grants one in ten minutes.
    pub(super) fn note(&self, route: &Route) {
        let Route::UnknownCommand(unknown) = route else { return };
        let Some(what) = what(unknown) else { return };
        self.counters.unknown(what);
        if unknown.asked == Asked::Picked {
            self.reconciler.request();
        }
    }

    /// Counts a control that is not there: one of somebody else is.
    pub(super) fn note_control(&self, asked: Asked, refused: &Refused) {
        match (refused, asked) {
            (Refused::Foreign(_), _) => {}
            (_, Asked::Submitted) => self.counters.unknown(UnknownInteraction::Modal),
            _ => self.counters.unknown(UnknownInteraction::Component),
        }
    }
}

/// What was named in vain; `None` for typed text, which names whatever a person likes.
fn what(unknown: &Unknown) -> Option<UnknownInteraction> {
    match (unknown.asked, &unknown.kind) {
        (Asked::Typed, _) => None,
        (Asked::Pressed, _) => Some(UnknownInteraction::Component),
        (Asked::Submitted, _) => Some(UnknownInteraction::Modal),
        (Asked::Picked, UnknownKind::Command) => Some(UnknownInteraction::Command),
        (Asked::Picked, UnknownKind::Subcommand) => Some(UnknownInteraction::Subcommand),
        (Asked::Picked, UnknownKind::Stale { .. }) => Some(UnknownInteraction::Stale),
        (Asked::Picked, UnknownKind::MenuEntry) => Some(UnknownInteraction::Menu),
    }
}
