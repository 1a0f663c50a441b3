//! Proof that every command in force can be reached.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::Value;

use crate::contract::{CommandPath, Leaf, OptionKind};
use crate::guard::{Access, authorize};
use crate::inbound::{Caller, EventId, Inbound, Interaction, Place, UserId};
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
        for (path, leaf) in self.commands().flat_map(|command| command.leaves()) {
            reach.registered += 1;
            match self.reaches(&path, leaf) {
                Ok(()) => reach.reachable += 1,
                Err(problem) => reach.unreachable.push((path, problem)),
            }
        }
        reach
    }

    fn reaches(self: &Arc<Self>, path: &CommandPath, leaf: &Leaf) -> Result<(), String> {
        // The console's person may use everything.
        let (access, place) = (Access::default(), Place::Console);
        let caller = Caller { id: UserId(0), name: "probe".to_owned() };
        let catalog = access.catalog(self, &caller, place);
        let inbound = Inbound::Interaction(Interaction {
            id: EventId(0),
            caller,
            place,
            path: [Some(path.command()), path.subcommand()].into_iter().flatten().map(str::to_owned).collect(),
            arguments: leaf.options.iter().map(|option| (option.name.clone(), example(&option.kind))).collect(),
            sent: UNIX_EPOCH,
        });
        match classify(&inbound, &catalog) {
            Route::Command(invocation) if invocation.path == *path => {
                let arguments = invocation.arguments.clone();
                let permit = authorize(invocation, self, &access)
                    .map_err(|denied| format!("the guard says {}", denied.name()))?;
                permit
                    .spend()
                    .handler
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
        OptionKind::Integer { min, max } => Value::from(min.or(*max).unwrap_or(1)),
        OptionKind::Number { min, max } => Value::from(min.or(*max).unwrap_or(1.0)),
        OptionKind::Boolean => Value::from(true),
    }
}
