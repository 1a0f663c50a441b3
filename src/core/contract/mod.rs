//! The contract between the bot and its modules: manifests, handlers, services, and the start-up check.
//!
//! # Writing a module
//!
//! A module is a manifest (`module.toml`) that declares commands, and the Rust functions that answer them:
//!
//! ```
//! use candor_core::contract::{Call, CommandError, NativeModule};
//! use candor_core::reply::Reply;
//! use candor_core::text::one_line;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Greet {
//!     /// Whom to greet
//!     name: String,
//! }
//!
//! async fn greet(arguments: Greet, _: Call) -> Result<Reply, CommandError> {
//!     Ok(Reply::text(format!("Hello, {}!", one_line(&arguments.name, 32))))
//! }
//!
//! pub fn module() -> NativeModule {
//! #     const MANIFEST: &str = "[module]\nname = \"greeter\"\nsummary = \"Greets people\"\n";
//!     // In a module of its own: `include_str!("module.toml")`.
//!     NativeModule::new("greeter", MANIFEST).handler("greet", greet)
//! }
//! # assert_eq!(module().folder(), "greeter");
//! ```
//!
//! - **Arguments**: a struct that derives `Deserialize` and `JsonSchema`. Each field is an option, and its doc comment
//!   is the description. A field of type `Option<…>` may be omitted. Types in [`entity`] let the caller pick a user,
//!   channel, role or file. A handler without options takes [`NoArguments`].
//! - **[`Call`]**: the caller, the place, the time, and the [`Services`] that the manifest asks for. Declare each
//!   service that the code uses with [`NativeModule::needs`].
//! - **Result**: a [`Reply`](crate::reply::Reply), which the host sends. [`CommandError::Tell`] is shown to the caller;
//!   [`CommandError::Internal`] goes to the log only. A later call may end with [`CommandError::NotYet`].
//! - **Suggestions**: [`NativeModule::complete`] adds autocomplete for an option.
//! - **Chat model**: `tool = true` in the manifest offers a command to the model; [`NativeModule::background`] adds
//!   facts about the caller to its prompt.
//!
//! The documentation of the crate `candor-modules` is the full guide.
//!
//! # The check
//!
//! [`check`] reads each manifest leniently, compares it with the handlers' signatures in both directions, and returns
//! every problem at once. It returns valid [`Command`]s with their code, ready for the registry.

pub(crate) mod check;
pub(crate) mod code;
pub mod entity;
mod fits;
pub mod limits;
pub(crate) mod manifest;
pub mod outside;
mod reserved;
mod services;
mod signature;
pub(crate) mod spec;
pub mod text_form;

pub use check::check;
pub use check::checked::{AcceptedModule, Checked, RejectedModule, Withdrawn};
pub use check::declared_commands;
pub use check::outside::{OutsideSpec, Probe};
pub use check::settings::declared_settings;
pub use check::subject::Manifest;
pub use code::{
    Accept, BackgroundSource, Call, CommandError, Completer, Given, Handler, HandlerFn, HandlerFuture, ModuleCode,
    NativeModule, NoArguments, PerServer, Suggestion, TrustedRights,
};
pub use fits::{fits, fits_in};
pub use manifest::{CommandNames, ModuleTest, TestEnd, TestStep, read_tests};
pub(crate) use reserved::n_reserved_menus;
pub use reserved::{ASK_AGAIN, DELETE_REPLY, HIDE_JSON, REPLY_MENUS, RESERVED, WHAT_IT_SAID};
pub use services::{
    ANY_HOST, ATTACHMENT_SIZE_MAX, AllowedBy, AttachmentError, Attachments, CallChange, Change, ChannelMessage,
    CommandLookup, DUE_AHEAD_MAX, DUE_CALLS_MAX, DueCall, DueCallId, DueCalls, Effects, FILE_SIZE_MAX, FILES_MAX,
    FileEntry, FileTrouble, Good, History, HostServices, Http, HttpError, HttpGet, HttpHosts, HttpResponse, InRun,
    LaterCall, Listing, Live, Metric, NotDone, OUTBOX_MAX, OUTBOX_OF_CHANNEL_MAX, OUTBOX_OF_PERSON_MAX, OWN_METRICS,
    Observation, Outbox, Outgoing, OwnAttachments, OwnHttp, OwnRecords, OwnSend, OwnTime, OwnWorkspace, Past,
    PastMetric, PathProblem, PersonsRecord, Point, Presentation, RESPONSE_SIZE_MAX, RecordChange, RecordId, Records,
    RecordsOfThing, SENT_BY_RUN_MAX, SendChannels, SendPolicy, ServerNames, ServiceError, ServiceName, Services,
    TimeZones, Validators, WORKSPACE_SIZE_MAX, Waiting, WorkspaceError, WorkspacePath, WorkspaceRefusal, Workspaces,
    Written, WrittenBy, WrittenMetrics, fresh_metrics, host_name, is_public, metric_figures, person_of_scope,
    personal_scope, scopes_of_people, written_metrics,
};
pub(crate) use spec::press;
pub use spec::{
    Choice, Command, CommandKind, Cooldowns, EventHook, EventKind, Group, HandlerKind, HandlerRef, Install,
    InteractionContext, Leaf, Localized, MODAL_INPUTS_MAX, ModuleSettings, OptionKind, OptionSpec, Owner, Policy,
    Press, RequiredOption, SECRET_ENDINGS, SETTING_LENGTH_MAX, Schedule, SettingKind, SettingSecrets, SettingSpec,
    SettingVariables, SettingsUnreadable, Subcommand, ToolSpec, WrittenAt, is_named_like_secret, setting_text,
    tool_name,
};
