//! What an operator gives a module in the settings file.

use crate::contract::manifest::CommandNames;
use crate::contract::services::SendPolicy;
use crate::contract::spec::ModuleSettings;

/// What an operator gives a module in the settings file; by default nothing.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The values of its settings, each of a kind that the setting takes.
    pub settings: ModuleSettings,
    /// What its commands are called.
    pub names: CommandNames,
    /// Where it may send.
    pub send_to: SendPolicy,
}
