//! What channels belong to, as far as Discord said so.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candor_core::inbound::{ChannelId, Place};

/// The most channels of which it is known what they belong to: about 100 KB. Then all are asked for anew.
const KNOWN_MAX: usize = 1_000;

/// What channels belong to: of a thread its channel, of a channel its category.
#[derive(Default)]
pub(in crate::host) struct Around(Mutex<HashMap<ChannelId, Vec<u64>>>);

impl Around {
    /// What this channel belongs to, the nearest first.
    pub(in crate::host) fn learn(&self, channel: ChannelId, above: Vec<u64>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if KNOWN_MAX <= known.len() {
            known.clear();
        }
        known.insert(channel, above);
    }

    /// The ids of a channel and of what it belongs to in its guild, the nearest first.
    pub(in crate::host) fn channel(&self, channel: ChannelId) -> Vec<u64> {
        let above = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&channel).cloned();
        [channel.0].into_iter().chain(above.unwrap_or_default()).collect()
    }

    /// The same for a place, with its guild at the end.
    pub(in crate::host) fn place(&self, place: Place) -> Vec<u64> {
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
