//! Files that hold a secret.

use std::fs::File;
use std::io;
use std::path::Path;

/// Warns if other users of this machine may read the file. `what` names the secret in the log line.
#[cfg(unix)]
pub fn warn_if_shared(what: &str, path: &Path, file: &File) {
    use std::os::unix::fs::PermissionsExt as _;

    if let Ok(facts) = file.metadata()
        && facts.permissions().mode() & 0o077 != 0
    {
        let path = path.display();
        tracing::warn!("the {what} file `{path}` is readable by other users of this machine: run `chmod 600 {path}`");
    }
}

#[cfg(not(unix))]
pub fn warn_if_shared(_what: &str, _path: &Path, _file: &File) {}

/// Returns the remedy for an unusable file or folder, with the command to type.
pub fn advice(path: &Path, problem: &io::Error) -> String {
    let shown = path.display();
    match problem.kind() {
        io::ErrorKind::IsADirectory => format!(
            "`{shown}` is a folder: Docker makes one where the file that it is to mount is missing; remove the folder, and \
             write the file"
        ),
        io::ErrorKind::NotFound => format!("there is no `{shown}`: check the path, and the folder this was started in"),
        io::ErrorKind::PermissionDenied => match (user(), owner(path)) {
            (Some(user), Some((owner, mode))) => format!(
                "this process runs as user {user}, and `{shown}` belongs to user {owner} with mode {mode:o}; type: \
                 sudo chown {user} '{shown}'"
            ),
            (Some(user), None) => {
                format!("this process runs as user {user}, which may not look into the folder of `{shown}`")
            }
            (None, _) => format!("give the user the bot runs as the right to use `{shown}`"),
        },
        io::ErrorKind::ReadOnlyFilesystem => format!("`{shown}` is on a file system that is mounted read-only"),
        _ => format!("make `{shown}` usable for the user the bot runs as"),
    }
}

/// Returns the effective user of this process: the second number after `Uid:`, see `proc_pid_status(5)`.
fn user() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the owner of a file, and its mode.
#[cfg(unix)]
fn owner(path: &Path) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;

    path.metadata().ok().map(|facts| (facts.uid(), facts.mode() & 0o777))
}

#[cfg(not(unix))]
fn owner(_path: &Path) -> Option<(u32, u32)> {
    None
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use super::advice;

    #[test]
    fn each_problem_has_its_own_advice() {
        let of = |kind: io::ErrorKind, path: &Path| advice(path, &io::Error::from(kind));
        let folder = tempfile::tempdir().unwrap();
        assert!(of(io::ErrorKind::IsADirectory, folder.path()).contains("Docker makes one"));
        assert!(of(io::ErrorKind::NotFound, Path::new("nowhere")).contains("check the path"));
        assert!(of(io::ErrorKind::ReadOnlyFilesystem, folder.path()).contains("read-only"));
        #[cfg(target_os = "linux")]
        {
            let told = of(io::ErrorKind::PermissionDenied, folder.path());
            let chown = format!(" '{}'", folder.path().display());
            assert!(told.contains("this process runs as user ") && told.contains("sudo chown "), "{told}");
            assert!(told.contains(" with mode ") && told.ends_with(&chown), "{told}");
            let told = of(io::ErrorKind::PermissionDenied, Path::new("/nowhere/token"));
            assert!(told.contains("may not look into the folder"), "{told}");
        }
    }
}
