//! Chat settings of a channel, with those that it inherits from its category and guild.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use candor_core::agent::{ChatSettings, PlaceChat};
use candor_core::inbound::{ChannelId, Place};

/// The most channels of which it is known what they belong to: about 100 KB. Then all are asked for anew.
const KNOWN_MAX: usize = 1_000;

/// `[chat.places]`, and what channels belong to.
#[derive(Default)]
pub struct Places {
    settings: ChatSettings,
    above: Mutex<HashMap<ChannelId, Vec<u64>>>,
}

impl Places {
    /// These settings. What channels belong to is learned.
    pub fn new(places: BTreeMap<u64, PlaceChat>) -> Self {
        Self { settings: ChatSettings { places, ..ChatSettings::default() }, above: Mutex::default() }
    }

    /// Whether anything is different anywhere.
    pub fn is_empty(&self) -> bool {
        self.settings.places.is_empty()
    }

    /// What a channel belongs to, the nearest first: of a thread its channel, of a channel its category.
    pub fn learn(&self, channel: ChannelId, above: Vec<u64>) {
        let mut known = self.above.lock().unwrap_or_else(PoisonError::into_inner);
        if KNOWN_MAX <= known.len() {
            known.clear();
        }
        known.insert(channel, above);
    }

    /// What is different here.
    pub fn at(&self, place: Place) -> PlaceChat {
        let (guild, channel) = match place {
            Place::Guild { guild, channel } => (Some(guild.0), channel),
            Place::Direct { channel } => (None, channel),
            Place::Console => return PlaceChat::default(),
        };
        let above = self.above.lock().unwrap_or_else(PoisonError::into_inner).get(&channel).cloned();
        self.settings.place([channel.0].into_iter().chain(above.unwrap_or_default()).chain(guild))
    }
}

#[cfg(test)]
mod tests {
    use candor_core::inbound::GuildId;

    use super::*;

    fn says(system: &str) -> PlaceChat {
        PlaceChat { system: Some(system.to_owned()), ..PlaceChat::default() }
    }

    #[test]
    fn a_thread_is_as_its_channel_its_category_and_its_guild_unless_it_says_more() {
        let places = Places::new([(1, says("guild")), (5, says("channel")), (6, says("category"))].into());
        let system = |channel| {
            places.at(Place::Guild { guild: GuildId(1), channel: ChannelId(channel) }).system.unwrap_or_default()
        };
        assert_eq!((system(5), system(7), system(8)), ("channel".to_owned(), "guild".to_owned(), "guild".to_owned()));
        places.learn(ChannelId(7), vec![5, 6]);
        places.learn(ChannelId(8), vec![6]);
        assert_eq!((system(7), system(8)), ("channel".to_owned(), "category".to_owned()));
        assert_eq!(places.at(Place::Console), PlaceChat::default());
        assert_eq!(places.at(Place::Direct { channel: ChannelId(5) }), says("channel"));
    }

    #[test]
    fn what_is_known_has_a_bound() {
        let places = Places::new([(1, says("guild"))].into());
        (0..3_000).for_each(|channel| places.learn(ChannelId(channel), vec![1]));
        assert!(places.above.lock().unwrap().len() <= KNOWN_MAX);
    }
}
