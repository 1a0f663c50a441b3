//! Validated commands: their names, options, handlers and terms.

pub(crate) mod command;
mod narrowed;

pub use command::{
    Choice, Command, CommandKind, Context, Group, HandlerKind, HandlerRef, Install, Leaf, Localized, OptionKind,
    OptionSpec, Owner, Subcommand, ToolSpec, WrittenAt, tool_name,
};
