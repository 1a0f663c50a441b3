//! Asks each configured model for a small answer: `candor check --online`.

use std::time::{Duration, Instant};

use crate::app::build::model_servers;
use crate::app::exit::Failure;
use candor_core::agent::{ImageProbe, ImageSetting, Model as _, ModelFailure, Probe, ToolMode, Unwatched};
use candor_core::settings::Settings;

#[derive(Debug)]
pub struct AskedModel {
    pub name: String,
    /// How it calls tools, or why that is unknown.
    pub found: Result<ToolMode, ModelFailure>,
    /// Whether it takes images, by setting or by probe. `None` if unknown.
    pub images: Option<bool>,
    /// How long the answer took, including loading the model.
    pub took: Duration,
}

/// Asks each model in turn, as the bot does before its first reply.
///
/// # Errors
/// If a key cannot be read.
pub async fn ask_models(settings: &Settings) -> Result<Vec<AskedModel>, Failure> {
    let mut asked = Vec::new();
    let Some(servers) = model_servers(settings)? else { return Ok(asked) };
    for model in &settings.chat.models {
        let began = Instant::now();
        let found = Probe::found(servers.complete(Probe::default().request(&model.name), &Unwatched).await);
        let took = began.elapsed();
        let images = match (model.images, &found) {
            (ImageSetting::Fixed(sees), _) => Some(sees),
            // The model does not answer.
            (ImageSetting::Auto, Err(_)) => None,
            (ImageSetting::Auto, Ok(_)) => {
                let probe = ImageProbe::default();
                ImageProbe::found(servers.complete(probe.request(&model.name), &Unwatched).await).ok()
            }
        };
        asked.push(AskedModel { name: model.name.clone(), found, images, took });
    }
    Ok(asked)
}
