//! Permits: proof that a caller may run a command, created only here.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use crate::access::chat::ChatAccess;
use crate::access::cooldown::CooldownKey;
use crate::access::denied::Denied;
use crate::access::rules::Use;
use crate::access::{cooldown, rules};
use crate::contract::{Command, Cooldowns, Handler, HandlerKind, Owner, Policy};
use crate::guild::{GuildCooldowns, OffHere, Rules};
use crate::inbound::{Asking, Caller, ChannelId, CommandPath, EventId, Place, UserId};
use crate::record::{CodeName, ModelCall, Origin};
use crate::registry::{Catalog, Registry};
use crate::reply::Audience;
use crate::router::Invocation;

/// The access rules of a place: `[access]`, `[permissions]` and `[chat.access]` of the operator. In a guild they
/// include the commands that its administrators switched off, and their cooldowns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// May run operators' commands and read all receipts. The console's user is always an operator.
    pub operators: BTreeSet<UserId>,
    pub blocked: BTreeSet<UserId>,
    /// The operator's policies for single commands, by name as people type it: `/tasks`, `/tasks remove`. A policy for
    /// a command applies to everything below it.
    pub policies: BTreeMap<String, Policy>,
    pub chat: ChatAccess,
    /// Commands switched off in this guild. Empty in the operator's own rules.
    pub off: OffHere,
    /// Cooldowns set in this guild. Empty in the operator's own rules.
    pub cooldowns: GuildCooldowns,
}

impl Access {
    /// Returns the same access with the commands that a guild's administrators switched off, and their cooldowns.
    pub fn here(&self, rules: &Rules) -> Cow<'_, Self> {
        match (rules.off(), rules.cooldowns()) {
            (OffHere::Nothing, None) => Cow::Borrowed(self),
            (off, cooldowns) => {
                Cow::Owned(Self { off, cooldowns: cooldowns.cloned().unwrap_or_default(), ..self.clone() })
            }
        }
    }

    pub fn is_operator(&self, caller: &Caller, place: Place) -> bool {
        place == Place::Console || self.operators.contains(&caller.id)
    }

    /// Returns whether this caller is blocked, even from talking to the bot.
    pub fn is_blocked(&self, caller: &Caller) -> bool {
        self.blocked.contains(&caller.id)
    }

    /// Checks whether this caller may run this command here. Every rule must hold: the manifest's, and the operator's
    /// for the command and for the called subcommand.
    pub fn allows(&self, command: &Command, path: &CommandPath, asking: &Asking<'_>) -> Result<(), Denied> {
        self.decide(command, path, asking, Use::Run)
    }

    fn decide(&self, command: &Command, path: &CommandPath, asking: &Asking<'_>, purpose: Use) -> Result<(), Denied> {
        if self.is_blocked(asking.caller) {
            return Err(Denied::Blocked);
        }
        let is_operator = self.is_operator(asking.caller, asking.place);
        if command.operators_only && !is_operator && !asking.is_guild() {
            return Err(Denied::OperatorsOnly);
        }
        rules::of_guild(&self.off, command, path)?;
        rules::of_command(command, asking, purpose)?;
        rules::of_policy(&command.policy, asking, is_operator)?;
        self.of_operator(path).try_for_each(|(_, policy)| rules::of_policy(policy, asking, is_operator))
    }

    /// Returns whether the decision about this command depends on a member's roles or permissions.
    pub fn asks_for_member(&self, registry: &Registry, path: &CommandPath) -> bool {
        let asks = |policy: &Policy| policy.roles.is_some() || !policy.discord.is_empty();
        registry.find(path).is_some_and(|(command, _)| {
            command.default_member_permissions.is_some() || self.policies(command, path).any(|(_, policy)| asks(policy))
        })
    }

    /// Returns the commands that this caller may use.
    pub fn catalog(&self, registry: &Arc<Registry>, asking: &Asking<'_>) -> Catalog {
        Catalog::seen_by(Arc::clone(registry), |command, path| self.decide(command, path, asking, Use::List).is_ok())
    }

    /// Returns every policy that applies to a path, each with the command it is written for.
    fn policies<'a>(
        &'a self,
        command: &'a Command,
        path: &CommandPath,
    ) -> impl Iterator<Item = (String, &'a Policy)> + use<'a> {
        [(whole(path), &command.policy)]
            .into_iter()
            .chain(self.of_operator(path).map(|(name, policy)| (name.clone(), policy)))
    }

    /// Returns every policy of the operator for a path or a part of it, each with the command it is written for.
    fn of_operator<'a>(&'a self, path: &CommandPath) -> impl Iterator<Item = (&'a String, &'a Policy)> + use<'a> {
        // Most operators have no policies, and a catalog calls this for each of its paths.
        let names: Vec<_> = if self.policies.is_empty() { Vec::new() } else { path.names().collect() };
        let above =
            (1..=names.len()).filter_map(|n| names.get(..n).map(|names| CommandPath::at(path.command_type(), names)));
        above.filter_map(|path| self.policies.get_key_value(&path.to_string())).collect::<Vec<_>>().into_iter()
    }
}

