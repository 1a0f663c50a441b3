//! The order in which answers change one message: each is made and shown before the next one is made, so the last one
//! shown is the newest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serenity::all::MessageId;
use tokio::sync::OwnedMutexGuard;

use crate::gate::AT_ONCE_MAX;

/// The maximum of answers that wait for one message: half of all concurrent ones.
const WAITING_MAX: usize = AT_ONCE_MAX / 2;

#[derive(Default)]
pub(crate) struct Turns(Mutex<HashMap<MessageId, Arc<tokio::sync::Mutex<()>>>>);

/// The turn of one answer. The next one begins when it is dropped.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    message: MessageId,
    own: Option<OwnedMutexGuard<()>>,
}

impl Turns {
    /// Waits for the earlier answers. `None` if so many wait that they would keep others from an answer: then there is
    /// no order.
    pub(crate) async fn take(&self, message: MessageId) -> Option<Turn<'_>> {
        let lock = self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(message).or_default().clone();
        // Subtract the map, the answer whose turn it is, and this one.
        if WAITING_MAX <= Arc::strong_count(&lock).saturating_sub(3) {
            return None;
        }
        // Created before the wait: if the wait is dropped, this removes the entry.
        let mut turn = Turn { turns: self, message, own: None };
        turn.own = Some(lock.lock_owned().await);
        Some(turn)
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
        let turns = Turns::default();
        let [one, other] = [1, 2].map(MessageId::new);
        let first = turns.take(one).await;
        let mut second = Box::pin(turns.take(one));
        assert!((&mut second).now_or_never().is_none());
        let mut cancelled = Box::pin(turns.take(one));
        assert!((&mut cancelled).now_or_never().is_none());
        drop(turns.take(other).await);
        drop(first);
        drop(second.await);
        drop(cancelled);
        assert!(turns.0.lock().unwrap().is_empty());
        let _held = turns.take(one).await;
        let mut waiting: Vec<_> = (0..=WAITING_MAX).map(|_| Box::pin(turns.take(one))).collect();
        let at_once: Vec<_> = waiting.iter_mut().filter_map(|turn| turn.now_or_never()).collect();
        assert!(matches!(at_once.as_slice(), [None]), "the last one has no turn");
    }
}
