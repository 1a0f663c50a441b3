//! Probes that every command in force can be reached.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value, json};

use crate::access::{Consent, admits_nobody, admitted, authorize, authorize_for_model};
use crate::contract::{Command, Handler, Leaf, OptionKind};
use crate::inbound::{Asking, CallMethod, CommandType, EventId, Inbound, Interaction};
use crate::registry::{Reach, Registry};
use crate::router::{Invocation, Route, classify};

/// Sends one interaction for every callable command through router and access check to its handler, which decodes the
/// arguments. Runs nothing.
pub fn probe(registry: &Arc<Registry>) -> Reach {
    let mut reach = Reach::default();
    for leaf in registry.all().flat_map(|command| command.leaves()) {
        reach.registered += 1;
        match reaches(registry, leaf) {
            Ok(()) => reach.reachable += 1,
            Err(problem) => reach.unreachable.push((leaf.path.clone(), problem)),
        }
    }
    reach
}

fn reaches(registry: &Arc<Registry>, leaf: &Leaf) -> Result<(), String> {
    let path = &leaf.path;
    let (command, _) = registry.find(path).ok_or("it is not in force")?;
    if command.chat_only {
        return reaches_chat_only(registry, command, leaf);
    }
    let (access, caller, place) = admitted(command);
    let catalog = access.catalog(registry, &Asking { caller: &caller, place, method: CallMethod::Picked });
    let examples = || leaf.options.iter().map(|option| (option.name.clone(), example(&option.kind)));
    let (arguments, target) = match path.command_type() {
        CommandType::Slash => (examples().collect(), None),
        CommandType::UserMenu | CommandType::MessageMenu => (Map::new(), examples().next().map(|(_, target)| target)),
    };
    let inbound = Inbound::Interaction(Interaction {
        id: EventId(0),
        caller,
        place,
        method: CallMethod::Picked,
        command_type: path.command_type(),
        path: path.names().map(str::to_owned).collect(),
        target,
        arguments,
        sent: UNIX_EPOCH,
    });
    match classify(&inbound, &catalog) {
        Route::Command(invocation) if invocation.path == *path => {
            let arguments = invocation.arguments.clone();
            let handler = match authorize(invocation, registry, &access) {
                Ok(permit) => permit.spend().handler,
                // The manifest deliberately admits no caller.
                Err(_) if admits_nobody(command) => handler_of(registry, command, leaf)?,
                Err(denied) => return Err(format!("access says {}", denied.name())),
            };
            accepts(&handler, arguments)
        }
        other => Err(format!("the router says {}", other.name())),
    }
}

/// Probes a tool of the chat model alone, which the router never reaches: as a model's call with the caller's consent.
fn reaches_chat_only(registry: &Registry, command: &Command, leaf: &Leaf) -> Result<(), String> {
    let (access, caller, place) = admitted(command);
    let examples = leaf.options.iter().filter(|option| option.required);
    let arguments: Map<_, _> = examples.map(|option| (option.name.clone(), example(&option.kind))).collect();
    let event = EventId(0);
    let consent = Consent::given(caller.clone(), event, leaf.path.clone(), arguments.clone());
    let method = CallMethod::Typed;
    let path = leaf.path.clone();
    let invocation = Invocation { event, caller, place, method, path, arguments: arguments.clone() };
    let handler = match authorize_for_model(invocation, registry, &access, "", Some(consent)) {
        Ok(permit) => permit.spend().handler,
        // The manifest deliberately admits no caller.
        Err(_) if admits_nobody(command) => handler_of(registry, command, leaf)?,
        Err(denied) => return Err(format!("access says {}", denied.name())),
    };
    accepts(&handler, arguments)
}

fn handler_of(registry: &Registry, command: &Command, leaf: &Leaf) -> Result<Handler, String> {
    registry.handler(&command.owner, leaf).cloned().ok_or_else(|| "its handler is not there".to_owned())
}

fn accepts(handler: &Handler, arguments: Map<String, Value>) -> Result<(), String> {
    handler.accepts(arguments).map_err(|problem| format!("its handler does not take what it declares: {problem}"))
}

/// Returns an example value that fits an option.
fn example(kind: &OptionKind) -> Value {
    match kind {
        OptionKind::String { choices, min_length, .. } => match choices.first() {
            Some(choice) => Value::from(choice.value.clone()),
            None => Value::from("x".repeat(min_length.map_or(1, |min| usize::from(min.max(1))))),
        },
        OptionKind::Integer { min, max, choices } => {
            let only = choices.first().map(|choice| choice.value);
            Value::from(only.or(*min).or(*max).unwrap_or(1))
        }
        OptionKind::Number { min, max, choices } => {
            let only = choices.first().map(|choice| choice.value);
            Value::from(only.or(*min).or(*max).unwrap_or(1.0))
        }
        OptionKind::Boolean => Value::from(true),
        OptionKind::User | OptionKind::Role => json!({ "id": "1" }),
        OptionKind::Channel { types } => json!({ "id": "1", "kind": types.first() }),
        OptionKind::Mentionable => json!({ "type": "user", "id": "1" }),
        OptionKind::Attachment => {
            json!({ "id": "1", "filename": "x", "size": 1, "url": "https://cdn.discordapp.com/x" })
        }
        OptionKind::Message => json!({ "id": "1", "channel": "1", "author": { "id": "1" }, "content": "x" }),
    }
}
