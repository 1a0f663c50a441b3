//! The guard: may this caller run this command here? The only maker of permits.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::contract::{Command, CommandPath, Handler, Owner};
use crate::inbound::{Caller, Place, UserId};
use crate::receipt::Origin;
use crate::registry::{Catalog, Registry};
use crate::reply::Audience;
use crate::router::Invocation;

/// Who may do what: `[access]` of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// May run operators' commands and read everybody's receipts. The console's person always may.
    pub operators: BTreeSet<UserId>,
    /// May do nothing.
    pub blocked: BTreeSet<UserId>,
}

impl Access {
    /// Whether this caller is an operator.
    pub fn is_operator(&self, caller: &Caller, place: Place) -> bool {
        place == Place::Console || self.operators.contains(&caller.id)
    }

    /// Whether this caller may not even talk to the bot.
    pub fn is_blocked(&self, caller: &Caller) -> bool {
        self.blocked.contains(&caller.id)
    }

    /// Whether this caller may run this command here.
    pub fn allows(&self, command: &Command, caller: &Caller, place: Place) -> Result<(), Denied> {
        if self.is_blocked(caller) {
            return Err(Denied::Blocked);
        }
        if command.operators_only && !self.is_operator(caller, place) {
            return Err(Denied::OperatorsOnly);
        }
        Ok(())
    }

    /// The commands as this caller sees them.
    pub fn catalog(&self, registry: &Arc<Registry>, caller: &Caller, place: Place) -> Catalog {
        Catalog::new(Arc::clone(registry), self.is_operator(caller, place))
    }
}

/// Proof that this caller may run this command here. Spent by the executor.
///
/// ```compile_fail
/// let forged = candor::guard::Permit { invocation: todo!(), handler: todo!(), owner: todo!(), audience: todo!(), origin: todo!() };
/// ```
#[derive(Debug)]
pub struct Permit {
    invocation: Invocation,
    handler: Handler,
    owner: Owner,
    audience: Audience,
    origin: Origin,
}

/// What a spent permit gives: the invocation, who answers it, whose it is, and who may see the answer.
pub(crate) struct Spent {
    pub(crate) invocation: Invocation,
    pub(crate) handler: Handler,
    pub(crate) owner: Owner,
    pub(crate) audience: Audience,
    pub(crate) origin: Origin,
}

impl Permit {
    /// Spends it. There is no way back and no copy.
    pub(crate) fn spend(self) -> Spent {
        let Self { invocation, handler, owner, audience, origin } = self;
        Spent { invocation, handler, owner, audience, origin }
    }
}

/// Why a caller may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The operator blocked this person.
    Blocked,
    /// The command is for operators.
    OperatorsOnly,
    /// The command went out of force since it was routed.
    Gone,
    /// No model may call the command.
    NotATool,
    /// It changes something, and the person did not confirm it.
    NotConfirmed,
}

impl Denied {
    /// The stable name, for the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::OperatorsOnly => "operators-only",
            Self::Gone => "gone",
            Self::NotATool => "not-a-tool",
            Self::NotConfirmed => "not-confirmed",
        }
    }

    /// What the person is told.
    pub fn text(self, path: &CommandPath) -> String {
        match self {
            Self::Blocked => format!("You may not use this bot, so `{path}` did not run. Its operator decides that."),
            Self::OperatorsOnly => format!("`{path}` is for this bot's operators. It did not run."),
            Self::Gone => format!("`{path}` is no longer in force. It did not run."),
            Self::NotATool => format!("`{path}` is for people, not for chat models. It did not run."),
            Self::NotConfirmed => format!("`{path}` changes something, and nobody confirmed it. It did not run."),
        }
    }
}

/// Grants a permit or says why not.
pub fn authorize(invocation: Invocation, registry: &Registry, access: &Access) -> Result<Permit, Denied> {
    permit(invocation, registry, access, Origin::Person)
}

/// The same for a call that a chat model makes in its caller's turn: only what is a tool, and what changes something
/// only with the caller's own consent.
pub fn authorize_for_model(
    invocation: Invocation,
    registry: &Registry,
    access: &Access,
    consent: Option<Consent>,
    origin: Origin,
) -> Result<Permit, Denied> {
    let (_, leaf) = registry.find(&invocation.path).ok_or(Denied::Gone)?;
    let tool = leaf.tool.as_ref().ok_or(Denied::NotATool)?;
    let consented = consent.is_some_and(|consent| consent.covers(&invocation));
    if tool.writes && !consented {
        return Err(Denied::NotConfirmed);
    }
    permit(invocation, registry, access, origin)
}

fn permit(invocation: Invocation, registry: &Registry, access: &Access, origin: Origin) -> Result<Permit, Denied> {
    let (command, leaf) = registry.find(&invocation.path).ok_or(Denied::Gone)?;
    access.allows(command, &invocation.caller, invocation.place)?;
    let audience = if command.ephemeral { Audience::Asker } else { Audience::Place };
    Ok(Permit { invocation, handler: leaf.handler.clone(), owner: command.owner.clone(), audience, origin })
}

/// A caller's own yes to one call, with exactly these arguments.
#[derive(Debug)]
pub struct Consent {
    by: UserId,
    path: CommandPath,
    arguments: Map<String, Value>,
}

impl Consent {
    /// The yes of the person who pressed. Whether that is the caller shows when it is used.
    pub fn given(by: UserId, path: CommandPath, arguments: Map<String, Value>) -> Self {
        Self { by, path, arguments }
    }

    fn covers(&self, invocation: &Invocation) -> bool {
        self.by == invocation.caller.id && self.path == invocation.path && self.arguments == invocation.arguments
    }
}
