//! Settings that passed every check.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::access::Access;
use crate::agent::ChatSettings;
use crate::contract::Presentation;
use crate::inbound::{ChannelId, GuildId};
use crate::language::Language;

/// Everything the operator can set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `[modules]`
    pub modules: ModulesSettings,
    /// `[store] path`: the database file.
    pub store_path: PathBuf,
    /// `[commands] deadline_s`: no handler may run longer. 1 s to 1 h.
    pub command_deadline: Duration,
    /// `[commands] tell_after_s`: after so long a person is told that the command still runs, and its answer is kept
    /// for `/receipt`. 1 s to 14 min.
    pub tell_after: Duration,
    /// `[access]` and `[permissions]`
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
    /// `[language] default`: what is spoken to people whose own language is not known.
    pub language: Language,
}

impl Default for Settings {
    /// What holds when nothing is written: a bot that works in an empty folder, with chat off.
    fn default() -> Self {
        Self {
            modules: ModulesSettings { path: None, disabled: Vec::new(), on_violation: OnViolation::Refuse },
            store_path: PathBuf::from("data/candor.db"),
            command_deadline: Duration::from_secs(30),
            tell_after: Duration::from_secs(840),
            access: Access::default(),
            status: StatusSettings {
                file: PathBuf::from("data/metrics.json"),
                presentation: Presentation {
                    generated_at: "generated_at".to_owned(),
                    stale_after: Duration::from_secs(30),
                    metrics: BTreeMap::new(),
                },
                sample_every: Duration::from_secs(30),
                live: LiveSettings { every: Duration::from_secs(30), channels: Vec::new() },
            },
            host_metrics: HostMetricsSettings { enabled: true, interval: Duration::from_secs(5) },
            model: None,
            chat: ChatSettings::default(),
            discord: DiscordSettings { proxy: None, guild: None },
            admin: AdminSettings { listen: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 9180))) },
            log_format: LogFormat::Text,
            language: Language::ENGLISH,
        }
    }
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
    /// `[status] sample_s`: how often its numbers are written down for later. 5 s to 5 min.
    pub sample_every: Duration,
    /// How live messages are kept up to date.
    pub live: LiveSettings,
}

/// Messages of `/status live: true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSettings {
    /// `[status] live_every_s`: how often each is edited. 1 s to 5 min.
    pub every: Duration,
    /// `[status] live_channels`: where a live message is a message of the channel that does not end, each once.
    pub channels: Vec<ChannelId>,
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
    /// The address in front of `/chat/completions`, such as `http://127.0.0.1:11434/v1/`. Always ends with
    /// a slash, so that a path can be joined to it.
    pub base_url: Url,
    /// The models people may choose, the default first.
    pub models: Vec<String>,
    /// A file that holds the key.
    pub key_file: Option<PathBuf>,
    /// How long an answer may take. 1 s to 10 min.
    pub timeout: Duration,
    /// The most tokens an answer may have, if limited. 1 to 1 000 000.
    pub max_tokens: Option<u32>,
}

/// The Discord edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscordSettings {
    /// A REST proxy or a stand-in, instead of Discord's own host.
    pub proxy: Option<Url>,
    /// The only server that the commands are registered in, to try things out. `None`: everywhere.
    pub guild: Option<GuildId>,
}

/// The operator's own port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminSettings {
    /// Where `/livez`, `/readyz` and `/metrics` answer; `None` turns them off. Nothing there asks who is reading, so an
    /// address that others can reach is the operator's decision.
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
