//! Limits the concurrent requests to Discord. Each takes a connection, and so a file descriptor.

use tokio::sync::{Semaphore, SemaphorePermit};

const REQUESTS_MAX: u64 = 64;
/// With few file descriptors, each kind gets this fraction of them: one in eight.
const PART_OF_FILES: u64 = 8;
/// The minimum of concurrent requests, also with few file descriptors.
const REQUESTS_MIN: u64 = 4;

/// The slots for requests. Answers to interactions have 3 s, and never wait for other requests.
pub(super) struct Pool {
    answers: Semaphore,
    others: Semaphore,
}

impl Pool {
    /// Creates a pool for a process that may open this many files, if that is known.
    pub(super) fn of(open_files: Option<u64>) -> Self {
        let size = open_files.map_or(REQUESTS_MAX, |max| (max / PART_OF_FILES).clamp(REQUESTS_MIN, REQUESTS_MAX));
        let places = || Semaphore::new(usize::try_from(size).unwrap_or(Semaphore::MAX_PERMITS));
        Self { answers: places(), others: places() }
    }

    /// Waits for a slot. Never `None`: the pools are never closed.
    pub(super) async fn place(&self, is_answer: bool) -> Option<SemaphorePermit<'_>> {
        if is_answer { &self.answers } else { &self.others }.acquire().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_room_beside_the_other_files_of_the_process() {
        for (open_files, expected) in [(Some(16), 4), (Some(64), 8), (Some(256), 32), (Some(1_024), 64), (None, 64)] {
            let pool = Pool::of(open_files);
            let places = [pool.answers.available_permits(), pool.others.available_permits()];
            assert_eq!(places, [expected; 2], "{open_files:?}");
        }
    }
}
