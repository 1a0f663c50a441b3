//! Whether the gateway is connected, by the state of its shards.

use std::convert::Infallible;
use std::time::Duration;

use serenity::all::ShardManager;
use serenity::gateway::ConnectionStage;
use tokio::time::interval;
use tracing::{info, warn};

use candor_core::record::{Latch, Readiness};

/// How often the shards are polled.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Keeps the gateway's readiness latch in step with the shards, without end. It is the only one that sets it: serenity
/// reports a lost connection to no event handler. A shard whose session was refused still claims to be connected for up
/// to 5 s, until serenity restarts it.
pub(crate) async fn follow(shards: &ShardManager, n_shards: u32, readiness: &Readiness) -> Infallible {
    let mut every = interval(LOOK_EVERY);
    let mut was_connected = None;
    loop {
        every.tick().await;
        let connected = are_connected(shards, n_shards).await;
        readiness.set(Latch::Gateway, connected);
        match was_connected {
            Some(true) if !connected => warn!("the connection to Discord is lost; it is taken up again by itself"),
            Some(false) if connected => info!(shards = n_shards, "connected to Discord"),
            _ => {}
        }
        was_connected = Some(connected);
    }
}

/// A shard that is being restarted is not in the list.
async fn are_connected(shards: &ShardManager, n_shards: u32) -> bool {
    let runners = shards.runners.lock().await;
    let n_connected = runners.values().filter(|runner| runner.stage == ConnectionStage::Connected).count();
    u32::try_from(n_connected).is_ok_and(|n_connected| n_shards <= n_connected)
}
