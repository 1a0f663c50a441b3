//! Names and descriptions, in every language.

pub(crate) mod localized;
pub(crate) mod name;
