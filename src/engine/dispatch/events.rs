//! Runs commands of modules for events on Discord that are not addressed to the bot.
//!
//! A manifest names the event and the command. The operator (`[modules.send_to]`) or the guild's administrators
//! (`module_channels`) name the channels. The answer is posted only there, as a message of the module. The caller of
//! the run is the guild, and the run has a receipt. A claim on the event's key makes it run once, even if Discord sends
//! the event several times.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use tracing::{info, warn};

use crate::dispatch::dispatcher::{Dispatcher, Refresh};
use crate::dispatch::pace::Paced;
use crate::executor::send_channels;
use candor_core::access::authorize_event;
use candor_core::contract::{EventHook, EventKind, Owner, SendPolicy};
use candor_core::guild::Rules;
use candor_core::inbound::{
    CallMethod, Caller, ChannelId, CommandType, EventId, GuildId, Inbound, Interaction, Place, UserId,
};
use candor_core::record::Denial;
use candor_core::registry::Registry;

#[derive(Clone, Debug)]
pub struct Happened {
    pub kind: EventKind,
    pub guild: GuildId,
    /// The channels where it may be posted: that of the event, or those of the guild.
    pub channels: BTreeSet<ChannelId>,
    /// The person whom the event is about.
    pub about: Caller,
    /// The known facts, by the names of [`EventKind::options`].
    pub known: Vec<(&'static str, String)>,
    /// Identifies the event among all of its kind, for example by the ids of message and person.
    pub key: String,
}

impl Dispatcher {
    /// Returns the channels for events of this kind in a guild: the operator's, which may be of any guild, and those of
    /// the guild's administrators, as last read.
    pub fn event_channels(&self, kind: EventKind, guild: GuildId) -> BTreeSet<ChannelId> {
        let registry = self.executor.registry.now();
        let of_hook = |(owner, _, policy): (&Owner, &EventHook, &Arc<SendPolicy>)| {
            let of_guild = policy.servers_add.then(|| self.chat.talker.places().channels(guild, &owner.to_string()));
            policy.channels.iter().copied().chain(of_guild.into_iter().flatten()).collect::<Vec<_>>()
        };
        registry.hooks().filter(|(_, hook, _)| hook.kind == kind).flat_map(of_hook).collect()
    }

    pub fn awaits(&self, kind: EventKind) -> bool {
        self.executor.registry.now().hooks().any(|(_, hook, _)| hook.kind == kind)
    }

    /// Runs the modules' commands for this event, one after the other.
    pub async fn happened(&self, event: &Happened, rules: &Rules) {
        let registry = self.executor.registry.now();
        let Some(&channel) = event.channels.first() else { return };
        let place = Place::Guild { guild: event.guild, channel };
        for (owner, hook, _) in registry.hooks().filter(|(_, hook, _)| hook.kind == event.kind) {
            for channel in self.may_tell(&registry, owner, place, rules).intersection(&event.channels) {
                self.run_for(event, owner, hook, *channel, &registry, rules).await;
            }
        }
    }

    /// Returns the channels where a module may post unasked in the guild of this place.
    pub(super) fn may_tell(
        &self,
        registry: &Registry,
        owner: &Owner,
        place: Place,
        rules: &Rules,
    ) -> BTreeSet<ChannelId> {
        let facts = registry.modules().get(owner);
        facts.map(|facts| send_channels(&facts.code, owner, place, rules).all()).unwrap_or_default()
    }

    async fn run_for(
        &self,
        event: &Happened,
        owner: &Owner,
        hook: &EventHook,
        channel: ChannelId,
        registry: &Registry,
        rules: &Rules,
    ) {
        let now = self.executor.clock.now();
        let Owner::Module(module) = owner else { return };
        let paced = Paced::new(owner, Place::Guild { guild: event.guild, channel }, UserId::NOBODY);
        if !self.pace.admits(&paced, now) {
            self.executor.counters.denials.count(Denial::Cooldown);
            return warn!(module, guild.id = %event.guild, event = hook.kind.name(), "too much happens at once; nothing is run");
        }
        let Some((_, leaf)) = registry.find(&hook.path) else { return };
        let known = event.known.iter().filter(|(name, _)| leaf.option(name).is_some());
        let arguments: Map<_, _> = known.map(|(name, text)| ((*name).to_owned(), Value::from(text.as_str()))).collect();
        let inbound = Inbound::Interaction(Interaction {
            id: EventId::of_happening(hook.kind.name(), module, channel, &event.key),
            caller: Caller::of_guild(event.about.language),
            place: Place::Guild { guild: event.guild, channel },
            method: CallMethod::Pressed,
            command_type: CommandType::Slash,
            path: hook.path.names().map(str::to_owned).collect(),
            arguments,
            target: None,
            sent: now,
        });
        let ran = self.run_again(&inbound, rules, |invocation, registry, access| {
            authorize_event(invocation, registry, access, module, event.about.clone(), channel)
        });
        match ran.await {
            Refresh::Ran(_) | Refresh::NotNow | Refresh::PutOff => {}
            Refresh::Elsewhere => self.pace.gives_back(&paced),
            Refresh::Denied(answer) => {
                let why = answer.reply.plain();
                info!(module, command.name = %hook.path, event = hook.kind.name(), why, "nothing is run for an event");
            }
        }
    }
}
