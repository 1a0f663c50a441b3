//! Asks each configured model for a small answer: `candor check --online`.

use std::time::{Duration, Instant};

use crate::app::build::model_servers;
use crate::app::exit::Failure;
use candor_core::agent::{Model as _, ModelFailure, Probe, ToolMode, Unwatched};
use candor_core::settings::Settings;

/// What became of asking a model.
#[derive(Debug)]
pub struct AskedModel {
    /// The name by which people choose it.
    pub name: String,
    /// How it calls tools, or why that is not known.
    pub found: Result<ToolMode, ModelFailure>,
    /// How long that took, with the load of the model.
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
        asked.push(AskedModel { name: model.name.clone(), found, took: began.elapsed() });
    }
    Ok(asked)
}