/// Proof that this caller may run this command here. The executor consumes it.
///
/// ```compile_fail
/// fn copied(permit: &candor_core::access::Permit) -> candor_core::access::Permit {
///     permit.clone()
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    invocation: Invocation,
    handler: Handler,
    kind: HandlerKind,
    /// The options whose values are stored only as digests.
    private: Vec<String>,
    owner: Owner,
    audience: Audience,
    by_operator: bool,
    origin: Origin,
    code: Option<CodeName>,
    model: Option<ModelCall>,
    due: Option<SystemTime>,
    tells: Option<ChannelId>,
    may_change: bool,
    cooldowns: Vec<(CooldownKey, Duration)>,
}

pub(crate) struct Spent {
    pub(crate) invocation: Invocation,
    pub(crate) handler: Handler,
    pub(crate) kind: HandlerKind,
    pub(crate) private: Vec<String>,
    pub(crate) audience: Audience,
    pub(crate) by_operator: bool,
    pub(crate) origin: Origin,
    pub(crate) code: Option<CodeName>,
    pub(crate) model: Option<ModelCall>,
}

impl Permit {
    pub fn invocation(&self) -> &Invocation {
        &self.invocation
    }

    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the cooldown keys that must be free for the run, and how long the run occupies each.
    pub fn cooldowns(&self) -> &[(CooldownKey, Duration)] {
        &self.cooldowns
    }

    /// Returns the due time of a call that a module scheduled.
    pub fn due(&self) -> Option<SystemTime> {
        self.due
    }

    /// Returns the channel for the answer, if an event or a schedule runs the command.
    pub fn tells(&self) -> Option<ChannelId> {
        self.tells
    }

    /// Returns whether the run may change something. The command's manifest must say `writes = true`, and for a chat
    /// model's call a person must have confirmed it.
    pub fn may_change(&self) -> bool {
        self.may_change
    }

    /// Consumes the permit. It cannot be copied or restored.
    pub(crate) fn spend(self) -> Spent {
        let Self { invocation, handler, kind, private, audience, by_operator, origin, code, model, .. } = self;
        Spent { invocation, handler, kind, private, audience, by_operator, origin, code, model }
    }
}

/// Grants a permit, or says why not.
pub fn authorize(invocation: Invocation, registry: &Registry, access: &Access) -> Result<Permit, Denied> {
    permit(invocation, registry, access, Origin::Person)
}

/// Like [`authorize`], for a refresh of one of the caller's live answers. Access is checked anew each time, but not
/// cooldowns, because the host sets the pace. The caller's roles and permissions may be slightly old.
pub fn authorize_refresh(invocation: Invocation, registry: &Registry, access: &Access) -> Result<Permit, Denied> {
    permit(invocation, registry, access, Origin::Refresh)
}

/// Like [`authorize_refresh`], for a call that a module scheduled earlier. The command must still belong to that
/// module.
pub fn authorize_due(
    invocation: Invocation,
    registry: &Registry,
    access: &Access,
    module: &str,
    due: SystemTime,
) -> Result<Permit, Denied> {
    let permit = permit(invocation, registry, access, Origin::Due)?;
    if permit.owner.to_string() != module {
        return Err(Denied::Gone);
    }
    Ok(Permit { due: Some(due), ..permit })
}

/// Like [`authorize_due`], for a command that a guild event triggers. Access is checked for the guild itself; the
/// caller is the person of the event. The answer goes to the given channel.
pub fn authorize_event(
    invocation: Invocation,
    registry: &Registry,
    access: &Access,
    module: &str,
    about: Caller,
    tells: ChannelId,
) -> Result<Permit, Denied> {
    if access.is_blocked(&about) {
        return Err(Denied::Blocked);
    }
    let asked = Invocation { caller: Caller::of_guild(about.language), ..invocation };
    let permit = of_guild(asked, registry, access, module, tells, Origin::Event)?;
    Ok(Permit { invocation: Invocation { caller: about, ..permit.invocation }, ..permit })
}

