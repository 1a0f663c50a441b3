//! Handlers, completers and background sources, and their arguments.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::contract::manifest::CommandNames;
use crate::contract::services::{NotDone, Services};
use crate::guild::Rules;
use crate::inbound::{Caller, Place};
use crate::record::ReceiptId;
use crate::reply::Reply;

/// A function that runs a command with checked JSON arguments.
pub type HandlerFn = dyn Fn(Map<String, Value>, Call) -> BoxFuture<'static, Result<Reply, CommandError>> + Send + Sync;
/// A function that decodes arguments as the handler would, without running it.
pub type Accept = dyn Fn(Map<String, Value>) -> Result<(), String> + Send + Sync;
/// A function that suggests values for an option, from the text typed so far. At most 25 are shown.
pub type Completer = Arc<dyn Fn(String, Call) -> BoxFuture<'static, Vec<Suggestion>> + Send + Sync>;
/// A function that returns prompt entries about the person who talks to the chat model, most useful first.
pub type BackgroundSource = Arc<dyn Fn(Call) -> BoxFuture<'static, Result<Vec<String>, CommandError>> + Send + Sync>;

/// The code that answers a command.
#[derive(Clone)]
pub struct Handler {
    name: Arc<str>,
    run: Arc<HandlerFn>,
    accept: Arc<Accept>,
}

impl Handler {
    /// Creates a handler under the name that the manifest uses.
    pub fn new(name: &str, run: Arc<HandlerFn>, accept: Arc<Accept>) -> Self {
        Self { name: name.into(), run, accept }
    }

    /// Returns the name that the manifest uses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its code, for another handler to wrap.
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

    /// Wraps the handler so that its replies use the current names of the module's commands.
    pub(crate) fn saying(self, names: CommandNames) -> Self {
        let names = Arc::new(names);
        let run = self.run;
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

    /// Checks that the handler can decode these arguments, without running it.
    pub fn accepts(&self, arguments: Map<String, Value>) -> Result<(), String> {
        (self.accept)(arguments)
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A suggested value for an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The label shown to the user; cut at 100 characters.
    pub label: String,
    /// The value passed to the handler. It has the option's type.
    pub value: Value,
}

impl From<String> for Suggestion {
    fn from(text: String) -> Self {
        Self { label: text.clone(), value: Value::String(text) }
    }
}

/// The context of a command run, passed to a handler beside its arguments.
#[derive(Clone)]
pub struct Call {
    /// The person who called the command.
    pub caller: Caller,
    /// The place where it was called.
    pub place: Place,
    /// The time when the call began.
    pub now: SystemTime,
    /// The time at which the module wanted this call (service `time`). The call may be late.
    pub due: Option<SystemTime>,
    /// The id of the receipt that the run will leave. `None` if this is not a command run.
    pub receipt: Option<ReceiptId>,
    /// The settings of the guild's administrators at this call. Only the bot's own commands need them.
    pub rules: Rules,
    /// The services that its manifest asks for.
    pub services: Services,
}

/// The error of a handler. Each variant has its own audience: the caller or the log.
#[derive(Debug)]
pub enum CommandError {
    /// Shown to the caller as is: says what cannot be done and why.
    Tell(String),
    /// For the log only. The caller sees a fixed sentence and the receipt id.
    Internal(Box<dyn std::error::Error + Send + Sync>),
    /// Nothing to do yet: call again at this time. Only for a later call ([`Call::due`]); any other call fails with it.
    /// The run stores no changes, leaves no receipt, and shows nothing.
    NotYet(SystemTime),
}

impl CommandError {
    /// Creates an error that is shown to the caller.
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
