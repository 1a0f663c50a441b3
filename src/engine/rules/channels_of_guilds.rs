//! The channels where guild administrators let modules post unasked. Events on Discord are looked up here first,
//! without reading the store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_core::guild::GuildModuleChannels;
use candor_core::inbound::{ChannelId, GuildId};

/// The most guilds that are known. In further ones modules post nothing unasked.
const KNOWN_MAX: usize = 10_000;

/// The channels of every guild whose settings were read, as last read. They are checked again before a module runs or
/// posts.
#[derive(Default)]
pub(crate) struct ChannelsOfGuilds(Mutex<BTreeMap<GuildId, GuildModuleChannels>>);

impl ChannelsOfGuilds {
    /// Stores a guild's channels. Returns whether there was room for them.
    pub(crate) fn learn(&self, guild: GuildId, channels: Option<&GuildModuleChannels>) -> bool {
        let mut known = self.lock();
        match channels {
            None => drop(known.remove(&guild)),
            Some(_) if KNOWN_MAX <= known.len() && !known.contains_key(&guild) => return false,
            Some(channels) => drop(known.insert(guild, channels.clone())),
        }
        true
    }

    pub(crate) fn of(&self, guild: GuildId, module: &str) -> BTreeSet<ChannelId> {
        self.lock().get(&guild).map(|channels| channels.of_module(module)).unwrap_or_default()
    }

    pub(crate) fn all(&self) -> BTreeMap<GuildId, GuildModuleChannels> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<GuildId, GuildModuleChannels>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_forgotten_and_what_is_known_has_a_bound() {
        let known = ChannelsOfGuilds::default();
        let five = BTreeSet::from([ChannelId(5)]);
        let channels = GuildModuleChannels::written([("alerts".to_owned(), five.clone())]);
        let n_learned = (0..2 * KNOWN_MAX as u64).filter(|&guild| known.learn(GuildId(guild), Some(&channels))).count();
        assert_eq!(n_learned, KNOWN_MAX);
        assert!(known.learn(GuildId(1), Some(&channels)));
        assert_eq!((known.of(GuildId(1), "alerts"), known.of(GuildId(1), "feed")), (five, BTreeSet::new()));
        known.learn(GuildId(1), None);
        assert_eq!(known.of(GuildId(1), "alerts"), BTreeSet::new());
        assert_eq!(known.all().len(), KNOWN_MAX - 1);
    }
}
