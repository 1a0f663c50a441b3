//! Starts what stands behind outside modules, so that the check can say whether it works.

use std::hash::{BuildHasher as _, Hasher as _};
use std::path::{Path, PathBuf};

use futures_util::future::join_all;
use tokio::sync::OnceCell;

use crate::app::outside::sign_in::tokens_file;
use crate::app::outside::tool_server::{self, Reach};
use crate::edges::programs::{Containment, ModuleFolders, Programs};
use candor_core::contract::outside::{Fault, RunStart, Started};
use candor_core::contract::{HandlerKind, Manifest, OutsideSpec};

/// What is started for the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starting {
    /// Nothing: what only a start can tell stays unknown, and no registry comes of it.
    Offline,
    /// Programs are tried in folders that are removed afterwards.
    Trial,
    /// Programs are tried where they will run.
    Serve,
}

/// The folder of a trial. It is removed when this is dropped.
struct TrialFolder(PathBuf);

impl Drop for TrialFolder {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

/// Starts what stands behind each of these modules, all at once. Says how programs are confined, if there are any.
pub(crate) async fn start_all(
    manifests: Vec<Manifest>,
    folder: &Path,
    data: &Path,
    starting: Starting,
) -> (Vec<Manifest>, Option<Containment>) {
    let containment = OnceCell::new();
    let trial = (starting == Starting::Trial)
        .then(|| TrialFolder(std::env::temp_dir().join(format!("candor-check-{:016x}", unguessable()))));
    let work = trial.as_ref().map_or_else(|| data.join("modules"), |trial| trial.0.clone());
    let starts = manifests.into_iter().map(|manifest| start(manifest, (folder, &work, data), starting, &containment));
    (join_all(starts).await, containment.get().copied())
}

async fn start(
    manifest: Manifest,
    (folder, work, data): (&Path, &Path, &Path),
    starting: Starting,
    containment: &OnceCell<Containment>,
) -> Manifest {
    let spec = manifest.file.as_ref().and_then(|file| OutsideSpec::of(file, &manifest.given));
    let Some(spec) = spec else { return manifest };
    let tokens = tokens_file(data, &manifest.folder);
    let folders = ModuleFolders { folder: folder.join(&manifest.folder), work: work.join(&manifest.folder) };
    let started = match (starting, &spec.run.start) {
        (Starting::Offline, _) => Started { is_offline: true, ..Started::default() },
        (Starting::Trial | Starting::Serve, RunStart::Program { .. }) => {
            let own = own_binary();
            let containment = *containment.get_or_init(|| Containment::of(&own)).await;
            let programs = Programs::started_by(own, containment);
            let env = |name: &str| std::env::var_os(name);
            match spec.kind {
                HandlerKind::Mcp => match programs.prepared(&spec, &folders, env) {
                    Ok(program) => {
                        let reach = Reach::Program(programs, Box::new(program));
                        tool_server::start_module(&manifest.folder, &spec, reach).await
                    }
                    Err(fault) => failed(fault),
                },
                HandlerKind::Native | HandlerKind::Text | HandlerKind::Exec => {
                    programs.start_module(&spec, &folders, env).await
                }
            }
        }
        (Starting::Trial | Starting::Serve, RunStart::Server { .. }) => {
            match tool_server::address(&spec.run, &tokens) {
                Ok(address) => tool_server::start_module(&manifest.folder, &spec, Reach::Address(address)).await,
                Err(fault) => failed(fault),
            }
        }
    };
    Manifest { started: Some(started), ..manifest }
}

/// A number that nobody knows before: others may write to the same folder, and must not prepare for ours.
fn unguessable() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

fn failed(fault: Fault) -> Started {
    Started { faults: vec![fault], ..Started::default() }
}

/// This binary, which becomes each program. `/proc/self/exe` is the same one also after its file was replaced.
fn own_binary() -> PathBuf {
    PathBuf::from("/proc/self/exe")
}
