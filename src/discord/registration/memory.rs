//! The stored registration state of each scope. If the store fails, registration continues without it.

use std::sync::Arc;
use std::time::SystemTime;

use tracing::warn;

use candor_core::contract::ServiceError;
use candor_core::inbound::GuildId;
use candor_core::registration::{Remembered, Scope, SyncMemory, day_of};

/// The store, for one application.
pub(crate) struct StoredRegistrations {
    pub(crate) store: Arc<dyn SyncMemory>,
    pub(crate) application: u64,
}

impl StoredRegistrations {
    pub(crate) async fn of(&self, scope: Scope) -> Remembered {
        or_default(self.store.remembered(self.application, scope).await)
    }

    pub(crate) async fn guilds(&self) -> Vec<(GuildId, Remembered)> {
        or_default(self.store.guilds(self.application).await)
    }

    pub(crate) async fn settle(&self, scope: Scope, fingerprint: Option<&str>) {
        or_default(self.store.settle(self.application, scope, fingerprint).await);
    }

    pub(crate) async fn count_creates(&self, scope: Scope, n: usize, now: SystemTime) {
        or_default(self.store.count_creates(self.application, scope, day_of(now), n).await);
    }

    pub(crate) async fn stop_creates(&self, scope: Scope, until: SystemTime) {
        or_default(self.store.stop_creates(self.application, scope, until).await);
    }

    pub(crate) async fn hold(&self, scope: Scope, until: SystemTime) {
        or_default(self.store.hold(self.application, scope, until).await);
    }
}

fn or_default<T: Default>(answer: Result<T, ServiceError>) -> T {
    answer.unwrap_or_else(|problem| {
        warn!(error = %problem, "could not store the registration state");
        T::default()
    })
}
