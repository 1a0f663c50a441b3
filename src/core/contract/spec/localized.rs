//! Names and descriptions in other languages.

use std::collections::BTreeMap;

/// Localized names and descriptions, by Discord's locale (`de`, `en-GB`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Localized {
    /// Names, under the same rules as the name itself.
    pub names: BTreeMap<String, String>,
    /// Descriptions, 1 to 100 characters.
    pub descriptions: BTreeMap<String, String>,
}
