//! What is remembered of a scope. A store that fails makes registration forgetful, and never stops it.

use std::sync::Arc;
use std::time::SystemTime;

use tracing::warn;

use crate::contract::ServiceError;
use crate::inbound::GuildId;
use crate::reconcile::{Registrations, Remembered, Scope, day_of};

/// The store, for one application.
pub(super) struct Memory {
    pub(super) store: Arc<dyn Registrations>,
    pub(super) application: u64,
}

impl Memory {
    pub(super) async fn of(&self, scope: Scope) -> Remembered {
        or_default(self.store.remembered(self.application, scope).await)
    }

    pub(super) async fn guilds(&self) -> Vec<(GuildId, Remembered)> {
        or_default(self.store.guilds(self.application).await)
    }

    pub(super) async fn settle(&self, scope: Scope, fingerprint: Option<&str>) {
        or_default(self.store.settle(self.application, scope, fingerprint).await);
    }

    pub(super) async fn count_creates(&self, scope: Scope, n: usize, now: SystemTime) {
        or_default(self.store.count_creates(self.application, scope, day_of(now), n).await);
    }

    pub(super) async fn stop_creates(&self, scope: Scope, until: SystemTime) {
        or_default(self.store.stop_creates(self.application, scope, until).await);
    }

    pub(super) async fn hold(&self, scope: Scope, until: SystemTime) {
        or_default(self.store.hold(self.application, scope, until).await);
    }
}

fn or_default<T: Default>(answer: Result<T, ServiceError>) -> T {
    answer.unwrap_or_else(|problem| {
        warn!(error = %problem, "what is known of the commands at Discord is not remembered");
        T::default()
    })
}
