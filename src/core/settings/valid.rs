//! Validated settings.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use url::Url;

use crate::access::Access;
use crate::agent::{ChatSettings, ImageSetting, OfferedModel, ToolSetting};
use crate::contract::Presentation;
use crate::inbound::{ChannelId, GuildId};
use crate::language::Language;
use crate::settings::model_api::ModelApi;

/// All of the operator's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub modules: ModulesSettings,
    pub store: StoreSettings,
    /// `[store.keep]`
    pub keep: KeepSettings,
    pub receipts: ReceiptSettings,
    /// `[commands] deadline_s`: the longest run of a handler. 1 s to 1 h.
    pub command_deadline: Duration,
    /// `[commands] tell_after_s`: after this time the caller gets a notice that the command still runs, and its answer
    /// is available in `/receipt`. 1 s to 14 min.
    pub tell_after: Duration,
    /// `[access]`, `[permissions]` and `[chat.access]`
    pub access: Access,
    pub status: StatusSettings,
    pub host_metrics: HostMetricsSettings,
    /// `[model]`, which is the default, and `[models]`. Empty if the sections are absent, which turns chat off.
    pub model_servers: Vec<ModelSettings>,
    pub chat: ChatSettings,
    pub discord: DiscordSettings,
    pub admin: AdminSettings,
    pub log_format: LogFormat,
    /// `[language] default`: the language for people with an unknown language.
    pub language: Language,
}

impl Default for Settings {
    /// The defaults: a bot that works in an empty folder, with chat off.
    fn default() -> Self {
        Self {
            modules: ModulesSettings { path: None, disabled: Vec::new(), on_violation: OnViolation::Refuse },
            store: StoreSettings::File(PathBuf::from("data/candor.db")),
            keep: KeepSettings::default(),
            receipts: ReceiptSettings::default(),
            command_deadline: Duration::from_secs(30),
            tell_after: Duration::from_secs(840),
            access: Access::default(),
            status: StatusSettings {
                file: PathBuf::from("data/live/metrics.json"),
                presentation: Presentation {
                    generated_at: "generated_at".to_owned(),
                    stale_after: Duration::from_secs(30),
                    metrics: BTreeMap::new(),
                },
                sample_every: Duration::from_secs(30),
                live: LiveSettings { every: Duration::from_secs(30), channels: Vec::new() },
            },
            host_metrics: HostMetricsSettings { enabled: true, interval: Duration::from_secs(5) },
            model_servers: Vec::new(),
            chat: ChatSettings::default(),
            discord: DiscordSettings { proxy: None, files: None, insecure: false, guild: None },
            admin: AdminSettings {
                listen: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 9180))),
                hosts: Vec::new(),
                page: false,
                page_token_file: None,
            },
            log_format: LogFormat::Text,
            language: Language::ENGLISH,
        }
    }
}

/// Retention times, each 1 day to 10 years, and the size limit of workspaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepSettings {
    /// `receipts_days`: receipts of commands that a person or a model called.
    pub receipts: Duration,
    /// `refreshes_days`: receipts of refreshes of live messages.
    pub refreshes: Duration,
    /// `conversations_days`: messages to the model and its answers.
    pub conversations: Duration,
    /// `turns_days`: the records of chat turns.
    pub turns: Duration,
    /// `answers_days`: answers that could not be shown, which `/receipt` returns.
    pub answers: Duration,
    /// `samples_days`: figures of the metrics file.
    pub samples: Duration,
    /// `workspaces_mib`: the total size limit of all workspaces, in bytes.
    pub workspaces_size: u64,
}

impl Default for KeepSettings {
    fn default() -> Self {
        let days = |days: u64| Duration::from_hours(24 * days);
        Self {
            receipts: days(400),
            refreshes: days(7),
            conversations: days(90),
            turns: days(90),
            answers: days(7),
            samples: days(7),
            workspaces_size: 4 * 1024 * 1024 * 1024,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreSettings {
    /// `[store] path`: in this SQLite file.
    File(PathBuf),
    /// `[store] url_file`: in the PostgreSQL database whose address this file holds.
    Server(PathBuf),
}

impl StoreSettings {
    /// Returns the folder of the files outside the store: that of the database file, or else `data`.
    pub fn data_folder(&self) -> &Path {
        match self {
            Self::File(path) => match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            },
            Self::Server(_) => Path::new("data"),
        }
    }
}

/// The signatures of receipts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceiptSettings {
    /// `key_file`: the Ed25519 key that signs the chain. `None`: `receipts.key` beside an SQLite store.
    pub key_file: Option<PathBuf>,
    /// `publish`: where a signed head goes once a day.
    pub publish: Vec<PublishTo>,
}

/// A place for signed heads, outside the reach of programs that write the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublishTo {
    /// `file:PATH`: a line at the end of this file.
    File(PathBuf),
    /// `channel:ID`: a message in this channel.
    Channel(ChannelId),
}

impl PublishTo {
    /// Returns it as in the settings.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => format!("file:{}", path.display()),
            Self::Channel(channel) => format!("channel:{channel}"),
        }
    }
}

impl Settings {
    /// Returns the file of the key that signs receipts. `None` if they are not signed: several processes share a
    /// database on a server, and none of them could make a key for all.
    pub fn receipt_key_file(&self) -> Option<PathBuf> {
        match (&self.receipts.key_file, &self.store) {
            (Some(file), _) => Some(file.clone()),
            (None, StoreSettings::File(_)) => Some(self.store.data_folder().join("receipts.key")),
            (None, StoreSettings::Server(_)) => None,
        }
    }

