//! Models' thinking before their calls, kept in memory until the results of the calls are answered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::wire::content::{THOUGHTS_LENGTH_MAX, Thought, thoughts_length};
use candor_core::agent::ConversationKey;

/// The retention of thoughts: longer than any turn.
const KEPT_FOR: Duration = Duration::from_mins(30);

/// The maximum number of answers whose thoughts are kept, and the maximum of their bytes. The oldest go first.
const ANSWERS_MAX: usize = 256;
const LENGTH_MAX: usize = 8 * THOUGHTS_LENGTH_MAX;

/// The thoughts of one server's latest answers with calls.
#[derive(Debug, Default)]
pub(crate) struct Thoughts(Mutex<VecDeque<Kept>>);

/// The thoughts of one answer.
#[derive(Debug)]
struct Kept {
    at: Instant,
    conversation: ConversationKey,
    model: String,
    /// The ids of its calls, which identify it.
    calls: Vec<String>,
    thoughts: Arc<[Thought]>,
    length: usize,
}

impl Thoughts {
    /// Stores a model's thinking before these calls.
    pub(crate) fn keep(&self, conversation: &ConversationKey, model: &str, calls: Vec<String>, thoughts: Vec<Thought>) {
        let length = thoughts_length(&thoughts);
        if calls.is_empty() || thoughts.is_empty() || THOUGHTS_LENGTH_MAX < length {
            return;
        }
        let at = Instant::now();
        let mut kept = self.lock();
        let conversation = conversation.clone();
        let model = model.to_owned();
        let thoughts = thoughts.into();
        kept.push_back(Kept { at, conversation, model, calls, thoughts, length });
        let mut total: usize = kept.iter().map(|kept| kept.length).sum();
        while let Some(oldest) = kept.front()
            && (ANSWERS_MAX < kept.len() || LENGTH_MAX < total || KEPT_FOR < oldest.at.elapsed())
        {
            total -= oldest.length;
            kept.pop_front();
        }
    }

    /// Returns this model's thinking before these calls in this conversation, if it is still kept.
    pub(crate) fn of(&self, conversation: &ConversationKey, model: &str, calls: &[&str]) -> Option<Arc<[Thought]>> {
        let kept = self.lock();
        let is_it = |kept: &&Kept| kept.conversation == *conversation && kept.model == model && kept.calls == calls;
        kept.iter().rev().find(is_it).map(|kept| kept.thoughts.clone())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use candor_core::inbound::{Place, UserId};

    fn key(person: u64) -> ConversationKey {
        ConversationKey::new(Place::Console, UserId(person))
    }

    fn thoughts(length: usize) -> Vec<Thought> {
        let block = json!({"type": "thinking", "thinking": "x".repeat(length), "signature": ""});
        vec![Thought { before: 0, block }]
    }

    #[tokio::test(start_paused = true)]
    async fn thoughts_are_known_by_conversation_model_and_calls_for_a_while() {
        let kept = Thoughts::default();
        let ann = key(1);
        kept.keep(&ann, "claude", vec!["1".to_owned(), "2".to_owned()], thoughts(3));
        kept.keep(&ann, "claude", vec!["3".to_owned()], Vec::new());
        let length =
            |of, model: &str, calls: &[&str]| kept.of(of, model, calls).map(|thoughts| thoughts_length(&thoughts) - 8);
        assert_eq!(length(&ann, "claude", &["1", "2"]), Some(3));
        for (of, model, calls) in [
            (&ann, "claude", vec!["1"]),
            (&ann, "claude", vec!["3"]),
            (&ann, "other", vec!["1", "2"]),
            (&key(2), "claude", vec!["1", "2"]),
        ] {
            assert_eq!(length(of, model, &calls), None, "{calls:?}");
        }
        tokio::time::advance(KEPT_FOR + Duration::from_secs(1)).await;
        kept.keep(&ann, "claude", vec!["4".to_owned()], thoughts(3));
        assert_eq!(kept.lock().len(), 1);
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let kept = Thoughts::default();
        for n in 0..2 * ANSWERS_MAX {
            kept.keep(&key(1), "claude", vec![n.to_string()], thoughts(10));
        }
        assert_eq!(kept.lock().len(), ANSWERS_MAX);
        for n in 0..20 {
            kept.keep(&key(1), "claude", vec![n.to_string()], thoughts(THOUGHTS_LENGTH_MAX - 8));
        }
        assert_eq!(kept.lock().len(), 8);
        kept.keep(&key(1), "claude", vec!["x".to_owned()], thoughts(THOUGHTS_LENGTH_MAX));
        assert_eq!(kept.of(&key(1), "claude", &["x"]), None, "a part would be refused");
    }
}
