//! The handlers of outside modules: what answers a command by a template, a program or a tool.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use futures_util::FutureExt as _;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::contract::code::handler::{Accept, Call, CommandError, HandlerFn};
use crate::contract::outside::reply::{ProgramReply, read_reply};
use crate::contract::outside::request::request;
use crate::contract::outside::started::{OutsideError, Program, ToolServer};
use crate::contract::outside::template::Template;
use crate::contract::spec::ModuleSettings;
use crate::language::say;
use crate::reply::{Reply, sanitize_module_text};

/// The reply of a text command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Card {
    pub(crate) title: Option<Template>,
    /// One of them is chosen at each call.
    pub(crate) texts: Vec<Template>,
    pub(crate) colour: Option<u32>,
    pub(crate) picture: Option<String>,
}

/// A handler that answers with a filled template.
pub(crate) fn of_text(card: Card) -> (Arc<HandlerFn>, Arc<Accept>) {
    let run: Arc<HandlerFn> = Arc::new(move |arguments, call| {
        let reply = card.filled(&arguments, &call);
        std::future::ready(Ok(reply)).boxed()
    });
    (run, accepts_all())
}

/// A handler that starts a program for each call. `changes`: whether the program may change something.
pub(crate) fn of_program(
    program: Arc<dyn Program>,
    command: String,
    settings: ModuleSettings,
    changes: bool,
) -> (Arc<HandlerFn>, Arc<Accept>) {
    let command: Arc<str> = command.into();
    let run: Arc<HandlerFn> = Arc::new(move |arguments, call| {
        let (program, command, settings) = (program.clone(), command.clone(), settings.clone());
        async move {
            if changes {
                call.services.announce().await?;
            }
            let printed = program.run(request(&command, &arguments, &settings, &call)).await;
            let ProgramReply { reply, messages } = read_reply(&printed.map_err(|problem| told(problem, &call))?)??;
            for (channel, message) in messages {
                call.services.send()?.send(channel, message).await?;
            }
            Ok(reply)
        }
        .boxed()
    });
    (run, accepts_all())
}

/// A handler that calls a tool of a server. `changes`: whether the tool may change something.
/// `renamed`: the tool's names of the arguments that go by another one here.
pub(crate) fn of_tool(
    server: Arc<dyn ToolServer>,
    tool: String,
    renamed: BTreeMap<String, String>,
    changes: bool,
) -> (Arc<HandlerFn>, Arc<Accept>) {
    let tool: Arc<str> = tool.into();
    let run: Arc<HandlerFn> = Arc::new(move |arguments, call| {
        let (server, tool) = (server.clone(), tool.clone());
        let own = |name: String| renamed.get(&name).cloned().unwrap_or(name);
        let arguments = arguments.into_iter().map(|(name, value)| (own(name), value)).collect();
        async move {
            if changes {
                call.services.announce().await?;
            }
            let answer = server.call(&tool, arguments).await.map_err(|problem| told(problem, &call))?;
            let text = sanitize_module_text(&answer.text);
            match (answer.is_error, text.is_empty()) {
                (true, true) => {
                    Err(CommandError::from(OutsideError::Failed("the tool failed without a word".to_owned())))
                }
                (true, false) => Err(CommandError::tell(text)),
                (false, true) => Err(CommandError::from(OutsideError::Failed("the tool answered nothing".to_owned()))),
                (false, false) => Ok(Reply::text(text)),
            }
        }
        .boxed()
    });
    (run, accepts_all())
}

/// A handler of a module that was not started, because the check is offline. No such command is ever in force.
pub(crate) fn to_be_started() -> (Arc<HandlerFn>, Arc<Accept>) {
    let run: Arc<HandlerFn> = Arc::new(|_, _| {
        let offline = OutsideError::Failed("nothing was started: the check was offline".to_owned());
        std::future::ready(Err(CommandError::from(offline))).boxed()
    });
    (run, accepts_all())
}

/// Arguments are checked against the signature, which is all that these handlers know.
fn accepts_all() -> Arc<Accept> {
    Arc::new(|_| Ok(()))
}

fn told(problem: OutsideError, call: &Call) -> CommandError {
    match problem {
        OutsideError::Busy => CommandError::tell(say!(call.caller.language, "module-busy")),
        failed @ OutsideError::Failed(_) => CommandError::from(failed),
    }
}

impl Card {
    fn filled(&self, arguments: &Map<String, Value>, call: &Call) -> Reply {
        let text = self.texts.get(chosen(call, self.texts.len()));
        Reply {
            title: self.title.as_ref().map(|title| title.filled(arguments, call)),
            text: text.map(|text| text.filled(arguments, call)).unwrap_or_default(),
            colour: self.colour,
            picture: self.picture.clone(),
            ..Reply::default()
        }
    }
}

/// Which of `n` texts a call gets. The core has no source of chance: the call's moment, caller and receipt are hashed,
/// which is even enough for a joke of the day and no more.
fn chosen(call: &Call, n: usize) -> usize {
    let nanoseconds = call.now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let receipt = call.receipt.map_or(0, |id| id.number());
    let digest = Sha256::new()
        .chain_update(nanoseconds.to_le_bytes())
        .chain_update(call.caller.id.0.to_le_bytes())
        .chain_update(receipt.to_le_bytes())
        .finalize();
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let n = u64::try_from(n.max(1)).unwrap_or(1);
    usize::try_from(number % n).unwrap_or_default()
}
