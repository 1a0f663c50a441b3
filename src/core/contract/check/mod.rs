//! The start-up check of modules: every problem at once, and what passed.
//!
//! [`check`] is a function from manifests and compiled-in code to commands and diagnostics. It never stops at
//! the first problem, and one bad module takes nothing from the others.

mod channel;
mod choices;
mod command;
mod description;
mod findings;
mod form;
mod leaf;
mod localized;
mod menu;
mod module;
mod name;
mod option;
mod range;
mod subject;
mod taken_names;
mod terms;
mod tool;
mod tree;

use std::sync::Arc;

use crate::contract::module::NativeModule;
use crate::contract::module_code::ModuleCode;
use crate::contract::services::ServiceName;
use crate::contract::spec::{Command, Owner};
use crate::diagnostic::{Diagnostics, File};
use crate::inbound::CommandType;
use module::Verdict;
use subject::Candidate;
use taken_names::TakenNames;

/// Names that belong to the bot itself.
pub const RESERVED: [&str; 4] = ["help", "clear", "model", "receipt"];

/// The entry in the menu of a message by which the bot takes made-up output out of a reply of its own.
pub const REMOVE_MADE_UP: &str = "Remove made-up output";

/// Entries of menus that belong to the bot itself.
pub(crate) const RESERVED_ENTRIES: [(CommandType, &str); 1] = [(CommandType::MessageMenu, REMOVE_MADE_UP)];

/// A manifest found on disk. It takes the place of the built-in one of the same folder name.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The folder's name.
    pub folder: String,
    /// The file. `None`: it is there and cannot be read, which has been reported. The module is rejected then.
    pub file: Option<Arc<File>>,
}

/// What the check found.
#[derive(Debug, Default)]
pub struct Checked {
    /// Modules without an error, with their commands.
    pub accepted: Vec<AcceptedModule>,
    /// Modules with errors.
    pub rejected: Vec<RejectedModule>,
    /// Every problem: module by module, each from the top of its manifest down.
    pub diagnostics: Diagnostics,
}

/// A module that passed.
#[derive(Debug)]
pub struct AcceptedModule {
    /// Its name.
    pub owner: Owner,
    /// One line on what it is for.
    pub summary: String,
    /// What it asked for.
    pub services: Vec<ServiceName>,
    /// Its commands.
    pub commands: Vec<Command>,
    /// The code that its commands name.
    pub code: ModuleCode,
}

/// A module that did not.
#[derive(Debug, Default)]
pub struct RejectedModule {
    /// Its folder's name.
    pub name: String,
    /// The names its manifest claims, as far as they can be read, without slashes.
    pub commands: Vec<String>,
    /// The entries of menus that it claims.
    pub menus: Vec<(CommandType, String)>,
}

/// Checks modules: the harness's own first, then those compiled in, then those that are only on disk. Of two
/// that claim one command the first keeps it.
pub fn check(harness: NativeModule, natives: Vec<NativeModule>, on_disk: Vec<Manifest>) -> Checked {
    let mut checked = Checked::default();
    let mut claims = TakenNames::default();
    for candidate in candidates(harness, natives, on_disk) {
        let (verdict, found) = module::check(candidate, &mut claims);
        checked.diagnostics.append(found);
        match verdict {
            Verdict::Accepted(module) => checked.accepted.push(module),
            Verdict::Rejected(module) => checked.rejected.push(module),
        }
    }
    checked
}

fn candidates(harness: NativeModule, natives: Vec<NativeModule>, mut on_disk: Vec<Manifest>) -> Vec<Candidate> {
    let mut candidates = vec![Candidate::harness(harness)];
    for native in natives {
        let replaced = on_disk.iter().position(|manifest| manifest.folder == native.folder);
        candidates.push(Candidate::compiled(native, replaced.map(|index| on_disk.remove(index))));
    }
    candidates.extend(on_disk.into_iter().map(Candidate::without_code));
    candidates
}
