//! Runs commands of modules at scheduled times: the patterns under `[schedules]` of their manifests.
//!
//! The answer is posted only in the same channels as for events. A time is claimed by schedule and channel, so that it
//! runs once, even if several processes share the store.

use std::collections::BTreeSet;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Map;
use tracing::{info, warn};

use crate::dispatch::dispatcher::{Dispatcher, Refresh};
use crate::dispatch::pace::Paced;
use candor_core::access::authorize_schedule;
use candor_core::contract::{Owner, Schedule, TimeZones};
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandType, EventId, Inbound, Interaction, Place, UserId};
use candor_core::language::Language;
use candor_core::record::Denial;
use candor_core::text::Zone;

impl Dispatcher {
    /// Returns the channels for scheduled runs. These are the operator's, and those of guild administrators with a
    /// scheduled time after `since` and up to `now`, as last read.
    pub fn scheduled_channels(&self, since: SystemTime, now: SystemTime) -> BTreeSet<ChannelId> {
        let registry = self.executor.registry.now();
        let mut all: BTreeSet<_> =
            registry.schedules().flat_map(|(_, _, policy)| policy.channels.iter().copied()).collect();
        let open: Vec<_> = registry.schedules().filter(|(_, _, policy)| policy.servers_add).collect();
        if open.is_empty() {
            return all;
        }
        // Grouped by time zone, of which there are few: the modules that are due.
        let mut due: Vec<(Zone, BTreeSet<String>)> = Vec::new();
        for (guild, channels) in self.chat.talker.places().guilds_with_channels() {
            let zone = self.chat.talker.zone(Place::Guild { guild, channel: ChannelId(0) });
            let n = due.iter().position(|(known, _)| *known == zone).unwrap_or_else(|| {
                let is_due = |schedule: &Schedule| schedule.cron.last(now, &zone).is_some_and(|at| since < at);
                let modules = open.iter().filter(|(_, schedule, _)| is_due(schedule));
                due.push((zone.clone(), modules.map(|(owner, _, _)| owner.to_string()).collect()));
                due.len() - 1
            });
            let modules = due.get(n).map(|(_, modules)| modules).into_iter().flatten();
            all.extend(modules.flat_map(|module| channels.of_module(module)));
        }
        all
    }

    /// Runs the schedules of this guild channel with a time after `since` and up to `now`, once each, for the last such
    /// time. Returns whether all ran, here or elsewhere, or may not run. Runs that failed because of the store can be
    /// repeated with the same `since`.
    pub async fn run_scheduled(
        &self,
        place: Place,
        rules: &Rules,
        language: Language,
        since: SystemTime,
        now: SystemTime,
    ) -> bool {
        let Place::Guild { channel, .. } = place else { return true };
        let zone = self.chat.talker.zone(place);
        let registry = self.executor.registry.now();
        let mut is_all = true;
        for (owner, schedule, _) in registry.schedules() {
            let is_told = || self.may_tell(&registry, owner, place, rules).contains(&channel);
            let at = schedule.cron.last(now, &zone).filter(|at| since < *at && is_told());
            if let (Owner::Module(module), Some(at)) = (owner, at) {
                is_all &= self.run_one(module, schedule, place, rules, language, at).await;
            }
        }
        is_all
    }

    async fn run_one(
        &self,
        module: &str,
        schedule: &Schedule,
        place: Place,
        rules: &Rules,
        language: Language,
        at: SystemTime,
    ) -> bool {
        let Place::Guild { channel, .. } = place else { return true };
        let key = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
        let inbound = Inbound::Interaction(Interaction {
            id: EventId::of_happening(&format!("schedule {}", schedule.name), module, channel, &key),
            caller: Caller::of_guild(language),
            place,
            method: CallMethod::Pressed,
            command_type: CommandType::Slash,
            path: schedule.path.names().map(str::to_owned).collect(),
            arguments: Map::new(),
            target: None,
            sent: self.executor.clock.now(),
        });
        let paced = Paced::new(&Owner::Module(module.to_owned()), place, UserId::NOBODY);
        if !self.pace.admits(&paced, self.executor.clock.now()) {
            self.executor.counters.denials.count(Denial::Cooldown);
            let schedule = schedule.name.as_str();
            warn!(module, schedule, channel.id = %channel, "this module runs too much by itself here; the schedule is tried again");
            return false;
        }
        let ran = self.run_again(&inbound, rules, |invocation, registry, access| {
            authorize_schedule(invocation, registry, access, module, channel)
        });
        match ran.await {
            Refresh::Ran(_) | Refresh::PutOff => true,
            Refresh::Elsewhere => {
                self.pace.gives_back(&paced);
                true
            }
            Refresh::Denied(answer) => {
                let why = answer.reply.plain();
                let schedule = schedule.name.as_str();
                info!(module, schedule, channel.id = %channel, why, "nothing is run at a scheduled time");
                true
            }
            Refresh::NotNow => {
                let schedule = schedule.name.as_str();
                warn!(module, schedule, channel.id = %channel, at = key, "a scheduled command did not run; retrying");
                false
            }
        }
    }
}
