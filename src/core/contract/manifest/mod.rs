//! A manifest as it was written: every value optional, each with its place in the file.
//!
//! Nothing is judged here but the shape of the file: whether it is TOML, and whether each key is known and
//! of its type. What is missing or wrong beyond that is the check's business.

mod localized;
mod option;
mod terms;
mod text;
mod written;

pub(crate) use localized::WrittenLocalized;
pub(crate) use option::{ChoiceValue, Figure, WrittenChoice, WrittenOption};
pub(crate) use terms::{MEMBERS, WrittenMembers, WrittenPermissions, WrittenTerms};
pub(crate) use text::Text;
pub(crate) use written::{
    WrittenBody, WrittenCommand, WrittenCommandValue, WrittenGroup, WrittenLeaf, WrittenManifest, WrittenMenu,
    WrittenSubcommand, read,
};
