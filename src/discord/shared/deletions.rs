//! Deleted messages on their way to the store. They wait in one bounded queue and are looked up in batches: if each
//! event waited for the store by itself, a flood of them would fill the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel, error::TrySendError};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use candor_core::record::{Counters, Dropped};

/// The maximum of waiting ids: half a MiB.
const WAITING_MAX: usize = 65_536;
/// The maximum of ids looked up together.
const BATCH_MAX: usize = 500;
/// The pause between two batches, unless a full one waits.
const EVERY: Duration = Duration::from_millis(100);

pub(crate) struct Deletions {
    ids: Sender<u64>,
    counters: Arc<Counters>,
    has_warned: AtomicBool,
}

pub(crate) struct Batches {
    ids: Receiver<u64>,
    next: Instant,
    stop: CancellationToken,
}

/// Creates the queue. After `stop` it takes no more messages, and the waiting ones come out without pauses.
pub(crate) fn queue(counters: Arc<Counters>, stop: CancellationToken) -> (Deletions, Batches) {
    let (sender, receiver) = channel(WAITING_MAX);
    let deletions = Deletions { ids: sender, counters, has_warned: AtomicBool::new(false) };
    (deletions, Batches { ids: receiver, next: Instant::now(), stop })
}

impl Deletions {
    /// Queues messages. When the queue is full, they are dropped and counted.
    pub(crate) fn add(&self, messages: &[u64]) {
        if self.ids.capacity() == WAITING_MAX {
            // The flood is over, so warn about the next one.
            self.has_warned.store(false, Ordering::Relaxed);
        }
        for message in messages {
            if let Err(TrySendError::Full(_)) = self.ids.try_send(*message) {
                self.counters.dropped.count(Dropped::Deletion);
                if !self.has_warned.swap(true, Ordering::Relaxed) {
                    warn!(
                        "deleted messages dropped: too many wait for their lookup; summaries may still contain their words"
                    );
                }
            }
        }
    }
}

impl Batches {
    /// Returns the next messages to look up; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Vec<u64>> {
        if self.ids.len() < BATCH_MAX {
            tokio::select! {
                () = sleep_until(self.next) => {}
                () = self.stop.cancelled() => {}
            }
        }
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !self.ids.is_closed() => self.ids.close(),
                n = self.ids.recv_many(&mut batch, BATCH_MAX) => {
                    self.next = Instant::now() + EVERY;
                    return (0 < n).then_some(batch);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_looked_up_in_batches_without_pauses_and_what_does_not_fit_is_counted() {
        let counters = Arc::new(Counters::default());
        let stop = CancellationToken::new();
        let (deletions, mut batches) = queue(counters.clone(), stop.clone());
        let flood: Vec<_> = (0..100_000).collect();
        deletions.add(&flood);
        let dropped = |counters: &Counters| counters.dropped.read().map(|(_, n)| n).sum::<u64>();
        assert_eq!(dropped(&counters), 100_000 - WAITING_MAX as u64);
        let began = Instant::now();
        let mut sizes = Vec::new();
        while sizes.iter().sum::<usize>() < WAITING_MAX {
            sizes.push(batches.next().await.unwrap().len());
        }
        assert!(sizes.len() <= WAITING_MAX / BATCH_MAX + 1 && sizes.iter().all(|n| *n <= BATCH_MAX), "{sizes:?}");
        assert!(began.elapsed() < 2 * EVERY, "{:?}", began.elapsed());
        assert!(deletions.has_warned.load(Ordering::Relaxed));

        // What comes in a pause is looked up together, and the last ones at the end.
        deletions.add(&[1]);
        assert!(!deletions.has_warned.load(Ordering::Relaxed), "the next flood is told again");
        assert_eq!(batches.next().await.unwrap(), [1]);
        deletions.add(&[2]);
        assert!(timeout(EVERY / 2, batches.next()).await.is_err());
        deletions.add(&[3]);
        assert_eq!(batches.next().await.unwrap(), [2, 3]);
        deletions.add(&[4]);
        stop.cancel();
        assert_eq!(timeout(Duration::ZERO, batches.next()).await.unwrap().unwrap(), [4]);
        deletions.add(&[5]);
        assert_eq!((batches.next().await, dropped(&counters)), (None, 100_000 - WAITING_MAX as u64));
    }
}
