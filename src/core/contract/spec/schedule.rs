//! Times at which a module's commands run by themselves.

use crate::inbound::CommandPath;
use crate::text::Cron;

/// A command that runs at set times: an entry of `[schedules]` in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Its name in the manifest.
    pub name: String,
    /// The times, in the time zone of the place that gets the answer.
    pub cron: Cron,
    /// The command's current path.
    pub path: CommandPath,
}
