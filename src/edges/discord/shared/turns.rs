//! The order in which answers change one message: each is made and shown before the next one is made, so that the last
//! one shown is the newest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serenity::all::MessageId;
use tokio::sync::OwnedMutexGuard;

/// Whose turn it is to change each message.
#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<MessageId, Arc<tokio::sync::Mutex<()>>>>);

/// The turn of one answer. The next one begins when it is dropped.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    message: MessageId,
    own: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    /// Waits for the answers that were first.
    pub(crate) async fn take(&self, message: MessageId) -> Turn<'_> {
        let turn = self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(message).or_default().clone();
        Turn { turns: self, message, own: Some(turn.lock_owned().await) }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.own = None;
        let mut turns = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.get(&self.message).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            turns.remove(&self.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn answers_change_a_message_one_after_the_other_and_nothing_is_left() {
        let (turns, [one, other]) = (Turns::default(), [1, 2].map(MessageId::new));
        let first = turns.take(one).await;
        let mut second = Box::pin(turns.take(one));
        assert!((&mut second).now_or_never().is_none());
        drop(turns.take(other).await);
        drop(first);
        drop(second.await);
        assert!(turns.0.lock().unwrap().is_empty());
    }
}
