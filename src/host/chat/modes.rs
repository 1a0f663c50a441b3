//! The tool mode of each model: as it is set, or as a probe finds out.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Mutex;
use tracing::{info, warn};

use candor_core::agent::{Model, ModelFailure, OfferedModel, Probe, ToolMode, ToolSetting, Unwatched};

/// How many probes of a model may fail before it is assumed to call tools by the API.
const PROBES_MAX: usize = 2;

/// How each model calls tools: as `tools` of its server says, or as was found out.
#[derive(Default)]
pub(super) struct ToolModes {
    models: BTreeMap<String, Known>,
}

/// What is known of a model.
enum Known {
    Set(ToolMode),
    Probed(Probed),
}

/// What is found out of a model.
#[derive(Default)]
struct Probed {
    mode: std::sync::Mutex<Option<ToolMode>>,
    /// Held during a probe.
    probing: Mutex<()>,
    n_failed: AtomicUsize,
}

impl ToolModes {
    /// Nothing is found out yet of these models.
    pub(super) fn new(models: &[OfferedModel]) -> Self {
        let known = |model: &OfferedModel| match model.tools {
            ToolSetting::Fixed(mode) => Known::Set(mode),
            ToolSetting::Auto => Known::Probed(Probed::default()),
        };
        Self { models: models.iter().map(|model| (model.name.clone(), known(model))).collect() }
    }

    /// How this model calls tools now. Before each reply a probe is made, until one shows it.
    ///
    /// # Errors
    /// The failure of the probe, if its server does not answer: the reply would have to wait for the same again.
    pub(super) async fn of(&self, name: &str, model: &dyn Model) -> Result<ToolMode, ModelFailure> {
        match self.models.get(name) {
            Some(Known::Set(mode)) => Ok(*mode),
            Some(Known::Probed(probed)) => probed.mode(name, model).await,
            None => Ok(ToolMode::Native),
        }
    }

    /// How this model calls tools, if that is known without a probe.
    pub(super) fn known(&self, name: &str) -> Option<ToolMode> {
        match self.models.get(name)? {
            Known::Set(mode) => Some(*mode),
            Known::Probed(probed) => probed.known(|mode| *mode),
        }
    }

    /// Records that the model's server refused a request because of its tools: from now on the model calls them by
    /// text, unless its mode is set. Whether it is asked in another way than before.
    pub(super) fn refused(&self, name: &str) -> bool {
        let Some(Known::Probed(probed)) = self.models.get(name) else { return false };
        if probed.known(|mode| mode.replace(ToolMode::Text)) != Some(ToolMode::Text) {
            warn!(model.name = name, "tools: text (its server refuses requests with tools)");
        }
        true
    }
}

impl Probed {
    async fn mode(&self, name: &str, model: &dyn Model) -> Result<ToolMode, ModelFailure> {
        let n_failed = self.n_failed.load(Ordering::Relaxed);
        let _probing = self.probing.lock().await;
        if let Some(mode) = self.known(|mode| *mode) {
            return Ok(mode);
        }
        // Whoever waited for a probe that failed does not wait for another one.
        if n_failed != self.n_failed.load(Ordering::Relaxed) {
            return Ok(ToolMode::Native);
        }
        match Probe::found(model.complete(Probe::default().request(name), &Unwatched).await) {
            Ok(mode) => {
                info!(model.name = name, "tools: {} (found by a probe)", mode.name());
                Ok(self.known(|known| *known.get_or_insert(mode)))
            }
            Err(failure) => {
                let n_failed = self.n_failed.fetch_add(1, Ordering::Relaxed) + 1;
                let reason = failure.name();
                if is_silent(&failure) {
                    warn!(model.name = name, reason, "how it calls tools is not known: the probe is repeated later");
                    return Err(failure);
                }
                if PROBES_MAX <= n_failed {
                    warn!(model.name = name, reason, "tools: native (assumed: no probe shows it)");
                    return Ok(self.known(|known| *known.get_or_insert(ToolMode::Native)));
                }
                warn!(model.name = name, reason, "tools: native (assumed: the probe failed, and is repeated later)");
                Ok(ToolMode::Native)
            }
        }
    }

    fn known<T>(&self, read: impl FnOnce(&mut Option<ToolMode>) -> T) -> T {
        read(&mut self.mode.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether this says of the server that it does not answer.
fn is_silent(failure: &ModelFailure) -> bool {
    use ModelFailure as F;
    matches!(failure, F::Busy | F::Unreachable | F::Interrupted | F::Unavailable { .. } | F::TimedOut(_))
}
