//! What an operator gives a module in the settings file.

use std::collections::BTreeSet;

use crate::contract::manifest::CommandNames;
use crate::contract::spec::ModuleSettings;
use crate::inbound::ChannelId;

/// What an operator gives a module in the settings file; by default nothing.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The values of its settings, each of a kind that the setting takes.
    pub settings: ModuleSettings,
    /// What its commands are called.
    pub names: CommandNames,
    /// The channels that it may send to.
    pub send_to: BTreeSet<ChannelId>,
}
