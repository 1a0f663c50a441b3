//! Settings that passed every check.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::contract::Presentation;
use crate::guard::Access;
use crate::inbound::ChannelId;

/// Everything the operator can set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `[modules]`
    pub modules: ModulesSettings,
    /// `[store] path`: the database file.
    pub store_path: PathBuf,
    /// `[commands] deadline_s`: no handler may run longer.
    pub command_deadline: Duration,
    /// `[access]`
    pub access: Access,
    /// `[status]`
    pub status: StatusSettings,
    /// `[host_metrics]`
    pub host_metrics: HostMetricsSettings,
    /// `[model]`; `None` when the section is absent: chat is off.
    pub model: Option<ModelSettings>,
    /// `[chat]`
    pub chat: ChatSettings,
    /// `[discord]`
    pub discord: DiscordSettings,
    /// `[admin]`
    pub admin: AdminSettings,
    /// `[log] format`
    pub log_format: LogFormat,
}

/// Where modules come from, and what happens to bad ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulesSettings {
    /// A folder of module folders. A manifest there takes the place of the built-in one of the same name.
    /// `None`: `modules/` if it exists.
    pub path: Option<PathBuf>,
    /// Modules that are left out.
    pub disabled: Vec<String>,
    /// What happens when a module fails its check.
    pub on_violation: OnViolation,
}

/// What happens when a module fails its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnViolation {
    /// The bot does not start.
    Refuse,
    /// The bot starts without the module, and its commands are answered as unavailable.
    Quarantine,
}

/// The live metrics file.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusSettings {
    /// The file.
    pub file: PathBuf,
    /// How it is shown.
    pub presentation: Presentation,
}

/// The built-in producer of this machine's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMetricsSettings {
    /// Whether it runs.
    pub enabled: bool,
    /// How often it writes. 1 s to 1 h.
    pub interval: Duration,
}

/// The chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// The address in front of `/chat/completions`, such as `http://127.0.0.1:11434/v1/`.
    pub base_url: Url,
    /// The models people may choose, the default first.
    pub models: Vec<String>,
    /// A file that holds the key.
    pub key_file: Option<PathBuf>,
    /// How long an answer may take. 1 s to 10 min.
    pub timeout: Duration,
    /// The most tokens an answer may have, if limited.
    pub max_tokens: Option<u32>,
}

/// Conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatSettings {
    /// The operator's own words to the model.
    pub system: String,
    /// How many earlier exchanges the model is shown. 0 to 200.
    pub history: usize,
    /// Channels where every message is for the bot.
    pub channels: Vec<ChannelId>,
}

/// The Discord edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscordSettings {
    /// A REST proxy or a stand-in, instead of Discord's own host.
    pub proxy: Option<Url>,
}

/// The operator's own port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminSettings {
    /// Where `/livez` and `/readyz` answer; `None` turns them off.
    pub listen: Option<SocketAddr>,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
