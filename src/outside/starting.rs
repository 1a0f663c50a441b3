//! Starts the programs and MCP servers of modules, so that the check can say whether they work.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use tracing::warn;

use crate::mcp::HttpAddress;
use crate::programs::{
    AskedReads, CheckedCopy, Containment, Forbidden, ModuleFolders, Programs, is_granted, own_secret, prepared,
    remove_copy, remove_unused_copies, start_module,
};
use crate::tool_server::{self, Reach};
use candor_core::contract::outside::{Fault, FaultAt, RunStart, ServerAccess, Started, Starting};
use candor_core::contract::{HandlerKind, Manifest, OutsideSpec, TrustedRights};
use candor_core::diagnostic::{Code, SourceFile};
use candor_core::settings::StoreSettings;
use candor_system::files::module_folder;

/// The modules' folder, the bot's data folder, and the files that no module may read.
#[derive(Clone, Copy, Debug)]
pub struct Disk<'a> {
    pub modules: &'a Path,
    pub data: &'a Path,
    pub forbidden: &'a [Forbidden],
}

/// Returns the folder for the copies of modules that programs are started from.
fn copies(data: &Path) -> PathBuf {
    data.join("checked")
}

const TRIAL_PREFIX: &str = ".candor-check-";

/// No check takes this long, so an older folder belongs to a killed check.
const TRIAL_LASTS_AT_MOST: Duration = Duration::from_hours(1);

/// Removes the copies and folders that killed checks left behind.
pub async fn remove_unused(store: &StoreSettings) {
    let data = store.data_folder().to_owned();
    let removed = spawn_blocking(move || remove_unused_copies(&copies(&data)).and(remove_trials(&data))).await;
    if let Err(problem) = removed.unwrap_or_else(|ended| Err(std::io::Error::other(ended))) {
        warn!(error = %problem, "copies of modules that are no longer in use could not be removed");
    }
}

