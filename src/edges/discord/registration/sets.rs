//! The set of commands of a guild: all that work in guilds, without switched-off ones.

use std::sync::Arc;

use crate::edges::discord::registration::wanted::{key, wanted};
use candor_core::guild::{OffHere, SwitchedOff};
use candor_core::inbound::{CommandPath, CommandType};
use candor_core::registration::{Key, WantedCommand, is_of_guilds, outside_guilds, set_digest, without};
use candor_core::registry::Registry;

pub(crate) struct Sets {
    commands: Vec<OfGuilds>,
    /// Digest of all commands that may be in a set: it tells the sets of one registry from those of another.
    registry: String,
    /// The set of a guild in which nothing is switched off.
    full: Arc<GuildSet>,
}

struct OfGuilds {
    wanted: WantedCommand,
    owner: String,
    command_type: CommandType,
}

pub(crate) struct GuildSet {
    pub(crate) wanted: Vec<WantedCommand>,
    /// Tells this set from any other. It is stored once the set is in place.
    pub(crate) fingerprint: String,
}

impl Sets {
    /// Returns the sets of guilds under this registry, and the commands to register globally. `installs`: how the
    /// application can be installed.
    pub(crate) fn of(registry: &Registry, installs: &[u64]) -> (Self, Vec<WantedCommand>) {
        let all = wanted(registry);
        let globally = all.iter().filter_map(|wanted| outside_guilds(wanted, installs)).collect();
        let of_guilds = all.into_iter().filter(|wanted| is_of_guilds(&wanted.payload, installs));
        let commands: Vec<_> = of_guilds.map(|wanted| OfGuilds::of(wanted, registry)).collect();
        let wanted: Vec<_> = commands.iter().map(|command| command.wanted.clone()).collect();
        let registry = set_digest(&wanted);
        let full = Arc::new(GuildSet::of(wanted, &registry));
        (Self { commands, registry, full }, globally)
    }

    /// Returns the set of a guild without these switched-off commands.
    pub(crate) fn without(&self, off: &SwitchedOff) -> Arc<GuildSet> {
        if *off == SwitchedOff::default() {
            return self.full.clone();
        }
        let left = self.commands.iter().filter_map(|command| command.without(off)).collect();
        Arc::new(GuildSet::of(left, &self.registry))
    }

    pub(crate) fn all(&self) -> &[WantedCommand] {
        &self.full.wanted
    }

    /// Returns the fingerprint prefix of this registry's sets.
    pub(crate) fn mark(&self) -> String {
        format!("{}:", self.registry)
    }
}

impl GuildSet {
    fn of(wanted: Vec<WantedCommand>, registry: &str) -> Self {
        let fingerprint = format!("{registry}:{}", set_digest(&wanted));
        Self { wanted, fingerprint }
    }
}

impl OfGuilds {
    fn of(wanted: WantedCommand, registry: &Registry) -> Self {
        let at = Key::of(&wanted.payload);
        let known = registry.commands().chain(registry.menus()).find(|command| key(command) == at);
        // The bot's own message commands are not in a manifest, and no name switches them off.
        let (owner, command_type) = known.map_or_else(
            || (String::new(), CommandType::MessageMenu),
            |command| (command.owner.to_string(), command.command_type),
        );
        Self { wanted, owner, command_type }
    }

    /// Returns its remaining part; `None` if all of it is switched off.
    fn without(&self, off: &SwitchedOff) -> Option<WantedCommand> {
        let name = Key::of(&self.wanted.payload).name;
        let is_off = |below: &[&str]| {
            let names: Vec<&str> = [name.as_str()].into_iter().chain(below.iter().copied()).collect();
            let path = CommandPath::at(self.command_type, &names);
            !OffHere::is_exempt(&path) && off.covers(&self.owner, &path)
        };
        without(&self.wanted, &is_off)
    }
}
