//! The providers of all models for conversations, by the names that people choose.

use std::collections::BTreeMap;

use async_trait::async_trait;
use secrecy::SecretString;

use crate::client::{OpenAiCompatible, SetupError};
use candor_core::agent::tools::Completion;
use candor_core::agent::{Growth, Model, ModelFailure, Request};
use candor_core::settings::ModelSettings;

/// A client for each provider, and the provider of each model.
#[derive(Debug, Default)]
pub struct ModelServers {
    clients: Vec<OpenAiCompatible>,
    /// The index of the client and the model's name there, by the name that people choose.
    models: BTreeMap<String, (usize, String)>,
}

impl ModelServers {
    /// Adds a provider with its key. Does not connect yet.
    pub fn add(&mut self, settings: &ModelSettings, key: Option<SecretString>) -> Result<(), SetupError> {
        let index = self.clients.len();
        self.clients.push(OpenAiCompatible::new(settings, key)?);
        self.models.extend(settings.models.iter().map(|name| (settings.chosen_as(name), (index, name.clone()))));
        Ok(())
    }

    /// Returns whether requests to a provider are paused after repeated failures.
    pub fn is_open(&self) -> bool {
        self.clients.iter().any(OpenAiCompatible::is_open)
    }
}

#[async_trait]
impl Model for ModelServers {
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        let model = self.models.get(request.model);
        let Some((client, name)) = model.and_then(|(index, name)| Some((self.clients.get(*index)?, name))) else {
            return Err(ModelFailure::UnknownModel);
        };
        client.complete(Request { model: name, ..request }, growth).await
    }
}
