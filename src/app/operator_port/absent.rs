//! A build without the operator's port.

use std::sync::Arc;

use tracing::warn;

use crate::app::build::App;
use crate::app::exit::Failure;
use candor_discord::Reconciler;
use candor_discord::gateway::Pulse;

pub(crate) async fn serve(
    app: &App,
    _: &Arc<Reconciler>,
    _: &Arc<Pulse>,
    _: Arc<dyn Fn() -> u64 + Send + Sync>,
) -> Result<(), Failure> {
    if let Some(listen) = app.settings.admin.listen {
        warn!(
            "nothing answers at {listen}: this build of the bot lacks the feature `operate`, so `[admin]` has no effect"
        );
    }
    Ok(())
}
