//! The commands in force, to be read by the bot's own commands.

use crate::contract::spec::Command;
use crate::inbound::Asking;

/// The commands in force, as each person may use them.
pub trait CommandBook: Send + Sync {
    /// What whoever asks may use, by name: slash commands, then context-menu commands. Of each what they may use of it,
    /// and nothing else.
    fn usable(&self, asking: &Asking<'_>) -> Vec<Command>;
    /// Whether they are an operator.
    fn is_operator(&self, asking: &Asking<'_>) -> bool;
}

/// The commands in force, as the caller may use them.
pub struct OwnCommands<'a> {
    pub(super) book: &'a dyn CommandBook,
    pub(super) asking: Asking<'a>,
}

impl OwnCommands<'_> {
    /// See [`CommandBook::usable`]. Made anew each time.
    pub fn usable(&self) -> Vec<Command> {
        self.book.usable(&self.asking)
    }

    /// See [`CommandBook::is_operator`].
    pub fn is_operator(&self) -> bool {
        self.book.is_operator(&self.asking)
    }
}
