//! How each model calls tools: as it is set, or as a probe finds out.

use std::collections::BTreeMap;

use tokio::sync::OnceCell;
use tracing::{info, warn};

use candor_core::agent::{Model, ModelFailure, Probe, ToolMode, ToolSetting, Unwatched};

/// How each model calls tools.
pub struct ToolModes {
    setting: ToolSetting,
    found: BTreeMap<String, OnceCell<ToolMode>>,
}

impl ToolModes {
    /// Nothing is found out yet of these models.
    pub fn new(setting: ToolSetting, models: &[String]) -> Self {
        Self { setting, found: models.iter().map(|name| (name.clone(), OnceCell::new())).collect() }
    }

    /// How this model calls tools now. A probe is made until one succeeds, and whoever asks meanwhile waits for it.
    pub(super) async fn of(&self, name: &str, model: &dyn Model) -> ToolMode {
        let cell = match (self.setting, self.found.get(name)) {
            (ToolSetting::Fixed(mode), _) => return mode,
            (ToolSetting::Auto, None) => return ToolMode::Native,
            (ToolSetting::Auto, Some(cell)) => cell,
        };
        match cell.get_or_try_init(|| probed(name, model)).await {
            Ok(mode) => *mode,
            Err(failure) => {
                warn!(
                    model.name = name,
                    reason = failure.name(),
                    "tools: native (assumed: the probe failed, and is repeated before the next reply)"
                );
                ToolMode::Native
            }
        }
    }
}

async fn probed(name: &str, model: &dyn Model) -> Result<ToolMode, ModelFailure> {
    let answer = model.complete(Probe::default().request(name), &Unwatched).await;
    let mode = Probe::found(answer)?;
    info!(model.name = name, "tools: {} (found by a probe)", mode.name());
    Ok(mode)
}
