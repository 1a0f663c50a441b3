//! A started outside module: its program or server, or the faults of its start and of its answers.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::diagnostic::Code;
use crate::language::Language;
use crate::record::Digest;

/// A program that runs once for each call.
#[async_trait]
pub trait Program: Send + Sync {
    /// Runs the program with this standard input and returns its standard output.
    async fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, OutsideError>;
}

/// An MCP server whose tools answer calls.
#[async_trait]
pub trait ToolServer: Send + Sync {
    /// Calls a tool. The answer is read in `language`.
    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        language: Language,
    ) -> Result<ToolAnswer, OutsideError>;
}

/// The answer of a tool. Untrusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Its text. Parts that are not text are named in it.
    pub text: String,
    /// Whether the tool reports a failure.
    pub is_error: bool,
}

/// A tool as its server lists it. Untrusted.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// The server's description.
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
}

/// A listed tool that cannot be called. Untrusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableTool {
    /// Its name, on one line.
    pub name: String,
    /// Why it cannot be called.
    pub why: String,
}

/// Why an outside module did not answer. For the log only, except [`OutsideError::Busy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideError {
    /// Its concurrent calls and its queue are at their limits.
    Busy,
    /// It received the call, but its answer is missing or unreadable, so its effects are unknown. As one line.
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

/// The running program or server of a module.
#[derive(Clone)]
pub enum Behind {
    /// A program.
    Program(Arc<dyn Program>),
    /// An MCP server and its tools.
    Server {
        /// The server.
        server: Arc<dyn ToolServer>,
        /// Its tools.
        tools: Vec<OfferedTool>,
        /// Listed tools that cannot be called.
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

/// The result of starting an outside module.
#[derive(Clone, Debug, Default)]
pub struct Started {
    /// The running program or server. `None` if the start failed, which `faults` explains, or if there was nothing to
    /// start.
    pub behind: Option<Behind>,
    /// The problems found.
    pub faults: Vec<Fault>,
    /// Whether nothing was started on purpose, so that it is unknown whether programs and servers work.
    pub is_offline: bool,
    /// The SHA-256 of the module's folder. `None` if only its manifest was read.
    pub content: Option<Digest>,
}

/// How far the check starts programs and servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starting {
    /// Starts nothing. Facts that only a start can show stay unknown, and no registry is built.
    Offline,
    /// Tries programs in folders that are removed afterwards.
    Trial,
    /// Tries programs where they will run.
    Serve,
    /// Starts modules for a module's author. Leaves out other broken modules, in quarantine mode or not.
    Author,
}

/// A problem while starting an outside module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The code of the broken rule.
    pub code: Code,
    /// The place in the manifest.
    pub at: FaultAt,
    /// A description of the problem.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

/// A place in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultAt {
    /// The program or server: `program` or `url`.
    Run,
    /// This path in `reads`.
    Reads(String),
    /// The probe of the command with this full name.
    Probe(String),
}

/// The reason why an answer is malformed. For the log only, as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misshapen(String);

impl Misshapen {
    pub(super) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for Misshapen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misshapen {}
