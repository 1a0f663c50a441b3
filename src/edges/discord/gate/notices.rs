//! Limits repeated refusal notices per person and channel: a flood of messages is not answered by one of notices.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::time::Instant;

use candor_core::inbound::UserId;

/// The time between two notices of the same words to one person in one channel.
const EVERY: Duration = Duration::from_secs(10);

/// The most notices to one person in one channel in that time: two mistakes are two questions, many are a flood.
const DIFFERENT_MAX: usize = 3;

/// The most people and channels remembered. Beyond them nobody is told anything: there is a flood.
const REMEMBERED_MAX: usize = 10_000;

/// The latest notices.
#[derive(Default)]
pub(super) struct Notices(Mutex<HashMap<(UserId, ChannelId), Vec<GivenNotice>>>);

/// A notice that was given.
struct GivenNotice {
    /// Stands for its words.
    words: u64,
    at: Instant,
}

impl Notices {
    /// Whether this person may be told this in this channel. If so, they count as told.
    pub(super) fn may_tell(&self, person: UserId, channel: ChannelId, notice: &str) -> bool {
        let now = Instant::now();
        let is_young = |told: &GivenNotice| now.duration_since(told.at) < EVERY;
        let words = hash(notice);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if REMEMBERED_MAX <= all.len() && !all.contains_key(&(person, channel)) {
            all.retain(|_, told| told.iter().any(is_young));
            if REMEMBERED_MAX <= all.len() {
                return false;
            }
        }
        let told = all.entry((person, channel)).or_default();
        told.retain(is_young);
        if DIFFERENT_MAX <= told.len() || told.iter().any(|told| told.words == words) {
            return false;
        }
        told.push(GivenNotice { words, at: now });
        true
    }
}

fn hash(notice: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    notice.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn m8_a_person_is_told_the_same_once_in_ten_seconds_in_each_channel() {
        let notices = Notices::default();
        let tell = |person, channel| notices.may_tell(UserId(person), ChannelId::new(channel), "busy");
        assert!(tell(1, 1));
        assert!((0..70).all(|_| !tell(1, 1)));
        assert!(tell(1, 2) && tell(2, 1));
        advance(EVERY).await;
        assert!(tell(1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn m8_different_notices_are_given_up_to_a_bound() {
        let notices = Notices::default();
        let tell = |n: usize| notices.may_tell(UserId(1), ChannelId::new(1), &format!("`/x{n}` does not exist"));
        assert_eq!((0..70).filter(|n| tell(*n)).count(), DIFFERENT_MAX);
        advance(EVERY).await;
        assert!(tell(0));
    }

    #[tokio::test(start_paused = true)]
    async fn m8_what_is_remembered_is_bounded() {
        let notices = Notices::default();
        let tell = |person| notices.may_tell(UserId(person), ChannelId::new(1), "busy");
        assert!((0..REMEMBERED_MAX as u64).all(tell));
        assert!(!tell(999_999));
        advance(EVERY).await;
        assert!(tell(999_999));
        assert_eq!(notices.0.lock().unwrap().len(), 1);
    }
}
