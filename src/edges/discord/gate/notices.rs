//! Limits refusal notices per person and channel: a flood of messages is not answered by one of notices.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::time::Instant;

use candor_core::inbound::UserId;

/// The time between two notices to one person in one channel, whatever they say: who makes one mistake a second would
/// else be answered by a message a second.
const EVERY: Duration = Duration::from_secs(10);

/// The most people and channels remembered. Beyond them nobody is told anything: there is a flood.
const REMEMBERED_MAX: usize = 10_000;

/// When each person was told something the last time, in each channel.
#[derive(Default)]
pub(super) struct Notices(Mutex<HashMap<(UserId, ChannelId), Instant>>);

impl Notices {
    /// Whether this person may be told something in this channel. If so, they count as told.
    pub(super) fn may_tell(&self, person: UserId, channel: ChannelId) -> bool {
        let now = Instant::now();
        let is_young = |told: &Instant| now.duration_since(*told) < EVERY;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(&(person, channel)).is_some_and(is_young) {
            return false;
        }
        if REMEMBERED_MAX <= all.len() {
            all.retain(|_, told| is_young(told));
            if REMEMBERED_MAX <= all.len() {
                return false;
            }
        }
        all.insert((person, channel), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn m8_a_person_is_told_something_once_in_ten_seconds_in_each_channel() {
        let notices = Notices::default();
        let tell = |person, channel| notices.may_tell(UserId(person), ChannelId::new(channel));
        assert!(tell(1, 1));
        assert!((0..70).all(|_| !tell(1, 1)));
        assert!(tell(1, 2) && tell(2, 1));
        advance(EVERY - Duration::from_millis(1)).await;
        // What was not told does not put off the next one.
        assert!(!tell(1, 1));
        advance(Duration::from_millis(1)).await;
        assert!(tell(1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn m8_what_is_remembered_is_bounded() {
        let notices = Notices::default();
        let tell = |person| notices.may_tell(UserId(person), ChannelId::new(1));
        assert!((0..REMEMBERED_MAX as u64).all(tell));
        assert!(!tell(999_999));
        advance(EVERY).await;
        assert!(tell(999_999));
        assert_eq!(notices.0.lock().unwrap().len(), 1);
    }
}
