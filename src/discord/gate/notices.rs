//! Paces rejection notices per person and channel. A flood of messages does not cause a flood of notices, and no
//! message is met with silence.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serenity::all::{ChannelId, MessageId};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use candor_core::inbound::UserId;

/// How many new notices one person gets in a row in one channel: people correct a typing error in another message.
const AT_ONCE: u32 = 4;

/// The time after which one more new notice is allowed.
pub(crate) const EVERY: Duration = Duration::from_secs(10);

/// The maximum of remembered pairs of person and channel. Beyond it no notices are sent: there is a flood.
const REMEMBERED_MAX: usize = 10_000;

#[derive(Default)]
pub(super) struct Notices(Mutex<HashMap<(UserId, ChannelId), Told>>);

struct Told {
    /// When the budget of new messages is full again. Each new message adds [`EVERY`].
    full_at: Instant,
    last: Last,
}

/// The last notice. The lock is held while a notice is sent, so the next one waits for its id.
type Last = Arc<tokio::sync::Mutex<Option<MessageId>>>;

pub(crate) enum Notice {
    /// As a new message, whose id the sender stores in the guard.
    New(OwnedMutexGuard<Option<MessageId>>),
    /// As an edit of their last notice. The next notice waits until this one is dropped.
    Changes(MessageId, OwnedMutexGuard<Option<MessageId>>),
}

impl Notices {
    /// Returns how to deliver a notice to this person in this channel. `None` during a flood, or if the notice to edit
    /// was not sent.
    pub(super) async fn notice(&self, person: UserId, channel: ChannelId) -> Option<Notice> {
        let (is_new, last) = self.count(person, channel)?;
        let last = last.lock_owned().await;
        match *last {
            _ if is_new => Some(Notice::New(last)),
            Some(id) => Some(Notice::Changes(id, last)),
            None => None,
        }
    }

    fn count(&self, person: UserId, channel: ChannelId) -> Option<(bool, Last)> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if REMEMBERED_MAX <= all.len() && !all.contains_key(&(person, channel)) {
            all.retain(|_, told| now < told.full_at);
            if REMEMBERED_MAX <= all.len() {
                return None;
            }
        }
        let told = all.entry((person, channel)).or_insert_with(|| Told { full_at: now, last: Last::default() });
        let full_at = told.full_at.max(now) + EVERY;
        let is_new = full_at <= now + EVERY * AT_ONCE;
        if is_new {
            told.full_at = full_at;
        }
        Some((is_new, told.last.clone()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    /// Tells people things, each by a message whose id is the next number. `None` if it was no message of its own.
    struct Sender(Notices, std::sync::atomic::AtomicU64);

    impl Sender {
        async fn tell(&self, person: u64, channel: u64) -> Option<&'static str> {
            match self.0.notice(UserId(person), ChannelId::new(channel)).await? {
                Notice::New(mut last) => {
                    let n = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    *last = Some(MessageId::new(n + 1));
                    Some("new")
                }
                Notice::Changes(..) => Some("changed"),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn m8_a_person_gets_four_messages_and_one_more_in_ten_seconds_and_changes_of_the_last_between() {
        let sender = Sender(Notices::default(), 0.into());
        for expected in ["new", "new", "new", "new", "changed", "changed"] {
            assert_eq!(sender.tell(1, 1).await, Some(expected));
        }
        assert_eq!((sender.tell(1, 2).await, sender.tell(2, 1).await), (Some("new"), Some("new")));
        advance(EVERY - Duration::from_millis(1)).await;
        assert_eq!(sender.tell(1, 1).await, Some("changed"));
        advance(Duration::from_millis(1)).await;
        // What changed a message does not put off the next one.
        assert_eq!((sender.tell(1, 1).await, sender.tell(1, 1).await), (Some("new"), Some("changed")));
        advance(EVERY * 60).await;
        for expected in ["new", "new", "new", "new", "changed"] {
            assert_eq!(sender.tell(1, 1).await, Some(expected));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn m8_what_is_remembered_is_bounded() {
        let notices = Notices::default();
        let tells = |person| notices.count(UserId(person), ChannelId::new(1)).is_some();
        assert!((0..REMEMBERED_MAX as u64).all(tells));
        assert!(!tells(999_999) && tells(1));
        advance(EVERY * 2).await;
        assert!(tells(999_999));
        assert_eq!(notices.0.lock().unwrap().len(), 1);
    }
}
