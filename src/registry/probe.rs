//! Proof that every command in force can be reached.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::{Map, Value, json};

use crate::contract::{CommandPath, CommandSurface, Leaf, OptionKind};
use crate::guard::{Asking, admits_nobody, admitted, authorize};
use crate::inbound::{Asked, EventId, Inbound, Interaction};
use crate::registry::Registry;
use crate::router::{Route, classify};

/// What the probe found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Everything that can be called.
    pub registered: usize,
    /// What was reached.
    pub reachable: usize,
    /// What was not, and why.
    pub unreachable: Vec<(CommandPath, String)>,
}

impl Registry {
    /// Sends one interaction for everything that can be called through the router and the guard to its
    /// handler, whose arguments it decodes. Runs nothing.
    pub fn probe(self: &Arc<Self>) -> Reach {
        let mut reach = Reach::default();
        for (path, leaf) in self.commands().chain(self.menus()).flat_map(|command| command.leaves()) {
            reach.registered += 1;
            match self.reaches(&path, leaf) {
                Ok(()) => reach.reachable += 1,
                Err(problem) => reach.unreachable.push((path, problem)),
            }
        }
        reach
    }

    fn reaches(self: &Arc<Self>, path: &CommandPath, leaf: &Leaf) -> Result<(), String> {
        let (command, _) = self.find(path).ok_or("it is not in force")?;
        let (access, caller, place) = admitted(command);
        let catalog = access.catalog(self, &Asking { caller: &caller, place, asked: Asked::Picked });
        let examples = || leaf.options.iter().map(|option| (option.name.clone(), example(&option.kind)));
        let (arguments, target) = match path.surface() {
            CommandSurface::Slash => (examples().collect(), None),
            CommandSurface::UserMenu | CommandSurface::MessageMenu => {
                (Map::new(), examples().next().map(|(_, target)| target))
            }
        };
        let inbound = Inbound::Interaction(Interaction {
            id: EventId(0),
            caller,
            place,
            asked: Asked::Picked,
            surface: path.surface(),
            path: path.names().map(str::to_owned).collect(),
            target,
            arguments,
            sent: UNIX_EPOCH,
        });
        match classify(&inbound, &catalog) {
            Route::Command(invocation) if invocation.path == *path => {
                let arguments = invocation.arguments.clone();
                let handler = match authorize(invocation, self, &access) {
                    Ok(permit) => permit.spend().handler,
                    // To be for nobody is what the manifest says.
                    Err(_) if admits_nobody(command) => leaf.handler.clone(),
                    Err(denied) => return Err(format!("the guard says {}", denied.name())),
                };
                handler
                    .accepts(arguments)
                    .map_err(|problem| format!("its handler does not take what it declares: {problem}"))
            }
            other => Err(format!("the router says {}", other.name())),
        }
    }
}

/// A value that fits an option.
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
