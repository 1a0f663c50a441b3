//! A command that passed the check: what it is called, what it takes, who answers it.

pub(crate) mod command;
mod narrowed;

pub use command::{
    Choice, Command, CommandKind, Context, Group, HandlerKind, HandlerRef, Install, Leaf, Localized, OptionKind,
    OptionSpec, Owner, Subcommand, ToolSpec, WrittenAt, tool_name,
};
