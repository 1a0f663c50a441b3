//! The channels where guild administrators let modules post unasked. Events on Discord are looked up here first,
//! without reading the store; those that pass have their rules read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_core::guild::GuildModuleChannels;
use candor_core::inbound::{ChannelId, GuildId};

/// The most guilds that are known. In further ones modules post nothing unasked.
const KNOWN_MAX: usize = 10_000;

/// The channels of every guild whose settings were read, as last read. They are checked again before a module runs or
/// posts.
#[derive(Default)]
pub(crate) struct ChannelsOfGuilds(Mutex<BTreeMap<GuildId, Channels>>);

struct Channels {
    /// The number of the read, not of the last change: an erased sheet begins again at 0.
    n_read: u64,
    channels: GuildModuleChannels,
}

impl ChannelsOfGuilds {
    /// Stores a guild's channels, unless a later read stored some: of two concurrent reads, the one that began first may
    /// end last. Returns whether there was room for them.
    pub(crate) fn put(&self, guild: GuildId, n_read: u64, channels: Option<&GuildModuleChannels>) -> bool {
        let mut known = self.lock();
        match (known.get(&guild), channels) {
            (Some(newer), _) if n_read < newer.n_read => {}
            (None, Some(_)) if KNOWN_MAX <= known.len() => return false,
            (_, Some(channels)) => drop(known.insert(guild, Channels { n_read, channels: channels.clone() })),
            (_, None) => drop(known.remove(&guild)),
        }
        true
    }

    pub(crate) fn forget(&self, guild: GuildId) {
        self.lock().remove(&guild);
    }

    pub(crate) fn of(&self, guild: GuildId, module: &str) -> BTreeSet<ChannelId> {
        self.lock().get(&guild).map(|known| known.channels.of_module(module)).unwrap_or_default()
    }

    pub(crate) fn all(&self) -> BTreeMap<GuildId, GuildModuleChannels> {
        self.lock().iter().map(|(guild, known)| (*guild, known.channels.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<GuildId, Channels>> {
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
        let n_learned =
            (0..2 * KNOWN_MAX as u64).filter(|&guild| known.put(GuildId(guild), 1, Some(&channels))).count();
        assert_eq!(n_learned, KNOWN_MAX);
        assert!(known.put(GuildId(1), 2, Some(&channels)));
        // A read that began before.
        assert!(known.put(GuildId(1), 1, None));
        assert_eq!((known.of(GuildId(1), "alerts"), known.of(GuildId(1), "feed")), (five, BTreeSet::new()));
        known.put(GuildId(1), 3, None);
        assert_eq!(known.of(GuildId(1), "alerts"), BTreeSet::new());
        assert_eq!(known.all().len(), KNOWN_MAX - 1);
    }
}
