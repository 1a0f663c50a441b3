//! Names and descriptions in other languages, as they were written: `localized.de = { name = "…" }`.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

/// What stands behind one locale.
#[derive(Debug)]
pub(crate) struct WrittenLocalized {
    /// Discord's word for the language.
    pub(crate) locale: Spanned<String>,
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) description: Option<Spanned<String>>,
}

/// The locales of what has a name and a description.
pub(super) fn of_both(table: &mut Section, found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    read(table, &["name", "description"], found)
}

/// The locales of what has a name alone: a choice, an entry of a menu.
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
