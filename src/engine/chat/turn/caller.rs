//! The asker of a turn, and the state of the asker and the turn while it runs.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::chat::queue::RunningTurn;
use candor_core::agent::Tokens;
use candor_core::guild::Rules;
use candor_core::inbound::{Caller, EventId, Member, Place};
use candor_core::registry::Catalog;

/// The rights of a turn's asker.
pub(in crate::chat) struct TurnRights {
    /// The rules at the beginning of the turn. Each call of the model reads them again.
    pub(in crate::chat) rules: Rules,
    pub(in crate::chat) catalog: Catalog,
    /// The paths of the commands that all speakers of the turn may use; `None` for a single speaker. So no speaker can
    /// have the model run a command that only another speaker may use.
    pub(in crate::chat) common: Option<BTreeSet<String>>,
}

pub(crate) struct TurnCaller<'a> {
    pub(in crate::chat) event: EventId,
    pub(in crate::chat) caller: &'a Caller,
    pub(in crate::chat) place: Place,
    pub(in crate::chat) rights: TurnRights,
    pub(in crate::chat) running: &'a RunningTurn,
    /// The member at the newest press in this turn: rights may have been removed since the message.
    pressed: Mutex<Option<Member>>,
    /// Whether the person is still in this place, and since when this is known. `None` if Discord must be asked.
    here: Mutex<Option<(Instant, bool)>>,
    /// Notes on commands that ran and whose answers could not be shown.
    pub(in crate::chat) unshown: Mutex<Vec<String>>,
    /// Commands that an earlier attempt ran, so that this turn skipped them. Their outcome is unknown here.
    pub(in crate::chat) ran_before: Mutex<Vec<String>>,
    /// Whether only a part of a command's answer is shown.
    pub(in crate::chat) is_folded: AtomicBool,
    used: Mutex<Tokens>,
}

impl<'a> TurnCaller<'a> {
    /// Creates the caller of a turn that begins. `unshown`: notes from before it.
    pub(in crate::chat) fn new(
        event: EventId,
        caller: &'a Caller,
        place: Place,
        rights: TurnRights,
        running: &'a RunningTurn,
        unshown: Vec<String>,
    ) -> Self {
        Self {
            event,
            caller,
            place,
            rights,
            running,
            pressed: Mutex::default(),
            here: Mutex::new(Some((Instant::now(), true))),
            unshown: Mutex::new(unshown),
            ran_before: Mutex::default(),
            is_folded: AtomicBool::new(false),
            used: Mutex::default(),
        }
    }

    /// Sets the time of the message, which may have waited since.
    #[must_use]
    pub(in crate::chat) fn asked_at(self, at: Instant) -> Self {
        Self { here: Mutex::new(Some((at, true))), ..self }
    }

    /// Updates the member from a press. Outside of guilds a press has none.
    pub(in crate::chat) fn know(&self, member: Option<Member>) {
        if member.is_some() {
            *self.pressed.lock().unwrap_or_else(PoisonError::into_inner) = member;
        }
    }

    /// Records whether the person is still in this place, if known.
    pub(super) fn is_here(&self, is_here: Option<bool>) {
        *self.here.lock().unwrap_or_else(PoisonError::into_inner) = is_here.map(|is_here| (Instant::now(), is_here));
    }

    /// Returns whether the person is in this place, if that was checked within `time`.
    pub(super) fn was_here_within(&self, time: Duration) -> Option<bool> {
        let here = *self.here.lock().unwrap_or_else(PoisonError::into_inner);
        here.filter(|(at, _)| at.elapsed() < time).map(|(_, is_here)| is_here)
    }

    pub(super) fn uses(&self, tokens: Tokens) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.and(tokens);
    }

    pub(in crate::chat) fn used(&self) -> Tokens {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the caller with the newest known rights.
    pub(in crate::chat) fn now(&self) -> Caller {
        let pressed = self.pressed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Caller { member: pressed.or_else(|| self.caller.member.clone()), ..self.caller.clone() }
    }
}
