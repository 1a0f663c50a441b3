//! Placeholder, to be written.

use crate::contract::NativeModule;

/// The module.
pub fn module() -> NativeModule {
    NativeModule::new("tasks", include_str!("module.toml"))
}