/// Like [`authorize_event`], for a scheduled command. The caller is the guild.
pub fn authorize_schedule(
    invocation: Invocation,
    registry: &Registry,
    access: &Access,
    module: &str,
    tells: ChannelId,
) -> Result<Permit, Denied> {
    let asked = Invocation { caller: Caller::of_guild(invocation.caller.language), ..invocation };
    of_guild(asked, registry, access, module, tells, Origin::Schedule)
}

/// Grants a permit for a module's command that the guild itself runs, with the channel for its answer.
fn of_guild(
    asked: Invocation,
    registry: &Registry,
    access: &Access,
    module: &str,
    tells: ChannelId,
    origin: Origin,
) -> Result<Permit, Denied> {
    let permit = permit(asked, registry, access, origin)?;
    if permit.owner.to_string() != module {
        return Err(Denied::Gone);
    }
    Ok(Permit { tells: Some(tells), ..permit })
}

/// Like [`authorize`], for a call of this chat model in the caller's turn. It permits only tools, and a tool that changes
/// something only with the caller's consent.
pub fn authorize_for_model(
    invocation: Invocation,
    registry: &Registry,
    access: &Access,
    model: &str,
    consent: Option<Consent>,
) -> Result<Permit, Denied> {
    let (_, leaf) = registry.find(&invocation.path).ok_or(Denied::Gone)?;
    let tool = leaf.tool.as_ref().ok_or(Denied::NotATool)?;
    let consent = consent.filter(|consent| consent.covers(&invocation));
    if tool.writes && consent.is_none() {
        return Err(Denied::NotConfirmed);
    }
    let permit = permit(invocation, registry, access, Origin::Model)?;
    let confirm = consent.as_ref().map(|consent| consent.press);
    let model = Some(ModelCall { model: model.to_owned(), confirm });
    Ok(Permit { model, may_change: permit.may_change && consent.is_some(), ..permit })
}

/// Returns the name of the top-level command of a path.
fn whole(path: &CommandPath) -> String {
    CommandPath::at(path.command_type(), &[path.command()]).to_string()
}

fn permit(invocation: Invocation, registry: &Registry, access: &Access, origin: Origin) -> Result<Permit, Denied> {
    let (command, leaf) = registry.find(&invocation.path).ok_or(Denied::Gone)?;
    if command.chat_only && origin != Origin::Model {
        return Err(Denied::Gone);
    }
    let asking = invocation.asking();
    access.allows(command, &invocation.path, &asking)?;
    let cooldowns = match origin {
        Origin::Person | Origin::Model | Origin::Recovered => {
            let path = &invocation.path;
            let of_manifest = cooldown::beside(&access.cooldowns, command.policy.cooldowns, path);
            let of_operator = access.of_operator(path).map(|(name, policy)| (name.clone(), policy.cooldowns));
            let written = [(whole(path), of_manifest)].into_iter().chain(of_operator);
            let given = |name: &str| invocation.arguments.get(name).is_some_and(|value| !value.is_null());
            let of_options = leaf
                .options
                .iter()
                .filter(|option| option.cooldowns != Cooldowns::default() && given(&option.name))
                .map(|option| (format!("{path} {}", option.name), option.cooldowns));
            cooldown::keys(written.chain(of_options), &access.cooldowns, path, &asking)
        }
        // The host sets the pace of refreshes and events. A module's scheduled call runs when it is due.
        Origin::Refresh | Origin::Due | Origin::Event | Origin::Schedule => Vec::new(),
    };
    let audience = if command.ephemeral { Audience::Asker } else { Audience::Place };
    let by_operator = access.is_operator(asking.caller, asking.place);
    let handler = registry.handler(&command.owner, leaf).ok_or(Denied::Gone)?.clone();
    let private = leaf.private_options();
    let owner = command.owner.clone();
    Ok(Permit {
        handler,
        kind: leaf.handler.kind,
        private,
        owner,
        invocation,
        audience,
        by_operator,
        origin,
        code: registry.code_name(&command.owner).cloned(),
        model: None,
        due: None,
        tells: None,
        may_change: leaf.writes,
        cooldowns,
    })
}

/// The caller's consent to one call with exactly these arguments.
#[derive(Debug)]
pub struct Consent {
    by: Caller,
    press: EventId,
    path: CommandPath,
    arguments: Map<String, Value>,
}

impl Consent {
    /// Records the consent of the person who pressed the button, in the interaction `press`. Its use checks that this
    /// person is the caller.
    pub fn given(by: Caller, press: EventId, path: CommandPath, arguments: Map<String, Value>) -> Self {
        Self { by, press, path, arguments }
    }

    fn covers(&self, invocation: &Invocation) -> bool {
        self.by.id == invocation.caller.id && self.path == invocation.path && self.arguments == invocation.arguments
    }
}
