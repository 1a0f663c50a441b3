//! The clock of a process beside that of the store's server.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Trial, on_every_engine};
use candor_engine::{Clock, Leases as _, ServerClock};

on_every_engine!(
    a_clock_that_differs_from_the_servers_shows_the_servers_time,
    a_lease_that_a_host_with_a_slow_clock_has_is_not_over_for_others,
);

/// The machine's clock, set by some seconds.
struct SetBy(i64);

impl Clock for SetBy {
    fn now(&self) -> SystemTime {
        let by = Duration::from_secs(self.0.unsigned_abs());
        if self.0 < 0 { SystemTime::now() - by } else { SystemTime::now() + by }
    }
}

async fn a_clock_that_differs_from_the_servers_shows_the_servers_time(trial: Trial) {
    let store = Arc::new(trial.open().await);
    // How far it is set, and how far it then is from the server's.
    for (set_by, on_server) in [(3_600, 0), (86_400 * 365, 0), (1, 1), (-3_600, 0)] {
        let clock = ServerClock::new(Arc::new(SetBy(set_by)), store.clone());
        clock.compare().await.unwrap();
        let expected = SetBy(if trial.is_a_file() { set_by } else { on_server }).now();
        let apart = clock.now().duration_since(expected).unwrap_or_else(|behind| behind.duration());
        assert!(apart < Duration::from_secs(60), "{set_by} s: {apart:?}");
    }
}

async fn a_lease_that_a_host_with_a_slow_clock_has_is_not_over_for_others(trial: Trial) {
    // Processes on a file share the clock of their host.
    if trial.is_a_file() {
        return;
    }
    let (slow, right) = (Arc::new(trial.open().await), trial.open().await);
    let clock = ServerClock::new(Arc::new(SetBy(-120)), slow.clone());
    clock.compare().await.unwrap();
    let lasts = Duration::from_secs(60);
    assert!(slow.take_lease("samples", lasts, clock.now()).await.unwrap());
    assert!(!right.take_lease("samples", lasts, SystemTime::now()).await.unwrap());
    assert!(slow.take_lease("samples", lasts, clock.now()).await.unwrap());
}
