//! Files that hold a secret.

use std::fs::File;
use std::path::Path;

/// Warns if other users of this machine may read the file. `what` names the secret in the line of the log.
#[cfg(unix)]
pub(crate) fn warn_if_shared(what: &str, path: &Path, file: &File) {
    use std::os::unix::fs::PermissionsExt as _;

    if let Ok(facts) = file.metadata()
        && facts.permissions().mode() & 0o077 != 0
    {
        let path = path.display();
        tracing::warn!("the {what} file `{path}` can be read by other users of this machine: run `chmod 600 {path}`");
    }
}

#[cfg(not(unix))]
pub(crate) fn warn_if_shared(_what: &str, _path: &Path, _file: &File) {}
