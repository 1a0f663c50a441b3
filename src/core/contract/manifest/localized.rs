//! Localized names and descriptions as written in a manifest: `localized.de = { name = "…" }`.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

/// The localization for one locale.
#[derive(Debug)]
pub(crate) struct WrittenLocalized {
    /// Discord's locale code.
    pub(crate) locale: Spanned<String>,
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) description: Option<Spanned<String>>,
}

/// Localizations of an item with name and description.
pub(super) fn of_both(table: &mut Section, found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    read(table, &["name", "description"], found)
}

/// Localizations of an item with a name only: a choice or a context-menu command.
pub(super) fn of_names(table: &mut Section, found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    read(table, &["name"], found)
}

fn read(table: &mut Section, keys: &[&str], found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    let locales = table.sections("localized", found);
    locales
        .into_iter()
        .map(|(locale, mut words)| {
            let mut word = |key: &str| keys.contains(&key).then(|| words.string(key, found)).flatten();
            let (name, description) = (word("name"), word("description"));
            words.finish(keys, found);
            WrittenLocalized { locale, name, description }
        })
        .collect()
}
