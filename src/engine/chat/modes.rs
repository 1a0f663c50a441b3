//! The abilities of each model: how it calls tools and whether it takes images, as configured or found by a probe.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Mutex;
use tracing::{info, warn};

use candor_core::agent::{
    ImageProbe, ImageSetting, Model, ModelFailure, OfferedModel, Probe, ToolMode, ToolSetting, Unwatched,
};

/// How many probes of a model may fail before the default is assumed.
const PROBES_MAX: usize = 2;

#[derive(Default)]
pub(crate) struct ToolModes {
    models: BTreeMap<String, Abilities>,
}

struct Abilities {
    tools: Known<ToolMode>,
    images: Known<bool>,
}

enum Known<T> {
    Set(T),
    Probed(Probed<T>),
}

struct Probed<T> {
    found: std::sync::Mutex<Option<T>>,
    /// Held during a probe.
    probing: Mutex<()>,
    n_failed: AtomicUsize,
}

/// The texts of a probe, for the log, and its default.
struct Question<T> {
    what: &'static str,
    whole: &'static str,
    shown: fn(T) -> &'static str,
    /// Assumed if the probes fail.
    assumed: T,
}

const TOOLS: Question<ToolMode> =
    Question { what: "tools", whole: "how it calls tools", shown: ToolMode::name, assumed: ToolMode::Native };

const IMAGES: Question<bool> = Question {
    what: "images",
    whole: "whether it takes images",
    shown: |sees| if sees { "yes" } else { "no" },
    assumed: false,
};

impl ToolModes {
    pub(super) fn new(models: &[OfferedModel]) -> Self {
        let known = |model: &OfferedModel| Abilities {
            tools: match model.tools {
                ToolSetting::Fixed(mode) => Known::Set(mode),
                ToolSetting::Auto => Known::Probed(Probed::default()),
            },
            images: match model.images {
                ImageSetting::Fixed(sees) => Known::Set(sees),
                ImageSetting::Auto => Known::Probed(Probed::default()),
            },
        };
        Self { models: models.iter().map(|model| (model.name.clone(), known(model))).collect() }
    }

    /// Returns how this model calls tools. Makes a probe before each reply until one succeeds.
    ///
    /// # Errors
    /// Returns the failure of the probe if the provider does not respond: the reply would wait for the same failure
    /// again.
    pub(super) async fn of(&self, name: &str, model: &dyn Model) -> Result<ToolMode, ModelFailure> {
        match self.models.get(name).map(|known| &known.tools) {
            Some(Known::Set(mode)) => Ok(*mode),
            Some(Known::Probed(probed)) => {
                let probe = async { Probe::found(model.complete(Probe::default().request(name), &Unwatched).await) };
                probed.find(name, TOOLS, probe).await
            }
            None => Ok(ToolMode::Native),
        }
    }

    /// Whether this model takes images. Makes a probe before each reply to an image until one succeeds. If the provider
    /// does not respond to the probe, the request is made without images.
    pub(super) async fn sees(&self, name: &str, model: &dyn Model) -> bool {
        match self.models.get(name).map(|known| &known.images) {
            Some(Known::Set(sees)) => *sees,
            Some(Known::Probed(probed)) => {
                let probe = ImageProbe::default();
                let probe = async { ImageProbe::found(model.complete(probe.request(name), &Unwatched).await) };
                probed.find(name, IMAGES, probe).await.unwrap_or_default()
            }
            None => false,
        }
    }

    /// Returns how this model calls tools, if that is known without a probe.
    pub(crate) fn known(&self, name: &str) -> Option<ToolMode> {
        self.models.get(name)?.tools.now()
    }

    /// Returns whether this model takes images, if that is known without a probe.
    pub(crate) fn known_to_see(&self, name: &str) -> Option<bool> {
        self.models.get(name)?.images.now()
    }

    /// Records that the provider refused a request because of its tools. From now on the model calls them by text,
    /// unless its mode is configured. Returns whether the mode can change.
    pub(super) fn refused(&self, name: &str) -> bool {
        let Some(Known::Probed(probed)) = self.models.get(name).map(|known| &known.tools) else { return false };
        if probed.known(|mode| mode.replace(ToolMode::Text)) != Some(ToolMode::Text) {
            warn!(model.name = name, "tools: text (its server refuses requests with tools)");
        }
        true
    }
}

impl<T: Copy> Known<T> {
    fn now(&self) -> Option<T> {
        match self {
            Self::Set(found) => Some(*found),
            Self::Probed(probed) => probed.known(|found| *found),
        }
    }
}

impl<T> Default for Probed<T> {
    fn default() -> Self {
        Self { found: std::sync::Mutex::new(None), probing: Mutex::default(), n_failed: AtomicUsize::default() }
    }
}

impl<T: Copy> Probed<T> {
    async fn find(
        &self,
        name: &str,
        Question { what, whole, shown, assumed }: Question<T>,
        probe: impl Future<Output = Result<T, ModelFailure>>,
    ) -> Result<T, ModelFailure> {
        let n_failed = self.n_failed.load(Ordering::Relaxed);
        let _probing = self.probing.lock().await;
        if let Some(found) = self.known(|found| *found) {
            return Ok(found);
        }
        // A caller that waited for a failed probe does not make another one.
        if n_failed != self.n_failed.load(Ordering::Relaxed) {
            return Ok(assumed);
        }
        match probe.await {
            Ok(found) => {
                info!(model.name = name, "{what}: {} (found by a probe)", shown(found));
                Ok(self.known(|known| *known.get_or_insert(found)))
            }
            Err(failure) => {
                let n_failed = self.n_failed.fetch_add(1, Ordering::Relaxed) + 1;
                let reason = failure.name();
                if is_silent(&failure) {
                    warn!(model.name = name, reason, "{whole} is not known: the probe is repeated later");
                    return Err(failure);
                }
                let usual = shown(assumed);
                if PROBES_MAX <= n_failed {
                    warn!(model.name = name, reason, "{what}: {usual} (assumed: no probe shows it)");
                    return Ok(self.known(|known| *known.get_or_insert(assumed)));
                }
                warn!(model.name = name, reason, "{what}: {usual} (assumed: the probe failed, and is repeated later)");
                Ok(assumed)
            }
        }
    }

    fn known<R>(&self, read: impl FnOnce(&mut Option<T>) -> R) -> R {
        read(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether this failure means that the provider does not respond.
fn is_silent(failure: &ModelFailure) -> bool {
    use ModelFailure as F;
    matches!(failure, F::Busy | F::Unreachable | F::Interrupted | F::Unavailable { .. } | F::TimedOut(_))
}
