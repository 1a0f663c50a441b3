//! A required text of a manifest.

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
