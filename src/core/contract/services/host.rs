//! The services of the host, before a call is granted any.

use std::sync::Arc;

use async_trait::async_trait;

use crate::contract::services::later::Outbox;
use crate::contract::services::later::{DueCalls, TimeZones};
use crate::contract::services::metrics::{History, Live};
use crate::contract::services::records::Records;
use crate::contract::services::web::{Attachments, Http};
use crate::contract::services::workspace::Workspaces;
use crate::inbound::{CommandPath, GuildId};

/// The services of the host. [`Services`](crate::contract::Services) grants a call those that its module asked for. A
/// host without a service has `None`.
#[derive(Clone, Default)]
pub struct HostServices {
    /// `records`.
    pub records: Option<Arc<dyn Records>>,
    /// `live`.
    pub live: Option<Arc<dyn Live>>,
    /// `history`.
    pub history: Option<Arc<dyn History>>,
    /// `workspace`.
    pub workspaces: Option<Arc<dyn Workspaces>>,
    /// `time`.
    pub time: Option<Arc<dyn DueCalls>>,
    /// The time zones of places, for `time`.
    pub zones: Option<Arc<dyn TimeZones>>,
    /// `send`.
    pub outbox: Option<Arc<dyn Outbox>>,
    /// `http`.
    pub http: Option<Arc<dyn Http>>,
    /// `attachment`.
    pub attachments: Option<Arc<dyn Attachments>>,
    /// The names of guilds, for the texts of modules.
    pub server_names: Option<Arc<dyn ServerNames>>,
    /// The commands in force, for the buttons of modules.
    pub commands: Option<Arc<CommandLookup>>,
}

/// The names of guilds, as far as the edge knows them.
#[async_trait]
pub trait ServerNames: Send + Sync {
    /// Returns the guild's name, if known.
    async fn name(&self, guild: GuildId) -> Option<String>;
}

/// Returns whether a command is in force, even if the caller may not use it.
pub type CommandLookup = dyn Fn(&CommandPath) -> bool + Send + Sync;