/// Removes the files that killed checks left in the data folder.
fn remove_trials(data: &Path) -> std::io::Result<()> {
    let entries = match data.read_dir() {
        Err(problem) if problem.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries.flatten() {
        let is_of_check = entry.file_name().to_str().is_some_and(|name| name.starts_with(TRIAL_PREFIX));
        let Ok(metadata) = entry.metadata() else { continue };
        let age = metadata.modified().ok().and_then(|at| at.elapsed().ok());
        if !is_of_check || age.is_none_or(|age| age < TRIAL_LASTS_AT_MOST) {
            continue;
        }
        match metadata.is_dir() {
            true => remove_copy(&entry.path())?,
            false => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// The folder of a trial; removed on drop.
struct TrialFolder(TempDir);

impl TrialFolder {
    /// Creates the folder beside the bot's own files if possible: programs then run as they will later, even where the
    /// system's temporary folder is mounted `noexec`.
    fn new(data: &Path) -> std::io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(TRIAL_PREFIX);
        builder.tempdir_in(data).or_else(|_| builder.tempdir()).map(Self)
    }
}

impl Drop for TrialFolder {
    fn drop(&mut self) {
        let _gone = remove_copy(self.0.path());
    }
}

/// Starts all modules at once. Returns them, and how programs are confined if there are any.
pub async fn start_all(
    manifests: Vec<Manifest>,
    disk: Disk<'_>,
    starting: Starting,
) -> (Vec<Manifest>, Option<Containment>) {
    let containment = OnceCell::new();
    let trial = (starting == Starting::Trial).then(|| TrialFolder::new(disk.data));
    let place = match &trial {
        Some(Ok(trial)) => trial.0.path(),
        Some(Err(_)) | None => disk.data,
    };
    let starts = manifests.into_iter().map(|manifest| start(manifest, disk, (place, &containment), starting));
    (join_all(starts).await, containment.get().copied())
}

/// The folder of copies and working folders, and how programs are confined once that is known.
type Place<'a> = (&'a Path, &'a OnceCell<Containment>);

async fn start(manifest: Manifest, disk: Disk<'_>, place: Place<'_>, starting: Starting) -> Manifest {
    let Some(spec) = spec(&manifest) else { return manifest };
    let (manifest, started) = match &spec.run.start {
        RunStart::Program { .. } => start_program(manifest, &spec, disk, place, starting).await,
        RunStart::Server { access, .. } if starting == Starting::Offline => {
            let fault = secret_sent(&manifest, access, disk);
            (manifest, failed(fault.into_iter().collect()))
        }
        RunStart::Server { .. } => {
            let started = match server_address(&manifest, &spec, disk) {
                Ok(address) => tool_server::start_module(&manifest.folder, &spec, Reach::Address(address)).await,
                Err(fault) => failed(vec![fault]),
            };
            (manifest, started)
        }
    };
    let is_offline = starting == Starting::Offline;
    Manifest { started: Some(Started { is_offline, ..started }), ..manifest }
}

fn spec(manifest: &Manifest) -> Option<OutsideSpec> {
    manifest.file.as_ref().and_then(|file| OutsideSpec::of(file, &manifest.given))
}

/// Copies the module, then checks and starts only the copy, so the checked program is the one that runs.
async fn start_program(
    manifest: Manifest,
    spec: &OutsideSpec,
    disk: Disk<'_>,
    (place, containment): Place<'_>,
    starting: Starting,
) -> (Manifest, Started) {
    if starting == Starting::Offline {
        let faults = reads(&manifest, spec, disk).err().unwrap_or_default();
        return (manifest, failed(faults));
    }
    let source = disk.modules.join(&manifest.folder);
    let copies = copies(place);
    let copied = spawn_blocking(move || CheckedCopy::of(&source, &copies)).await;
    let copy = match copied.unwrap_or_else(|ended| Err(std::io::Error::other(ended))) {
        Ok(copy) => copy,
        Err(problem) => {
            let help = "let the bot read the folder and write to its data folder, or take out what is no part of it";
            return (manifest, failed(vec![unusable(format!("its folder cannot be copied: {problem}"), help)]));
        }
    };
    // The manifest of the copy may be newer than the one read first.
    let (Some(read), Ok(text)) = (&manifest.file, module_folder::manifest_text(copy.folder())) else {
        let fault = unusable("its manifest changed while it was checked".to_owned(), "check it again");
        return (manifest, failed(vec![fault]));
    };
    let file = SourceFile { path: read.path.clone(), text };
    let manifest = Manifest { file: Some(Arc::new(file)), ..manifest };
    let Some(spec) = self::spec(&manifest) else { return (manifest, Started::default()) };
    let reads = match reads(&manifest, &spec, disk) {
        Ok(reads) => reads,
        Err(faults) => return (manifest, failed(faults)),
    };
    let copied_to = copy.folder().display().to_string();
    let content = Some(copy.digest());
    let folders = ModuleFolders { copy, work: place.join("modules").join(&manifest.folder), reads };
    let own = own_binary();
    let containment = *containment.get_or_init(|| Containment::of(&own)).await;
    let programs = Programs::started_by(own, containment);
    let env = |name: &str| std::env::var_os(name);
    let mut started = match spec.kind {
        HandlerKind::Mcp => match prepared(&spec, folders, env) {
            Ok(program) => {
                let reach = Reach::Program(programs, Box::new(program));
                tool_server::start_module(&manifest.folder, &spec, reach).await
            }
            Err(fault) => failed(vec![fault]),
        },
        HandlerKind::Native | HandlerKind::Text | HandlerKind::Exec => {
            start_module(&programs, &spec, folders, env).await
        }
    };
    // Errors name the module's folder, because its author edits there.
    let source = disk.modules.join(&manifest.folder);
    let source = source.canonicalize().unwrap_or(source).display().to_string();
    for fault in &mut started.faults {
        fault.message = fault.message.replace(&copied_to, &source);
    }
    (manifest, Started { content, ..started })
}

fn reads(manifest: &Manifest, spec: &OutsideSpec, disk: Disk<'_>) -> Result<Vec<PathBuf>, Vec<Fault>> {
    let RunStart::Program { reads, .. } = &spec.run.start else { return Ok(Vec::new()) };
    let module = manifest.folder.as_str();
    let folder = &disk.modules.join(&manifest.folder);
    AskedReads { module, folder, reads, trusted: &manifest.given.trusted, forbidden: disk.forbidden }.granted()
}

/// Returns the address and the authorization of a module's remote server.
///
/// # Errors
/// The manifest names no address, or a secret that cannot be read or that the module may not send.
pub fn server_address(manifest: &Manifest, spec: &OutsideSpec, disk: Disk<'_>) -> Result<HttpAddress, Fault> {
    if let RunStart::Server { access, .. } = &spec.run.start
        && let Some(fault) = secret_sent(manifest, access, disk)
    {
        return Err(fault);
    }
    tool_server::address(&spec.run, &tokens_file(disk.data, &manifest.folder))
}

/// Returns a fault if the manifest would send one of the bot's own secrets to its server, or a file outside its folder
/// that the operator does not let it read.
fn secret_sent(manifest: &Manifest, access: &ServerAccess, disk: Disk<'_>) -> Option<Fault> {
    let file = access.secret_file()?;
    let fault = |code, message, help| Some(Fault { code, at: FaultAt::Run, message, help });
    if let Some(own) = own_secret(file, disk.forbidden) {
        return fault(
            Code::ReadsForbidden,
            format!("its manifest has {} sent to its server, `{file}`", own.what),
            "name a file that holds the secret of this server alone".to_owned(),
        );
    }
    let module = manifest.folder.as_str();
    let trusted = &manifest.given.trusted;
    if is_granted(Path::new(file), &disk.modules.join(module), trusted) {
        return None;
    }
    fault(
        Code::RightNotTrusted,
        format!("the settings file does not let `{module}` send `{file}` to its server"),
        TrustedRights::help(module, &format!("reads = [{file:?}]")),
    )
}

fn unusable(message: String, help: &str) -> Fault {
    Fault { code: Code::ProgramUnusable, at: FaultAt::Run, message, help: help.to_owned() }
}

fn failed(faults: Vec<Fault>) -> Started {
    Started { faults, ..Started::default() }
}

/// Returns this binary, which starts each program. `/proc/self/exe` names it even after its file was replaced.
pub fn own_binary() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}

/// Returns the file that keeps the tokens of this module's server.
pub fn tokens_file(data: &Path, module: &str) -> PathBuf {
    data.join("mcp").join(format!("{module}.json"))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, FileTimes};
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_a_killed_check_left_is_removed_and_nothing_else() {
        let data = tempfile::tempdir().unwrap();
        let at = |name: &str| data.path().join(name);
        for folder in [".candor-check-old", ".candor-check-new", "modules"] {
            fs::create_dir(at(folder)).unwrap();
            fs::write(at(folder).join("kept"), "").unwrap();
        }
        fs::write(at(".candor-check-12"), "").unwrap();
        let long_ago = SystemTime::now() - 2 * TRIAL_LASTS_AT_MOST;
        for old in [".candor-check-old", ".candor-check-12", "modules"] {
            File::open(at(old)).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
        }
        remove_trials(data.path()).unwrap();
        let there =
            [".candor-check-old", ".candor-check-12", ".candor-check-new", "modules"].map(|name| at(name).exists());
        assert_eq!(there, [false, false, true, true]);
        remove_trials(&at("nowhere")).unwrap();
    }
}
