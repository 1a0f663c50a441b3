//! Who was told just before that something did not happen: a flood of messages is not answered by one of notices.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::time::Instant;

use candor_core::inbound::UserId;

/// The time between two notices to one person in one channel.
const EVERY: Duration = Duration::from_secs(10);

/// The most notices remembered. Beyond them nobody is told anything: there is a flood.
const REMEMBERED_MAX: usize = 10_000;

/// The latest notices.
#[derive(Default)]
pub(super) struct Notices(Mutex<HashMap<(UserId, ChannelId), Instant>>);

impl Notices {
    /// Whether this person may be told something in this channel. If so, they count as told.
    pub(super) fn may_tell(&self, person: UserId, channel: ChannelId) -> bool {
        let now = Instant::now();
        let is_young = |told: &Instant| now.duration_since(*told) < EVERY;
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.get(&(person, channel)).is_some_and(is_young) {
            return false;
        }
        if REMEMBERED_MAX <= told.len() {
            told.retain(|_, told| is_young(told));
            if REMEMBERED_MAX <= told.len() {
                return false;
            }
        }
        told.insert((person, channel), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn m8_a_person_is_told_once_in_ten_seconds_in_each_channel() {
        let notices = Notices::default();
        let tell = |person, channel| notices.may_tell(UserId(person), ChannelId::new(channel));
        assert!(tell(1, 1));
        assert!((0..70).all(|_| !tell(1, 1)));
        assert!(tell(1, 2) && tell(2, 1));
        advance(EVERY).await;
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
