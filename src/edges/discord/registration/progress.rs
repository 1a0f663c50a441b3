//! The progress of the guilds' sets: it decides which global commands guilds no longer need.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_core::registration::Key;
use candor_core::registry::Registry;

#[derive(Clone, Default)]
pub(crate) struct Progress {
    /// The registry whose set every guild has.
    pub(crate) registry: Option<Arc<Registry>>,
    /// Commands that Discord refused in some guild.
    pub(crate) missing: BTreeSet<Key>,
}

impl Progress {
    /// Returns whether a guild may still lack a command of this registry, and so needs the global one.
    pub(crate) fn holds(&self, registry: &Arc<Registry>, key: &Key) -> bool {
        !self.registry.as_ref().is_some_and(|done| Arc::ptr_eq(done, registry)) || self.missing.contains(key)
    }
}
