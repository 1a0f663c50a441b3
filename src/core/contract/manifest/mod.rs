//! Reads a manifest. Every value is optional and has its source position.
//!
//! Only the shape of the file is checked here: valid TOML, known keys, correct types. `check` does everything else.

mod command_names;
mod module_tests;
mod option;
mod outside;
mod renamed;
mod setting;
mod terms;
mod text;
mod written;

pub use command_names::CommandNames;
pub(crate) use command_names::NameInForce;
pub use module_tests::{ModuleTest, TestEnd, TestStep, read_tests};
pub(crate) use option::{ChoiceValue, Figure, WrittenChoice, WrittenOption};
pub(crate) use outside::{WrittenOAuth, WrittenReply, WrittenRun};
pub(crate) use setting::WrittenSetting;
pub(crate) use terms::{MEMBERS, WrittenCooldowns, WrittenMembers, WrittenPermissions, WrittenTerms};
pub(crate) use text::{Text, WrittenLocalized};
pub(crate) use written::{
    WrittenBody, WrittenCommand, WrittenCommandValue, WrittenEvent, WrittenGroup, WrittenLeaf, WrittenManifest,
    WrittenMenu, WrittenSchedule, WrittenSubcommand, read,
};
