//! A build without the operator's port.

use std::sync::Arc;

use tracing::info;

use crate::app::build::App;
use crate::app::exit::Failure;
use candor_discord::Reconciler;
use candor_discord::gateway::Pulse;

pub(crate) async fn serve(
    _: &App,
    _: &Arc<Reconciler>,
    _: &Arc<Pulse>,
    _: Arc<dyn Fn() -> u64 + Send + Sync>,
) -> Result<(), Failure> {
    info!("no health, metrics and page: this build of the bot has no operator's port");
    Ok(())
}
