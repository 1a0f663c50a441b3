//! Localized names and descriptions as written in a manifest: `localized.de = { name = "…" }`.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

#[derive(Debug)]
pub(crate) struct WrittenLocalized {
    pub(crate) locale: Spanned<String>,
    pub(crate) name: Option<Spanned<String>>,
    pub(crate) description: Option<Spanned<String>>,
}

pub(super) fn of_both(table: &mut Section, found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    read(table, true, found)
}

/// Takes the localizations of an item with only a name: a choice or a context-menu command.
pub(super) fn of_names(table: &mut Section, found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    read(table, false, found)
}

fn read(table: &mut Section, is_described: bool, found: &mut Diagnostics) -> Vec<WrittenLocalized> {
    let locales = table.sections("localized", found).into_iter();
    locales
        .map(|(locale, mut words)| {
            let name = words.string("name", found);
            let description = is_described.then(|| words.string("description", found)).flatten();
            words.finish(found);
            WrittenLocalized { locale, name, description }
        })
        .collect()
}
