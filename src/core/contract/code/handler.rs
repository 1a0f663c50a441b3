//! Handlers, completers and background sources, and what they are given.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::contract::manifest::CommandNames;
use crate::contract::services::{NotDone, Services};
use crate::inbound::{Caller, Place};
use crate::record::ReceiptId;
use crate::reply::Reply;

/// Runs a command with checked JSON arguments and the call.
pub type HandlerFn = dyn Fn(Map<String, Value>, Call) -> BoxFuture<'static, Result<Reply, CommandError>> + Send + Sync;
/// Decodes arguments as the handler would, without running it.
pub type Accept = dyn Fn(Map<String, Value>) -> Result<(), String> + Send + Sync;
/// Suggests values for what was typed so far.
pub(crate) type Complete = dyn Fn(String, Call) -> BoxFuture<'static, Vec<Suggestion>> + Send + Sync;
/// Returns data about a caller for the chat model's prompt.
pub(crate) type Tell = dyn Fn(Call) -> BoxFuture<'static, Result<Vec<String>, CommandError>> + Send + Sync;

/// The code that answers a command.
#[derive(Clone)]
pub struct Handler {
    name: Arc<str>,
    run: Arc<HandlerFn>,
    accept: Arc<Accept>,
}

impl Handler {
    /// Code under the name that the manifest uses.
    pub fn new(name: &str, run: Arc<HandlerFn>, accept: Arc<Accept>) -> Self {
        Self { name: name.into(), run, accept }
    }

    /// The name that the manifest uses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its code, for another handler around it.
    pub(crate) fn code(&self) -> (Arc<HandlerFn>, Arc<Accept>) {
        (self.run.clone(), self.accept.clone())
    }

    /// Runs the handler. Only the executor calls this.
    pub(crate) fn run(
        &self,
        arguments: Map<String, Value>,
        call: Call,
    ) -> BoxFuture<'static, Result<Reply, CommandError>> {
        (self.run)(arguments, call)
    }

    /// The same handler, whose replies name the module's commands as they are called now.
    pub(crate) fn saying(self, names: CommandNames) -> Self {
        let (names, run) = (Arc::new(names), self.run);
        let said: Arc<HandlerFn> = Arc::new(move |arguments, call| {
            let names = Arc::clone(&names);
            run(arguments, call)
                .map(move |result| match result {
                    Ok(reply) => Ok(names.in_reply(reply)),
                    Err(CommandError::Tell(text)) => Err(CommandError::Tell(names.in_text(&text).into_owned())),
                    Err(other @ (CommandError::Internal(_) | CommandError::NotYet(_))) => Err(other),
                })
                .boxed()
        });
        Self { run: said, ..self }
    }

    /// Whether the handler can decode these arguments. Runs nothing.
    pub fn accepts(&self, arguments: Map<String, Value>) -> Result<(), String> {
        (self.accept)(arguments)
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Suggests values while a user types. At most 25 are shown.
#[derive(Clone)]
pub struct Completer(Arc<Complete>);

impl Completer {
    /// A completer that calls this function with what was typed so far, and the call.
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

/// Tells the chat model about the person it is talking to: entries for its prompt.
#[derive(Clone)]
pub struct BackgroundSource(pub(crate) Arc<Tell>);

impl BackgroundSource {
    /// The entries about the caller, most useful first. Only the executor calls this.
    pub fn tell(&self, call: Call) -> BoxFuture<'static, Result<Vec<String>, CommandError>> {
        (self.0)(call)
    }
}

impl fmt::Debug for BackgroundSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BackgroundSource")
    }
}

/// One suggestion: the label shown, and the value used if it is picked.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Shown to the user; cut at 100 characters.
    pub label: String,
    /// Given to the handler; has the option's type.
    pub value: Value,
}

impl From<String> for Suggestion {
    fn from(text: String) -> Self {
        Self { label: text.clone(), value: Value::String(text) }
    }
}

/// What a handler is given besides its arguments.
#[derive(Clone)]
pub struct Call {
    /// Who called the command.
    pub caller: Caller,
    /// Where it was called.
    pub place: Place,
    /// When the call began.
    pub now: SystemTime,
    /// When it was to be made, if the module asked for this call earlier (service `time`). It may be late.
    pub due: Option<SystemTime>,
    /// The id of the receipt that the run will leave; `None` if it is no run of a command.
    pub receipt: Option<ReceiptId>,
    /// The services granted to the module: those its manifest asks for.
    pub services: Services,
}

/// Why a handler did not answer. Each variant has its own audience: the caller or the log.
#[derive(Debug)]
pub enum CommandError {
    /// Shown to the caller as it stands: what cannot be done, and why.
    Tell(String),
    /// For the log only. The caller sees a fixed sentence and the receipt id.
    Internal(Box<dyn std::error::Error + Send + Sync>),
    /// Of a call that the module asked for earlier ([`Call::due`]): there is nothing to do yet, and it is called again
    /// at this time. Nothing that it changed is stored, nobody is told, and it leaves no receipt. Any other call fails
    /// with it.
    NotYet(SystemTime),
}

impl CommandError {
    /// An error shown to the caller.
    pub fn tell(text: impl Into<String>) -> Self {
        Self::Tell(text.into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self::Internal(Box::new(error))
    }
}

impl From<NotDone> for CommandError {
    fn from(not_done: NotDone) -> Self {
        match not_done {
            NotDone::Told(text) => Self::Tell(text),
            NotDone::Internal(problem) => Self::Internal(problem),
        }
    }
}
