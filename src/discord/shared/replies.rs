//! Remembers for a while which reply answered which messages.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serenity::all::{ChannelId, MessageId};

use candor_core::inbound::UserId;
use candor_core::record::TurnId;

/// The maximum of remembered messages: people usually edit a recent message.
const REMEMBERED_MAX: usize = 1_000;

#[derive(Default)]
pub(crate) struct Answered {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    replies: HashMap<u64, AnsweredBy>,
    /// The messages, the oldest first. Some may be gone from the map.
    order: VecDeque<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnsweredBy {
    pub(crate) turn: TurnId,
    pub(crate) person: UserId,
    pub(crate) channel: ChannelId,
    /// Its last message, which has the buttons.
    pub(crate) reply: MessageId,
}

impl Answered {
    pub(crate) fn remember(&self, questions: &[u64], reply: AnsweredBy) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for &question in questions {
            known.replies.insert(question, reply);
            known.order.push_back(question);
            if REMEMBERED_MAX < known.order.len()
                && let Some(oldest) = known.order.pop_front()
                && !known.order.contains(&oldest)
            {
                known.replies.remove(&oldest);
            }
        }
    }

    pub(crate) fn holds(&self, question: u64) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).replies.contains_key(&question)
    }

    /// Returns the reply to this message, only once.
    pub(crate) fn take(&self, question: u64) -> Option<AnsweredBy> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).replies.remove(&question)
    }

    /// Forgets the reply to these messages. Returns false if none of them was there any more.
    pub(crate) fn take_all(&self, questions: &[u64]) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        questions.iter().filter(|question| known.replies.remove(question).is_some()).count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(turn: u64) -> AnsweredBy {
        AnsweredBy { turn: TurnId(turn), person: UserId(1), channel: ChannelId::new(2), reply: MessageId::new(3) }
    }

    #[test]
    fn a_reply_is_given_once_and_the_latest_counts() {
        let answered = Answered::default();
        answered.remember(&[7, 8], by(1));
        answered.remember(&[7], by(2));
        assert_eq!((answered.take(7), answered.take(7), answered.take(8)), (Some(by(2)), None, Some(by(1))));
    }

    #[test]
    fn the_reply_to_several_messages_is_taken_for_all_of_them() {
        let answered = Answered::default();
        answered.remember(&[7, 8], by(1));
        assert_eq!(answered.take(8), Some(by(1)));
        assert!(answered.take_all(&[7, 8]), "one was left");
        assert!(!answered.take_all(&[7, 8]) && !answered.holds(7));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let answered = Answered::default();
        (0..3_000).for_each(|question| answered.remember(&[question], by(question)));
        assert!(!answered.holds(1_999) && answered.holds(2_000) && answered.holds(2_999));
        let known = answered.known.lock().unwrap();
        assert_eq!((known.replies.len(), known.order.len()), (REMEMBERED_MAX, REMEMBERED_MAX));
    }
}
