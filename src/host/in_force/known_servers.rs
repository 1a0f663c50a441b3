//! The names of guilds, which the edge learns once it is connected.

use std::sync::{OnceLock, Weak};

use async_trait::async_trait;

use candor_core::contract::ServerNames;
use candor_core::inbound::GuildId;

/// Asks the edge, which is created later than the services of modules. Before that, no name is known.
#[derive(Default)]
pub struct KnownServers(OnceLock<Weak<dyn ServerNames>>);

impl KnownServers {
    /// Sets the edge to ask. Only the first call has an effect.
    pub fn told_by(&self, edge: Weak<dyn ServerNames>) {
        let _second = self.0.set(edge);
    }
}

#[async_trait]
impl ServerNames for KnownServers {
    async fn name(&self, guild: GuildId) -> Option<String> {
        self.0.get()?.upgrade()?.name(guild).await
    }
}
