//! What a module promises, and what it is handed.
//!
//! A module is a manifest (`module.toml`) and the handlers it names. [`check`] reads the manifest
//! leniently, compares it with the handlers' signatures in both directions, and returns every problem at
//! once. What passes is a list of [`Command`]s: valid, with their handlers, ready for the registry.
#![deny(clippy::disallowed_methods)]

mod check;
mod handler;
#[cfg(test)]
mod in_memory;
pub mod limits;
mod manifest;
mod module;
#[cfg(test)]
mod said;
mod services;
mod signature;
mod spec;
pub mod text_form;
mod workspace;

pub use check::{AcceptedModule, Checked, Manifest, RESERVED, RejectedModule, check};
pub use handler::{BackgroundSource, Call, CommandError, Completer, Handler, HandlerKind, Suggestion};
pub use module::{NativeModule, NoArguments};
pub use services::{
    ClearedConversation, Good, Live, Metric, OWN_METRICS, Observation, OwnRecords, Presentation, ReceiptBook, RecordId,
    Records, ServiceError, ServiceName, Services, Talk, Trouble,
};
pub use spec::{
    Choice, Command, CommandKind, CommandPath, Leaf, OptionKind, OptionSpec, Owner, Subcommand, ToolSpec, fits,
    tool_name,
};
pub use workspace::{
    FILE_SIZE_MAX, FILES_MAX, FileEntry, Listing, OwnWorkspace, WORKSPACE_SIZE_MAX, WorkspaceError, WorkspacePath,
    Workspaces, Written,
};

#[cfg(test)]
pub(crate) use in_memory::InMemory;
#[cfg(test)]
pub(crate) use said::said;
