//! A command that passed the check: what it is called, what it takes, who answers it.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::contract::handler::{Completer, Handler};

/// Who brings a command.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The bot itself.
    Harness,
    /// The module of this name.
    Module(String),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Harness => f.write_str("harness"),
            Self::Module(name) => f.write_str(name),
        }
    }
}

/// A command and everything that may be said about it before it runs.
#[derive(Clone, Debug)]
pub struct Command {
    /// The name without its slash.
    pub name: String,
    /// What it does, in 1 to 100 characters.
    pub description: String,
    /// Who brings it.
    pub owner: Owner,
    /// Whether answers are shown to the asker alone.
    pub ephemeral: bool,
    /// Whether only operators may run it and see it.
    pub operators_only: bool,
    /// What stands behind it.
    pub kind: CommandKind,
}

/// What stands behind a command.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// One handler.
    Leaf(Leaf),
    /// Subcommands; the command itself cannot be called. In the order of the manifest.
    Parent(Vec<Subcommand>),
}

/// A subcommand of a command.
#[derive(Clone, Debug)]
pub struct Subcommand {
    /// The name.
    pub name: String,
    /// What it does, in 1 to 100 characters.
    pub description: String,
    /// What it takes and who answers.
    pub leaf: Leaf,
}

/// Something that can be called.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// What it takes: required options first, as Discord demands.
    pub options: Vec<OptionSpec>,
    /// Who answers.
    pub handler: Handler,
    /// How the chat model may call it, if it may.
    pub tool: Option<ToolSpec>,
}

/// A command as a tool of the chat model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSpec {
    /// What the model calls it: 1 to 64 characters of `a-z A-Z 0-9 _ -`, the only one of that name. See the
    /// documentation of OpenAI's function calling.
    pub name: String,
    /// Whether it changes something. Such a tool is offered where the operator allows it, and a person confirms
    /// each call.
    pub writes: bool,
    /// Words by which a reply claims that it ran, such as `saved`: lower-case past participles.
    pub claims: Vec<String>,
}

/// What the model calls a command if its manifest gives no other name: `/tasks list` is `tasks_list`.
pub fn tool_name(path: &CommandPath) -> String {
    [Some(path.command()), path.subcommand()].into_iter().flatten().collect::<Vec<_>>().join("_")
}

impl Leaf {
    /// The option of that name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// One option of a command.
#[derive(Clone, Debug)]
pub struct OptionSpec {
    /// The name.
    pub name: String,
    /// What it means, in 1 to 100 characters.
    pub description: String,
    /// What may be given.
    pub kind: OptionKind,
    /// Whether it must be given.
    pub required: bool,
    /// Suggests values while a person types.
    pub completer: Option<Completer>,
}

/// What may be given for an option, with its bounds. Bounds are inclusive.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionKind {
    /// Text. Lengths in characters.
    String {
        /// Shortest text.
        min_length: Option<u16>,
        /// Longest text.
        max_length: Option<u16>,
        /// The only texts allowed; empty means any.
        choices: Vec<Choice>,
    },
    /// A whole number.
    Integer {
        /// Smallest.
        min: Option<i64>,
        /// Largest.
        max: Option<i64>,
    },
    /// A number.
    Number {
        /// Smallest.
        min: Option<f64>,
        /// Largest.
        max: Option<f64>,
    },
    /// `true` or `false`.
    Boolean,
}

impl OptionKind {
    /// The word for it in usage lines and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::String { .. } => "text",
            Self::Integer { .. } => "whole number",
            Self::Number { .. } => "number",
            Self::Boolean => "true or false",
        }
    }
}

/// A choice of an option: what is shown and what is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Shown to the person.
    pub name: String,
    /// Given to the handler.
    pub value: String,
}

impl Command {
    /// Everything of it that can be called, with its path, in order.
    pub fn leaves(&self) -> Vec<(CommandPath, &Leaf)> {
        match &self.kind {
            CommandKind::Leaf(leaf) => vec![(CommandPath::new(&self.name, None), leaf)],
            CommandKind::Parent(subcommands) => subcommands
                .iter()
                .map(|subcommand| (CommandPath::new(&self.name, Some(&subcommand.name)), &subcommand.leaf))
                .collect(),
        }
    }
}

/// The full name of something that can be called: a command, or a command and its subcommand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandPath {
    command: Arc<str>,
    subcommand: Option<Arc<str>>,
}

impl CommandPath {
    /// The path of a command or of its subcommand, both without a slash.
    pub fn new(command: &str, subcommand: Option<&str>) -> Self {
        Self { command: command.into(), subcommand: subcommand.map(Into::into) }
    }

    /// The command's name without its slash.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The subcommand's name.
    pub fn subcommand(&self) -> Option<&str> {
        self.subcommand.as_deref()
    }
}

impl fmt::Display for CommandPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.command)?;
        self.subcommand.as_ref().map_or(Ok(()), |subcommand| write!(f, " {subcommand}"))
    }
}

/// Whether a JSON value fits an option: its type, its bounds and its choices. The error says what is
/// wrong in words for the person.
pub fn fits(kind: &OptionKind, value: &Value) -> Result<(), String> {
    match kind {
        OptionKind::String { min_length, max_length, choices } => {
            let text = value.as_str().ok_or("must be text")?;
            let length = text.chars().count();
            if let Some(min) = min_length.filter(|&min| length < usize::from(min)) {
                return Err(format!("must have at least {min} characters"));
            }
            if let Some(max) = max_length.filter(|&max| usize::from(max) < length) {
                return Err(format!("must have at most {max} characters; this has {length}"));
            }
            if !choices.is_empty() && !choices.iter().any(|choice| choice.value == text) {
                let known: Vec<_> = choices.iter().map(|choice| format!("`{}`", choice.value)).collect();
                return Err(format!("must be one of {}", known.join(", ")));
            }
            Ok(())
        }
        OptionKind::Integer { min, max } => {
            let number = value.as_i64().ok_or("must be a whole number")?;
            within(&number, min.as_ref(), max.as_ref())
        }
        OptionKind::Number { min, max } => {
            let number = value.as_f64().ok_or("must be a number")?;
            within(&number, min.as_ref(), max.as_ref())
        }
        OptionKind::Boolean => value.as_bool().map(drop).ok_or_else(|| "must be `true` or `false`".to_owned()),
    }
}

fn within<N: PartialOrd + fmt::Display>(number: &N, min: Option<&N>, max: Option<&N>) -> Result<(), String> {
    match (min, max) {
        (Some(min), _) if number < min => Err(format!("must be at least {min}")),
        (_, Some(max)) if max < number => Err(format!("must be at most {max}")),
        _ => Ok(()),
    }
}
