//! Required texts of a manifest, and localized ones.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

/// A required text. A value of another type is reported as such, not as missing.
#[derive(Debug, Default)]
pub(crate) enum Text {
    #[default]
    Missing,
    /// Of another type, already reported.
    Unreadable,
    Given(Spanned<String>),
}

impl Text {
    pub(crate) fn given(&self) -> Option<&Spanned<String>> {
        match self {
            Self::Given(spot) => Some(spot),
            Self::Missing | Self::Unreadable => None,
        }
    }
}

pub(crate) fn text(key: &str, table: &mut Section, found: &mut Diagnostics) -> Text {
    let is_missing = !table.has(key);
    let unread = if is_missing { Text::Missing } else { Text::Unreadable };
    table.string(key, found).map_or(unread, Text::Given)
}

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
