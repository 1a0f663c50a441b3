//! The clock of a process beside that of the store's server.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Trial, on_every_engine};
use candor::host::{Clock, HeldBack};

on_every_engine!(a_clock_that_is_ahead_of_the_servers_is_held_back_and_one_that_is_behind_is_not);

/// The machine's clock, set by some seconds.
struct SetBy(i64);

impl Clock for SetBy {
    fn now(&self) -> SystemTime {
        let by = Duration::from_secs(self.0.unsigned_abs());
        if self.0 < 0 { SystemTime::now() - by } else { SystemTime::now() + by }
    }
}

async fn a_clock_that_is_ahead_of_the_servers_is_held_back_and_one_that_is_behind_is_not(trial: Trial) {
    let store = Arc::new(trial.open().await);
    // How far it is set, and how far it then is from the server's.
    for (set_by, on_server) in [(3_600, 0), (86_400 * 365, 0), (1, 1), (-3_600, -3_600)] {
        let clock = HeldBack::new(Arc::new(SetBy(set_by)), store.clone());
        clock.compare().await.unwrap();
        let expected = SetBy(if trial.is_a_file() { set_by } else { on_server }).now();
        let apart = clock.now().duration_since(expected).unwrap_or_else(|behind| behind.duration());
        assert!(apart < Duration::from_secs(60), "{set_by} s: {apart:?}");
    }
}
