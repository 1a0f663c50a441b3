//! The connection state of the gateway, derived from its shards.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::interval;
use tracing::{info, warn};

use crate::edges::discord::gateway::pulse::Pulse;
use crate::host::InForce;
use candor_core::record::{Latch, Readiness};

/// How often the shards are checked.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Keeps the gateway's readiness latch in step with the shards, without end. Nothing else sets it.
///
/// Check failures are logged again when all shards are connected for the first time. That usually ends the start; the
/// registration may take longer.
pub(super) async fn follow(pulse: &Pulse, n_shards: u32, readiness: &Readiness, in_force: &InForce) -> Infallible {
    let mut every = interval(LOOK_EVERY);
    let (mut was_connected, mut is_start) = (None, true);
    loop {
        every.tick().await;
        let connected = pulse.is_whole();
        readiness.set(Latch::Gateway, connected);
        match was_connected {
            Some(true) if !connected => warn!("the connection to Discord is lost; the bot reconnects by itself"),
            Some(false) if connected => {
                info!(shards = n_shards, "connected to Discord");
                if let Some(failures) = in_force.now().summary_of_failures().filter(|_| is_start) {
                    warn!("{failures}");
                }
                is_start = false;
            }
            _ => {}
        }
        was_connected = Some(connected);
    }
}
