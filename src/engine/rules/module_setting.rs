//! A setting of a module that guild administrators may set.

use candor_core::contract::SettingSpec;

/// A module setting that guild administrators may set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingOfModule {
    pub(crate) module: String,
    pub(crate) spec: SettingSpec,
    /// The value where administrators set none, as text for people.
    pub(crate) value: Option<String>,
    /// Whether the operator gave that value, which takes precedence. Otherwise it is the module's default.
    pub(crate) is_operators: bool,
}

impl SettingOfModule {
    /// Returns the name that administrators use: `welcome.hint`.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.module, self.spec.name)
    }
}
