//! The read rights of a program beside its own folder: the operator's grants, but never the bot's own secrets.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use candor_core::contract::TrustedRights;
use candor_core::contract::outside::{Fault, FaultAt};
use candor_core::diagnostic::Code;

/// A file or folder that no program may read.
#[derive(Clone, Debug)]
pub struct Forbidden {
    /// Its name in messages.
    pub what: &'static str,
    pub path: PathBuf,
}

/// The read rights that a module requests, and the data that decides about them.
#[derive(Clone, Copy, Debug)]
pub struct AskedReads<'a> {
    pub module: &'a str,
    /// The module's folder, the base of relative paths.
    pub folder: &'a Path,
    /// `reads` of its manifest.
    pub reads: &'a [String],
    pub trusted: &'a TrustedRights,
    /// Paths that no program may read.
    pub forbidden: &'a [Forbidden],
}

impl AskedReads<'_> {
    /// Returns the paths outside the module's folder that the program may read, with links resolved. A path inside the
    /// folder is part of the copy. A missing path is left out: a link could be put in its place later.
    pub fn granted(&self) -> Result<Vec<PathBuf>, Vec<Fault>> {
        let folder = real(self.folder);
        let outside = |path: &&String| !real(&self.folder.join(path)).starts_with(&folder);
        let asked: Vec<_> = self.reads.iter().filter(outside).collect();
        let faults: Vec<_> = asked.iter().filter_map(|path| self.fault(path)).collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(asked.iter().filter_map(|path| self.folder.join(path).canonicalize().ok()).collect())
    }

    fn fault(&self, path: &str) -> Option<Fault> {
        let wanted = real(&self.folder.join(path));
        let module = self.module;
        let shared = |forbidden: &&Forbidden| {
            let forbidden = real(&forbidden.path);
            wanted.starts_with(&forbidden) || forbidden.starts_with(&wanted)
        };
        let fault = |code, message, help| Some(Fault { code, at: FaultAt::Reads(path.to_owned()), message, help });
        if let Some(Forbidden { what, path: forbidden }) = self.forbidden.iter().find(shared) {
            return fault(
                Code::ReadsForbidden,
                format!("`{module}` asks to read {what}, `{}`", forbidden.display()),
                "name a path that neither holds it nor lies in it: no setting allows this".to_owned(),
            );
        }
        if is_granted(&wanted, self.folder, self.trusted) {
            return None;
        }
        let line = format!("reads = [{:?}]", wanted.display().to_string());
        fault(
            Code::RightNotTrusted,
            format!("the settings file does not let `{module}` read `{}`", wanted.display()),
            TrustedRights::help(module, &line),
        )
    }
}

/// Returns whether a module may read this path: in its folder, or as the operator grants.
pub fn is_granted(path: &Path, folder: &Path, trusted: &TrustedRights) -> bool {
    let wanted = real(path);
    let granted = trusted.reads.iter().map(|trusted| real(Path::new(trusted)));
    granted.chain([real(folder)]).any(|granted| wanted.starts_with(granted))
}

/// Returns the bot's own secret that `path` names, if a module wants to send it to its server.
pub fn own_secret<'a>(path: &str, forbidden: &'a [Forbidden]) -> Option<&'a Forbidden> {
    let wanted = real(Path::new(path));
    forbidden.iter().find(|forbidden| wanted.starts_with(real(&forbidden.path)))
}

/// Returns the path with links resolved as far as it exists; the rest without `.` and `..`.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = absolute.ancestors().find_map(|above| Some((above.canonicalize().ok()?, above)));
    let Some((mut real, above)) = there else { return absolute };
    for component in absolute.strip_prefix(above).into_iter().flat_map(Path::components) {
        match component {
            Component::ParentDir => _ = real.pop(),
            other => real.push(other),
        }
    }
    real
}

/// Returns the files that may hold Discord's token.
pub fn token_files(env: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    env("DISCORD_TOKEN_FILE")
        .map(PathBuf::from)
        .into_iter()
        .chain([PathBuf::from("/run/secrets/discord_token")])
        .collect()
}
