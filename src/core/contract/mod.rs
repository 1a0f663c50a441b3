//! What a module promises, and what it is handed.
//!
//! A module is a manifest (`module.toml`) and the handlers it names. [`check`] reads the manifest
//! leniently, compares it with the handlers' signatures in both directions, and returns every problem at
//! once. What passes is a list of [`Command`]s: valid, with their handlers, ready for the registry.

pub(crate) mod check;
pub mod entity;
mod fits;
pub(crate) mod handler;
pub mod limits;
pub(crate) mod manifest;
mod module;
mod module_code;
pub(crate) mod policy;
mod services;
mod signature;
pub(crate) mod spec;
pub mod text_form;

pub use check::{AcceptedModule, Checked, Manifest, REMOVE_MADE_UP, RESERVED, RejectedModule, check};
pub use fits::{fits, fits_in};
pub use handler::{Accept, BackgroundSource, Call, CommandError, Completer, Handler, Run, Suggestion};
pub use module::{NativeModule, NoArguments};
pub use module_code::ModuleCode;
pub use policy::{Cooldowns, Policy};
pub use services::{
    ClearedConversation, CommandBook, FILE_SIZE_MAX, FILES_MAX, FileEntry, FileTrouble, Good, History, Listing, Live,
    Metric, OWN_METRICS, Observation, OwnCommands, OwnRecords, OwnWorkspace, Past, PastMetric, Point, Presentation,
    ReceiptBook, ReceiptList, RecordId, Records, ServiceError, ServiceName, Services, Talk, WORKSPACE_SIZE_MAX,
    WorkspaceError, WorkspacePath, Workspaces, Written, WrittenBy, WrittenMetrics, fresh_metrics, written_metrics,
};
pub use spec::{
    Choice, Command, CommandKind, Context, Group, HandlerKind, HandlerRef, Install, Leaf, Localized, OptionKind,
    OptionSpec, Owner, Subcommand, ToolSpec, WrittenAt, tool_name,
};
