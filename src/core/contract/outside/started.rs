//! A started outside module: its program or server, or what went wrong at its start.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::diagnostic::Code;
use crate::language::Language;

/// A program that answers one call a run.
#[async_trait]
pub trait Program: Send + Sync {
    /// Runs it with this on its standard input. Returns what it printed on its standard output.
    async fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, OutsideError>;
}

/// A server whose tools answer calls.
#[async_trait]
pub trait ToolServer: Send + Sync {
    /// Calls a tool. `language`: in which its answer is read.
    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        language: Language,
    ) -> Result<ToolAnswer, OutsideError>;
}

/// What a tool answered. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Its text; what is no text is named in it.
    pub text: String,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

/// A tool as its server lists it. Untrusted.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A tool that its server lists in a way that it cannot be called. Untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableTool {
    /// Its name, on one line.
    pub name: String,
    /// What is wrong with it.
    pub why: String,
}

/// Why an outside module did not answer. For the log only, but for [`OutsideError::Busy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideError {
    /// As many of its calls as it allows are under way, and as many wait.
    Busy,
    /// It got the call, and its answer did not arrive or cannot be read: what it did is not known. As one line.
    Unsure(String),
    /// Anything else, as one line.
    Failed(String),
}

impl fmt::Display for OutsideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("too many of its calls are running"),
            Self::Unsure(why) | Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for OutsideError {}

/// What stands behind a module's commands.
#[derive(Clone)]
pub enum Behind {
    /// A program.
    Program(Arc<dyn Program>),
    /// An MCP server with the tools that it lists.
    Server {
        /// The server.
        server: Arc<dyn ToolServer>,
        /// Its tools.
        tools: Vec<OfferedTool>,
        /// Tools that it lists in a way that they cannot be called.
        unusable: Vec<UnusableTool>,
    },
}

impl fmt::Debug for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(_) => f.write_str("Program"),
            Self::Server { tools, .. } => f.debug_struct("Server").field("tools", tools).finish_non_exhaustive(),
        }
    }
}

/// What came of starting an outside module.
#[derive(Clone, Debug, Default)]
pub struct Started {
    /// What stands behind its commands; `None` if that could not be started, which is among the faults, or if nothing
    /// was to be started.
    pub behind: Option<Behind>,
    /// What went wrong.
    pub faults: Vec<Fault>,
    /// Nothing was started on purpose: whether the programs and servers work is unknown.
    pub is_offline: bool,
}

/// Something that went wrong while an outside module was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The rule that is broken.
    pub code: Code,
    /// The place in the manifest.
    pub at: FaultAt,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A place in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// What is started: `program` or `url`.
    Run,
    /// This path among `reads`.
    Reads(String),
    /// The probe of the command with this full name.
    Probe(String),
}
