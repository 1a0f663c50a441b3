//! A callable command or subcommand: its options, its handler, and its use as a tool of the chat model.

use std::sync::Arc;

use crate::contract::spec::option::OptionSpec;
use crate::inbound::{CommandPath, CommandType};
use crate::text::names;

/// A callable command or subcommand.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its full name, set by its place in its command.
    pub(crate) path: CommandPath,
    /// The options, in Discord's order: required ones first.
    pub options: Vec<OptionSpec>,
    /// The handler.
    pub handler: HandlerRef,
    /// Whether it may change something. Without it, a run that tries to change something fails.
    pub writes: bool,
    /// Whether it removes something.
    pub removes: bool,
    /// Its use as a tool of the chat model, if it is one.
    pub tool: Option<Box<ToolSpec>>,
}

/// A reference to a handler. The registry finds the code by owner and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerRef {
    /// The name that the manifest uses.
    pub name: Arc<str>,
    /// The handler's kind.
    pub kind: HandlerKind,
}

names! {
    /// The kind of a handler: how its code is provided.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HandlerKind {
        /// A compiled-in Rust function.
        Native = "native",
        /// A reply written in the manifest.
        Text = "text",
        /// A program, started for each call.
        Exec = "exec",
        /// A tool of an MCP server.
        Mcp = "mcp",
    }
}

impl HandlerKind {
    /// Returns whether it may change things that the bot cannot see.
    pub(crate) fn is_outside(self) -> bool {
        matches!(self, Self::Exec | Self::Mcp)
    }
}

/// A command as a tool of the chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// The tool name, unique, 1 to 64 characters of `a-z A-Z 0-9 _ -`. See OpenAI's documentation of function calling.
    pub name: String,
    /// Whether it changes something. Such a tool is offered only where the operator allows it, and a person confirms
    /// each call.
    pub writes: bool,
    /// The description for the model. `None` means the command's description.
    pub description: Option<String>,
    /// The optional arguments that the model sees. `None` means all.
    pub options: Option<Vec<String>>,
}

impl ToolSpec {
    /// Creates a tool with only a name.
    pub fn new(name: impl Into<String>, writes: bool) -> Self {
        Self { name: name.into(), writes, description: None, options: None }
    }
}

/// Returns the default tool name of a command: `/tasks list` becomes `tasks_list`.
pub fn tool_name(path: &CommandPath) -> String {
    path.names().collect::<Vec<_>>().join("_")
}

impl Leaf {
    /// Creates a leaf for a compiled-in handler with this name. Its command sets its path.
    pub fn new(handler: &str, options: Vec<OptionSpec>, tool: Option<ToolSpec>) -> Self {
        let handler = HandlerRef { name: handler.into(), kind: HandlerKind::Native };
        Self {
            path: CommandPath::at(CommandType::Slash, &[]),
            options,
            handler,
            writes: tool.as_ref().is_some_and(|tool| tool.writes),
            tool: tool.map(Box::new),
            removes: false,
        }
    }

    #[must_use]
    pub(crate) fn of_kind(mut self, kind: HandlerKind) -> Self {
        self.handler.kind = kind;
        self
    }

    /// Returns its full name: `/tasks add`.
    pub fn path(&self) -> &CommandPath {
        &self.path
    }

    /// Returns the names of the options whose values are stored only as digests.
    pub fn private_options(&self) -> Vec<String> {
        self.options.iter().filter(|option| option.private).map(|option| option.name.clone()).collect()
    }

    /// Returns the option with that name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}
