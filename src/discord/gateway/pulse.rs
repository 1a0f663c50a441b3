//! The state of the shards: whether they are connected, and when Discord last acknowledged a heartbeat.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, interval};
use tracing::{info, warn};

use candor_core::record::{Latch, Readiness, ShardState};
use candor_engine::InForce;

/// How often the shards are checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A shard without an acknowledged heartbeat for this long counts as disconnected. Discord's heartbeat interval is 41
/// s.
pub(super) const SILENT_MAX: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Pulse(Mutex<Vec<Heart>>);

#[derive(Clone, Copy, Debug, Default)]
struct Heart {
    is_connected: bool,
    acknowledged: Option<Instant>,
    event: Option<Instant>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl Pulse {
    pub(super) fn begin(&self, n_shards: u32) {
        let n_shards = usize::try_from(n_shards).unwrap_or(usize::MAX);
        self.with(|hearts| hearts.resize(n_shards, Heart::default()));
    }

    pub(super) fn connected(&self, shard: u32, is_connected: bool) {
        self.with(|hearts| {
            if let Some(heart) = hearts.get_mut(shard as usize) {
                heart.is_connected = is_connected;
                // The start of the first session counts as an acknowledgement, until the first heartbeat. Later
                // sessions do not.
                if is_connected {
                    heart.acknowledged.get_or_insert_with(Instant::now);
                }
            }
        });
    }

    pub(super) fn acknowledged(&self, shard: u32) {
        self.with(|hearts| {
            if let Some(heart) = hearts.get_mut(shard as usize) {
                heart.acknowledged = Some(Instant::now());
            }
        });
    }

    pub(super) fn event(&self, shard: u32) {
        self.with(|hearts| {
            if let Some(heart) = hearts.get_mut(shard as usize) {
                heart.event = Some(Instant::now());
            }
        });
    }

    /// Returns whether every shard is connected and has a recent acknowledgement.
    pub(super) fn is_whole(&self) -> bool {
        let is_heard = |heart: &Heart| heart.acknowledged.is_some_and(|at| at.elapsed() < SILENT_MAX);
        self.with(|hearts| !hearts.is_empty() && hearts.iter().all(|heart| heart.is_connected && is_heard(heart)))
    }

    pub fn shards(&self) -> Vec<ShardState> {
        let ago = |at: Option<Instant>| at.map(|at| at.elapsed());
        self.with(|hearts| {
            let of = |heart: &Heart| ShardState {
                is_connected: heart.is_connected,
                acknowledged: ago(heart.acknowledged),
                event: ago(heart.event),
            };
            hearts.iter().map(of).collect()
        })
    }

    /// Keeps the gateway's readiness latch in step with the shards, without end. Nothing else sets it.
    ///
    /// Check failures are logged again when all shards are connected for the first time. That usually ends the start; the
    /// registration may take longer.
    pub(super) async fn follow(&self, n_shards: u32, readiness: &Readiness, in_force: &InForce) -> Infallible {
        let mut every = interval(LOOK_EVERY);
        let mut was_connected = false;
        let mut is_start = true;
        loop {
            every.tick().await;
            let connected = self.is_whole();
            readiness.set(Latch::Gateway, connected);
            match (was_connected, connected) {
                (true, false) => warn!("the connection to Discord is lost; the bot reconnects by itself"),
                (false, true) => {
                    info!(shards = n_shards, "connected to Discord");
                    if let Some(failures) = in_force.now().summary_of_failures().filter(|_| is_start) {
                        warn!("{failures}");
                    }
                    is_start = false;
                }
                _ => {}
            }
            was_connected = connected;
        }
    }

    fn with<T>(&self, look: impl FnOnce(&mut Vec<Heart>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn m12_a_shard_counts_while_it_is_connected_and_its_heartbeats_are_acknowledged() {
        let pulse = Pulse::default();
        assert!(!pulse.is_whole());
        pulse.begin(1);
        assert!(!pulse.is_whole());
        pulse.connected(0, true);
        assert!(pulse.is_whole());
        // Sessions that begin or go on in between, without an acknowledgement.
        for _ in 0..6 {
            assert!(pulse.is_whole());
            advance(SILENT_MAX / 6).await;
            pulse.connected(0, false);
            assert!(!pulse.is_whole());
            pulse.connected(0, true);
        }
        assert!(!pulse.is_whole());
        pulse.acknowledged(0);
        assert!(pulse.is_whole());
        pulse.connected(0, false);
        assert!(!pulse.is_whole());
    }
}
