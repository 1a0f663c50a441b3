//! Times at which a manifest has a command run.

use crate::inbound::CommandPath;
use crate::text::Cron;

/// A command that runs at times: an entry of `[schedules]` in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its name in the manifest.
    pub name: String,
    /// When, by the clocks of the place where it is told.
    pub cron: Cron,
    /// The command, as it is called now.
    pub path: CommandPath,
}
