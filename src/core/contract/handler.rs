//! What answers a command, and what it is given.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::contract::services::{Services, WorkspaceError};
use crate::inbound::{Caller, Place};
use crate::reply::Reply;

/// Runs a command: arguments as checked JSON, and the call.
pub type Run = dyn Fn(Map<String, Value>, Call) -> BoxFuture<'static, Result<Reply, CommandError>> + Send + Sync;
/// Decodes arguments as the handler would, and runs nothing.
pub type Accept = dyn Fn(Map<String, Value>) -> Result<(), String> + Send + Sync;
/// Suggests values for what was typed so far.
pub(crate) type Complete = dyn Fn(String, Call) -> BoxFuture<'static, Vec<Suggestion>> + Send + Sync;
/// Tells what the chat model is to know about a caller.
pub(crate) type Tell = dyn Fn(Call) -> BoxFuture<'static, Result<Vec<String>, CommandError>> + Send + Sync;

/// What answers a command.
#[derive(Clone)]
pub struct Handler {
    name: Arc<str>,
    run: Arc<Run>,
    accept: Arc<Accept>,
}

impl Handler {
    /// A function of this program, by the name that the manifest calls it.
    pub fn native(name: &str, run: Arc<Run>, accept: Arc<Accept>) -> Self {
        Self { name: name.into(), run, accept }
    }

    /// The name the manifest calls it by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Calls it. Only the executor does.
    pub(crate) fn run(
        &self,
        arguments: Map<String, Value>,
        call: Call,
    ) -> BoxFuture<'static, Result<Reply, CommandError>> {
        (self.run)(arguments, call)
    }

    /// Whether it would take these arguments. Runs nothing.
    pub fn accepts(&self, arguments: Map<String, Value>) -> Result<(), String> {
        (self.accept)(arguments)
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Suggests values while a person types. At most 25 of them are shown.
#[derive(Clone)]
pub struct Completer(Arc<Complete>);

impl Completer {
    /// A completer that asks this function: with what was typed so far, and the call.
    pub fn new<F, R>(function: F) -> Self
    where
        F: Fn(String, Call) -> R + Send + Sync + 'static,
        R: Future<Output = Vec<Suggestion>> + Send + 'static,
    {
        Self(Arc::new(move |typed, call| function(typed, call).boxed()))
    }

    /// The suggestions for what was typed so far.
    pub fn suggest(&self, typed: String, call: Call) -> BoxFuture<'static, Vec<Suggestion>> {
        (self.0)(typed, call)
    }
}

impl fmt::Debug for Completer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Completer")
    }
}

/// Tells the chat model about the person who speaks to it: entries for its prompt.
#[derive(Clone)]
pub struct BackgroundSource(pub(crate) Arc<Tell>);

impl BackgroundSource {
    /// The entries about the caller, the most useful first. Only the executor asks for them.
    pub fn tell(&self, call: Call) -> BoxFuture<'static, Result<Vec<String>, CommandError>> {
        (self.0)(call)
    }
}

impl fmt::Debug for BackgroundSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BackgroundSource")
    }
}

/// One suggestion: what is shown, and what is meant if it is picked.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Shown to the person; cut at 100 characters.
    pub label: String,
    /// Given to the handler: of the option's own type.
    pub value: Value,
}

impl From<String> for Suggestion {
    fn from(text: String) -> Self {
        Self { label: text.clone(), value: Value::String(text) }
    }
}

/// What a handler is given beside its arguments.
#[derive(Clone)]
pub struct Call {
    /// Who asks.
    pub caller: Caller,
    /// Where.
    pub place: Place,
    /// When the call began.
    pub now: SystemTime,
    /// The services that the module's manifest asked for.
    pub services: Services,
}

/// Why a handler did not answer. The two audiences never mix.
#[derive(Debug)]
pub enum CommandError {
    /// For the person, as it stands: what they asked for cannot be done, and why.
    Tell(String),
    /// For the log. The person gets a fixed sentence and the receipt's id.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl CommandError {
    /// An error for the person.
    pub fn tell(text: impl Into<String>) -> Self {
        Self::Tell(text.into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self::Internal(Box::new(error))
    }
}

impl From<WorkspaceError> for CommandError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Refused(text) => Self::Tell(text),
            WorkspaceError::Internal(problem) => Self::Internal(problem),
        }
    }
}