    /// Returns the file that the newest signed head is written to.
    pub fn receipt_head_file(&self) -> PathBuf {
        self.store.data_folder().join("receipts.head")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulesSettings {
    /// A folder of module folders. A manifest there replaces the built-in one with the same name. `None`: `modules/` if
    /// it exists.
    pub path: Option<PathBuf>,
    pub disabled: Vec<String>,
    pub on_violation: OnViolation,
}

/// The reaction to a module that fails its check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnViolation {
    /// Do not start.
    Refuse,
    /// Start without the module; its commands are answered as unavailable.
    Quarantine,
}

/// The live metrics file.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusSettings {
    pub file: PathBuf,
    pub presentation: Presentation,
    /// `[status] sample_s`: how often its metrics are sampled. 5 s to 5 min.
    pub sample_every: Duration,
    pub live: LiveSettings,
}

/// Messages of `/status live: true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveSettings {
    /// `[status] live_every_s`: how often each is edited. 1 s to 5 min.
    pub every: Duration,
    /// `[status] live_channels`: channels in which a live message does not end; one message per channel.
    pub channels: Vec<ChannelId>,
}

/// The built-in producer of this machine's metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMetricsSettings {
    pub enabled: bool,
    /// How often it writes. 1 s to 1 h.
    pub interval: Duration,
}

/// A provider of chat models: `[model]`, or one of `[models.NAME]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// The prefix `NAME` of its models' names: `NAME/llama3.2`. `None` for `[model]`.
    pub name: Option<String>,
    pub api: ModelApi,
    /// The address before the API's path, such as `/chat/completions`: `http://127.0.0.1:11434/v1/`. Always ends with a
    /// slash, so that a path can be joined to it.
    pub base_url: Url,
    /// The models people may choose, the default first, as the provider names them.
    pub models: Vec<String>,
    pub key_file: Option<PathBuf>,
    /// The header that carries the key, in place of `Authorization: Bearer`.
    pub key_header: Option<String>,
    /// Additional headers of each request.
    pub headers: BTreeMap<String, String>,
    /// Additional fields of each request's body, such as `temperature`.
    pub body: Map<String, Value>,
    pub proxy: Option<Url>,
    /// How long to wait for the first token of an answer. 1 s to 10 min.
    pub first_token: Duration,
    /// The longest pause between two tokens. 1 s to 10 min.
    pub stall: Duration,
    /// The most tokens of an answer, if limited. 1 to 1 000 000.
    pub max_tokens: Option<u32>,
    /// The context size of its models, for input and answer together. 1,024 to 4,000,000 tokens.
    pub context_tokens: usize,
    pub tools: ToolSetting,
    pub images: ImageSetting,
}

impl ModelSettings {
    /// Builds a provider at this address with these models, and the defaults for the rest.
    pub fn at(base_url: Url, models: Vec<String>) -> Self {
        Self {
            name: None,
            api: ModelApi::default(),
            base_url,
            models,
            key_file: None,
            key_header: None,
            headers: BTreeMap::new(),
            body: Map::new(),
            proxy: None,
            first_token: Duration::from_secs(60),
            stall: Duration::from_secs(20),
            max_tokens: None,
            context_tokens: 8_192,
            tools: ToolSetting::Auto,
            images: ImageSetting::Auto,
        }
    }

    /// Returns the name by which people choose one of its models.
    pub fn chosen_as(&self, model: &str) -> String {
        match &self.name {
            Some(server) => format!("{server}/{model}"),
            None => model.to_owned(),
        }
    }

    /// Returns its models for conversations. 1,024 tokens of the context are reserved for the answer, unless
    /// `max_tokens` is set.
    pub fn offered(&self) -> impl Iterator<Item = OfferedModel> {
        let answer_tokens = self.max_tokens.map_or(1_024, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX));
        self.models.iter().map(move |model| OfferedModel {
            name: self.chosen_as(model),
            tools: self.tools,
            images: self.images,
            context_tokens: self.context_tokens,
            answer_tokens,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscordSettings {
    /// A REST proxy or a test server in place of Discord's own host.
    pub proxy: Option<Url>,
    /// The base address for attached files, in place of Discord's own hosts.
    pub files: Option<Url>,
    /// Whether the token may be sent to a proxy on another machine unencrypted.
    pub insecure: bool,
    /// The only guild to register commands in, for trials. `None`: everywhere.
    pub guild: Option<GuildId>,
}

impl DiscordSettings {
    /// Describes where commands are registered, as the end of a line. `None` if the set is the same everywhere.
    pub fn where_registered(&self) -> Option<String> {
        self.guild.map(|guild| format!("in the server {guild} alone"))
    }
}

/// The operator's HTTP endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminSettings {
    /// The address of `/livez`, `/readyz` and `/metrics`; `None` turns them off. They have no authentication: making
    /// the address reachable for others is the operator's decision.
    pub listen: Option<SocketAddr>,
    /// The host names that requests may use, beside IP addresses and `localhost`.
    pub hosts: Vec<String>,
    /// Whether the operator's page is served there. Beyond this machine, never without a token.
    pub page: bool,
    /// A file with the token that the page asks for.
    pub page_token_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}
