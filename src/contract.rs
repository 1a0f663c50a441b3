//! What a module promises, and what it is handed.
//!
//! A module is a manifest (`module.toml`) and the handlers it names. [`check`] reads the manifest
//! leniently, compares it with the handlers' signatures in both directions, and returns every problem at
//! once. What passes is a list of [`Command`]s: valid, with their handlers, ready for the registry.
#![deny(clippy::disallowed_methods)]

mod check;
pub mod entity;
mod fits;
mod freshness;
mod handler;
mod history;
#[cfg(test)]
mod in_memory;
pub mod limits;
mod manifest;
mod module;
mod narrowed;
mod path;
#[cfg(test)]
mod said;
mod services;
mod signature;
mod spec;
pub mod text_form;
mod workspace;

pub use check::{AcceptedModule, Checked, Manifest, REMOVE_MADE_UP, RESERVED, RejectedModule, check};
pub use fits::{fits, fits_in};
pub use freshness::{WrittenBy, WrittenMetrics, fresh_metrics, written_metrics};
pub use handler::{BackgroundSource, Call, CommandError, Completer, Handler, HandlerKind, Suggestion};
pub use history::{History, Past, PastMetric, Point};
pub use module::{NativeModule, NoArguments};
pub use path::CommandPath;
pub use services::{
    ClearedConversation, Good, Live, Metric, OWN_METRICS, Observation, OwnRecords, Presentation, ReceiptBook,
    ReceiptList, RecordId, Records, ServiceError, ServiceName, Services, Talk, Trouble,
};
pub use spec::{
    Choice, Command, CommandKind, CommandSurface, Context, Group, Install, Leaf, Localized, OptionKind, OptionSpec,
    Owner, Subcommand, ToolSpec, WrittenAt, tool_name,
};
pub use workspace::{
    FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, OwnWorkspace, WORKSPACE_SIZE_MAX, WorkspaceError, WorkspacePath,
    Workspaces, Written,
};

#[cfg(test)]
pub(crate) use in_memory::InMemory;
#[cfg(test)]
pub(crate) use said::said;
