//! Finds a program, and checks without starting it whether it can be started.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::programs::error::ProgramError;

/// Where programs of the system are looked for.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The longest first line of a script that is read, in bytes: Linux reads no more.
const FIRST_LINE_MAX: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found(pub(super) PathBuf);

impl Found {
    /// Returns its file, with all links resolved.
    pub fn resolved(&self) -> io::Result<PathBuf> {
        self.0.canonicalize()
    }
}

/// Finds a program by the name in a manifest: an absolute path, a file of the module's folder, or the name of a system
/// program.
pub fn find(name: &str, folder: &Path) -> Result<Found, ProgramError> {
    let own = folder.join(name);
    let path = match own.exists() || name.contains('/') {
        true => own,
        false => {
            let system = PATH.split(':').map(|place| Path::new(place).join(name)).find(|path| path.is_file());
            system.ok_or(ProgramError::Missing(own))?
        }
    };
    check(&path)?;
    Ok(Found(path))
}

fn check(path: &Path) -> Result<(), ProgramError> {
    let metadata = path.metadata().map_err(|_| ProgramError::Missing(path.to_owned()))?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return Err(ProgramError::NotExecutable(path.to_owned()));
    }
    match interpreter(path) {
        Some(interpreter) if !Path::new(&interpreter).is_file() => {
            Err(ProgramError::InterpreterMissing { script: path.to_owned(), interpreter })
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the interpreter in a script's first line: `/bin/sh` for `#!/bin/sh`; the path of `python3` for
/// `#!/usr/bin/env python3`.
fn interpreter(script: &Path) -> Option<String> {
    let mut start = Vec::new();
    let limit = u64::try_from(FIRST_LINE_MAX).ok()?;
    File::open(script).ok()?.take(limit).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let by_name = Path::new(program).file_name().is_some_and(|name| name == "env");
    let wanted = words.find(|word| !word.starts_with('-')).filter(|_| by_name);
    let Some(wanted) = wanted else { return Some(program.to_owned()) };
    let found = PATH.split(':').map(|place| Path::new(place).join(wanted)).find(|path| path.is_file());
    Some(found.map_or_else(|| wanted.to_owned(), |path| path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_that_cannot_be_started_is_told_by_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str, first: &str, mode: u32| {
            let path = folder.path().join(name);
            fs::write(&path, format!("{first}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let good = script("good.sh", "#!/bin/sh", 0o755);
        let named = script("named.sh", "#!/usr/bin/env sh", 0o755);
        let plain = script("plain.sh", "#!/bin/sh", 0o644);
        let orphan = script("orphan.py", "#!/opt/none/python9", 0o755);
        let unnamed = script("unnamed.py", "#!/usr/bin/env -S python9 -I", 0o755);
        let missing = |script: PathBuf, interpreter: &str| {
            Err(ProgramError::InterpreterMissing { script, interpreter: interpreter.to_owned() })
        };
        let cases = [
            ("good.sh", Ok(Found(good))),
            ("named.sh", Ok(Found(named))),
            ("plain.sh", Err(ProgramError::NotExecutable(plain))),
            ("orphan.py", missing(orphan, "/opt/none/python9")),
            ("unnamed.py", missing(unnamed, "python9")),
            ("none.sh", Err(ProgramError::Missing(folder.path().join("none.sh")))),
            (".", Err(ProgramError::NotExecutable(folder.path().join(".")))),
        ];
        for (name, expected) in cases {
            assert_eq!(find(name, folder.path()), expected, "{name}");
        }
        assert!(find("sh", folder.path()).is_ok());
    }
}
