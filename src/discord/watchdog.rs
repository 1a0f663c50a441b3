//! Ends a process whose runtime has stopped turning.
//!
//! serenity's shard loop can spin without ever yielding after some close codes (4003, 4010, 4011). It then
//! holds the runtime's timers, so that nothing inside the runtime can notice. A thread outside can.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use tokio::time::interval;
use tracing::error;

/// How often the runtime shows that it turns.
const BEAT: Duration = Duration::from_secs(1);
/// How long it may be silent.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// Starts the thread, and the task that it listens to. `end` is called once, when the runtime is stuck.
pub(super) fn start(end: impl FnOnce() + Send + 'static) {
    let beats = Arc::new(AtomicU64::new(0));
    let listened = Arc::clone(&beats);
    tokio::spawn(async move {
        let mut every = interval(BEAT);
        loop {
            every.tick().await;
            beats.fetch_add(1, Ordering::Relaxed);
        }
    });
    thread::spawn(move || {
        let mut last = 0;
        loop {
            thread::sleep(SILENCE_MAX);
            let heard = listened.load(Ordering::Relaxed);
            // The task ends with the runtime: then nobody is left to listen for.
            if Arc::strong_count(&listened) == 1 {
                return;
            }
            if heard == last {
                error!(
                    "the runtime has been stuck for {} s; ending the process so that it is started again",
                    SILENCE_MAX.as_secs()
                );
                end();
                return;
            }
            last = heard;
        }
    });
}
