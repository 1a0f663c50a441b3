//! poise's command table of the registry in force.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use poise::FrameworkOptions;

use crate::edges::discord::interactions::table::table;
use crate::edges::discord::shared::{Never, Shared};
use crate::host::InForce;
use candor_core::registry::Registry;

/// poise's table, made anew when another registry came into force.
pub(crate) struct Tables {
    in_force: Arc<InForce>,
    made: ArcSwapOption<Table>,
}

/// The table of one registry.
pub(crate) struct Table {
    registry: Arc<Registry>,
    pub(crate) options: FrameworkOptions<Shared, Never>,
}

impl Tables {
    pub(crate) fn new(in_force: Arc<InForce>) -> Self {
        Self { in_force, made: ArcSwapOption::empty() }
    }

    /// The table of the registry in force.
    pub(crate) fn now(&self) -> Arc<Table> {
        let registry = self.in_force.now();
        let made = self.made.load_full();
        if let Some(made) = made.filter(|made| Arc::ptr_eq(&made.registry, &registry)) {
            return made;
        }
        let made = Arc::new(Table { options: table(&registry), registry });
        self.made.store(Some(made.clone()));
        made
    }
}
