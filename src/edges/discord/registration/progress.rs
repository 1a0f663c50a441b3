//! How far the sets of the guilds are, which decides what guilds no longer need globally.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_core::registration::Key;
use candor_core::registry::Registry;

/// How far the sets of the guilds are.
#[derive(Clone, Default)]
pub(crate) struct Progress {
    /// The registry whose sets every guild has.
    pub(crate) registry: Option<Arc<Registry>>,
    /// Commands that Discord refused in some guild.
    pub(crate) missing: BTreeSet<Key>,
}

impl Progress {
    /// Whether a guild may still be without a command of this registry, and has to keep the global one.
    pub(crate) fn holds(&self, registry: &Arc<Registry>, key: &Key) -> bool {
        !self.registry.as_ref().is_some_and(|done| Arc::ptr_eq(done, registry)) || self.missing.contains(key)
    }
}
