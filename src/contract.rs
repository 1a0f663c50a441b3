//! What a module promises, and what it is handed.
//!
//! A module is a manifest (`module.toml`) and the handlers it names. [`check`] reads the manifest
//! leniently, compares it with the handlers' signatures in both directions, and returns every problem at
//! once. What passes is a list of [`Command`]s: valid, with their handlers, ready for the registry.
#![deny(clippy::disallowed_methods)]

mod check;
mod handler;
pub mod limits;
mod manifest;
mod module;
mod services;
mod signature;
mod spec;
pub mod text_form;

pub use check::{AcceptedModule, Checked, Manifest, RESERVED, RejectedModule, check};
pub use handler::{Call, CommandError, Completer, Handler, HandlerKind, Suggestion};
pub use module::{NativeModule, NoArguments};
pub use services::{
    ClearedConversation, Good, Live, Metric, Observation, OwnRecords, Presentation, ReceiptBook, RecordId, Records,
    ServiceError, ServiceName, Services, Talk, Trouble,
};
pub use spec::{Choice, Command, CommandKind, CommandPath, Leaf, OptionKind, OptionSpec, Owner, Subcommand, fits};
