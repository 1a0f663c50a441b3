//! The check from end to end: collects the modules and sorts them into accepted and rejected.

use crate::contract::check::checked::Checked;
use crate::contract::check::declared_names::DeclaredNames;
use crate::contract::check::module::{self, Verdict};
use crate::contract::check::subject::{Candidate, Manifest};
use crate::contract::code::NativeModule;

/// Checks modules: the built-in commands first, then compiled-in modules, then modules that exist only on disk. If two
/// modules declare the same command, the first keeps it.
pub fn check(builtin: NativeModule, natives: Vec<NativeModule>, on_disk: Vec<Manifest>) -> Checked {
    let mut checked = Checked::default();
    let mut names = DeclaredNames::default();
    for candidate in candidates(builtin, natives, on_disk) {
        let (verdict, found) = module::check(candidate, &mut names);
        checked.diagnostics.append(found);
        match verdict {
            Verdict::Accepted(module) => checked.accepted.push(*module),
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
    // Modules with renamed commands come last, so that a new name never takes the declared name of another module.
    candidates.sort_by_key(|candidate| !candidate.given.names.is_empty());
    candidates
}
