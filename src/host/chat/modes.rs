//! How each model calls tools: as it is set, or as a probe finds out.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Mutex;
use tracing::{info, warn};

use candor_core::agent::{Model, Probe, ToolMode, ToolSetting, Unwatched};

/// How each model calls tools.
pub struct ToolModes {
    setting: ToolSetting,
    models: BTreeMap<String, Probed>,
}

/// What is known of a model.
#[derive(Default)]
struct Probed {
    mode: OnceLock<ToolMode>,
    /// Held during a probe.
    probing: Mutex<()>,
    n_failed: AtomicUsize,
}

impl ToolModes {
    /// Nothing is found out yet of these models.
    pub fn new(setting: ToolSetting, models: &[String]) -> Self {
        Self { setting, models: models.iter().map(|name| (name.clone(), Probed::default())).collect() }
    }

    /// How this model calls tools now. Before each reply a probe is made, until one shows it.
    pub(super) async fn of(&self, name: &str, model: &dyn Model) -> ToolMode {
        match (self.setting, self.models.get(name)) {
            (ToolSetting::Fixed(mode), _) => mode,
            (ToolSetting::Auto, Some(probed)) => probed.mode(name, model).await,
            (ToolSetting::Auto, None) => ToolMode::Native,
        }
    }
}

impl Probed {
    async fn mode(&self, name: &str, model: &dyn Model) -> ToolMode {
        let n_failed = self.n_failed.load(Ordering::Relaxed);
        let _probing = self.probing.lock().await;
        if let Some(mode) = self.mode.get() {
            return *mode;
        }
        // Whoever waited for a probe that failed does not wait for another one.
        if n_failed != self.n_failed.load(Ordering::Relaxed) {
            return ToolMode::Native;
        }
        match Probe::found(model.complete(Probe::default().request(name), &Unwatched).await) {
            Ok(mode) => {
                info!(model.name = name, "tools: {} (found by a probe)", mode.name());
                *self.mode.get_or_init(|| mode)
            }
            Err(failure) => {
                self.n_failed.fetch_add(1, Ordering::Relaxed);
                let reason = failure.name();
                warn!(model.name = name, reason, "tools: native (assumed: the probe failed, and is repeated later)");
                ToolMode::Native
            }
        }
    }
}
