//! A text of a manifest, as it was written.

use crate::diagnostic::Diagnostics;
use crate::diagnostic::spanned::{Section, Spanned};

/// A text that ought to be there. One that is there and no text is reported as such, and not as missing.
#[derive(Debug, Default)]
pub(crate) enum Text {
    #[default]
    Missing,
    /// Of another type, already reported.
    Unreadable,
    Given(Spanned<String>),
}

impl Text {
    /// The text and its place, if it could be read.
    pub(crate) fn given(&self) -> Option<&Spanned<String>> {
        match self {
            Self::Given(spot) => Some(spot),
            Self::Missing | Self::Unreadable => None,
        }
    }
}

pub(crate) fn text(key: &str, table: &mut Section, found: &mut Diagnostics) -> Text {
    if !table.has(key) {
        return Text::Missing;
    }
    table.string(key, found).map_or(Text::Unreadable, Text::Given)
}
