//! The parents of channels, as far as Discord has sent them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candor_core::inbound::{ChannelId, Place};

/// The most channels with known parents: about 100 KB. When it is reached, all are forgotten and asked for again.
const KNOWN_MAX: usize = 1_000;

/// The parents of channels: a thread's channel, a channel's category.
#[derive(Default)]
pub(crate) struct Around(Mutex<HashMap<ChannelId, Vec<u64>>>);

impl Around {
    pub(crate) fn learn(&self, channel: ChannelId, above: Vec<u64>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if KNOWN_MAX <= known.len() {
            known.clear();
        }
        known.insert(channel, above);
    }

    /// Returns the ids of a channel and its parents, nearest first.
    pub(crate) fn channel(&self, channel: ChannelId) -> Vec<u64> {
        let above = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&channel).cloned();
        [channel.0].into_iter().chain(above.unwrap_or_default()).collect()
    }

    /// Returns the same for a place, with its guild at the end.
    pub(crate) fn place(&self, place: Place) -> Vec<u64> {
        let (guild, channel) = match place {
            Place::Guild { guild, channel } => (Some(guild.0), channel),
            Place::Direct { channel } => (None, channel),
            Place::Console => return Vec::new(),
        };
        self.channel(channel).into_iter().chain(guild).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_has_a_bound() {
        let around = Around::default();
        (0..3_000).for_each(|channel| around.learn(ChannelId(channel), vec![1]));
        assert!(around.0.lock().unwrap().len() <= KNOWN_MAX);
        assert_eq!(around.channel(ChannelId(2_999)), [2_999, 1]);
    }
}
