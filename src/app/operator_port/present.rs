//! Serves health, metrics and the page.

use std::sync::Arc;

use crate::app::build::App;
use crate::app::exit::Failure;
use crate::app::operator_port::page::page;
use crate::app::reload::Reloader;
use candor_core::registry::Registry;
use candor_discord::gateway::Pulse;
use candor_discord::{Reconciler, SyncStatus};
use candor_operate as admin;
use candor_system::host_metrics::process_figures;

/// Serves the port in a task of its own, if the settings name one.
pub(crate) async fn serve(
    app: &App,
    reconciler: &Arc<Reconciler>,
    pulse: &Arc<Pulse>,
    lines_dropped: admin::Count,
) -> Result<(), Failure> {
    let admin = &app.settings.admin;
    if let Some(listen) = admin.listen {
        let is_breaker_open = app.model.clone().map(|model| -> admin::Gauge { Arc::new(move || model.is_open()) });
        let read = reconciler.clone();
        let registered = admin::States { names: &SyncStatus::NAMES, now: Arc::new(move || read.state().name()) };
        let beating = pulse.clone();
        let shards: admin::Shards = Arc::new(move || beating.shards());
        let readiness = app.readiness.clone();
        let counters = app.dispatcher.executor.counters.clone();
        let health = app.health.clone();
        let in_force = app.in_force.clone();
        let look: admin::Look = Arc::new(move || {
            let health = health.clone();
            Box::pin(async move { health.look().await })
        });
        let state = admin::AdminState {
            is_breaker_open,
            registered: Some(registered),
            shards: Some(shards),
            reloads: Some(reloads(&app.reloader)),
            look: Some(look),
            modules: Some(Arc::new(move || modules(&in_force.now()))),
            process: Some(Arc::new(process_figures)),
            ..admin::AdminState::new(readiness, counters, lines_dropped)
        };
        let page = page(app, reconciler)?;
        let stopped = app.shutdown.clone().cancelled_owned();
        admin::serve(listen, &admin.hosts, state, page, stopped).await.map_err(|problem| {
            Failure::unavailable(format!(
                "cannot listen on {listen} for health checks: {problem}; set another address under `[admin] listen`, or \"off\""
            ))
        })?;
    }
    Ok(())
}

fn reloads(reloader: &Arc<Reloader>) -> admin::Reloads {
    let asked = reloader.clone();
    admin::Reloads {
        now: Arc::new(move || {
            let reloader = asked.clone();
            // In a task of its own, so that the reload finishes even if the client disconnects.
            let reloading = tokio::spawn(async move { reloader.reload("somebody asked for it").await });
            Box::pin(async { reloading.await.unwrap_or_else(|broken| Err(broken.to_string())) })
        }),
        state: reloader.state().clone(),
    }
}

fn modules(registry: &Registry) -> admin::Modules {
    admin::Modules {
        modules: registry.modules().len(),
        rejected: registry.rejected_modules().len(),
        commands: registry.all().count(),
        unavailable: registry.not_in_force().count(),
    }
}
