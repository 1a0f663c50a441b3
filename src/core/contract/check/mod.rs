//! The start-up check of modules: reports every problem at once, and returns the valid modules.
//!
//! [`check`] is a function from manifests and compiled-in code to commands and diagnostics. It does not stop at the
//! first problem, and an invalid module does not affect the others.

mod command;
mod findings;
mod leaf;
mod menu;
mod module;
mod options;
mod subject;
mod taken_names;
mod terms;
mod tool;
mod tree;
mod wording;

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

/// Command names reserved for built-in commands.
pub const RESERVED: [&str; 4] = ["help", "clear", "model", "receipt"];

/// The built-in message context-menu command that removes made-up output from one of the bot's replies.
pub const REMOVE_MADE_UP: &str = "Remove made-up output";

/// Context-menu commands reserved for built-in ones.
pub(crate) const RESERVED_ENTRIES: [(CommandType, &str); 1] = [(CommandType::MessageMenu, REMOVE_MADE_UP)];

/// A manifest found on disk. It replaces the built-in manifest with the same folder name.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The folder's name.
    pub folder: String,
    /// The file. `None` if it exists but cannot be read, which is already reported; the module is then rejected.
    pub file: Option<Arc<File>>,
}

/// The result of the check.
#[derive(Debug, Default)]
pub struct Checked {
    /// Modules without an error, with their commands.
    pub accepted: Vec<AcceptedModule>,
    /// Modules with errors.
    pub rejected: Vec<RejectedModule>,
    /// Every problem: module by module, each from the top of its manifest down.
    pub diagnostics: Diagnostics,
}

/// A module that passed the check.
#[derive(Debug)]
pub struct AcceptedModule {
    /// Its name.
    pub owner: Owner,
    /// A one-line summary.
    pub summary: String,
    /// The services its manifest asks for.
    pub services: Vec<ServiceName>,
    /// Its commands.
    pub commands: Vec<Command>,
    /// The code that its commands refer to.
    pub code: ModuleCode,
}

/// A module that failed the check.
#[derive(Debug, Default)]
pub struct RejectedModule {
    /// Its folder name.
    pub name: String,
    /// The command names its manifest claims, as far as they can be read, without slashes.
    pub commands: Vec<String>,
    /// The context-menu commands it claims.
    pub menus: Vec<(CommandType, String)>,
}

/// Checks modules: the built-in commands first, then compiled-in modules, then modules that exist only on disk. If two
/// modules claim one command, the first keeps it.
pub fn check(builtin: NativeModule, natives: Vec<NativeModule>, on_disk: Vec<Manifest>) -> Checked {
    let mut checked = Checked::default();
    let mut claims = TakenNames::default();
    for candidate in candidates(builtin, natives, on_disk) {
        let (verdict, found) = module::check(candidate, &mut claims);
        checked.diagnostics.append(found);
        match verdict {
            Verdict::Accepted(module) => checked.accepted.push(module),
            Verdict::Rejected(module) => checked.rejected.push(module),
        }
    }
    checked
}

fn candidates(builtin: NativeModule, natives: Vec<NativeModule>, mut on_disk: Vec<Manifest>) -> Vec<Candidate> {
    let mut candidates = vec![Candidate::builtin(builtin)];
    for native in natives {
        let replaced = on_disk.iter().position(|manifest| manifest.folder == native.folder);
        candidates.push(Candidate::compiled(native, replaced.map(|index| on_disk.remove(index))));
    }
    candidates.extend(on_disk.into_iter().map(Candidate::without_code));
    candidates
}
