//! Checks the machine before a start: a writable folder, free disk space, a usable store and a free port. `candor check
//! --deployment` and `candor run` call the same function.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::app::exit::{Exit, Failure};
use crate::app::wings::{operator, server_store};
use candor_core::settings::{Settings, StoreSettings};
use candor_engine::advice;
use candor_store::{Database, OpenError};

/// Bytes written to find out whether the disk has room.
const PROBE: usize = 64 * 1024;

/// Returns every problem that would stop a start or keep the bot from storing anything. Leaves no files behind.
pub async fn examine_deployment(settings: &Settings) -> Vec<Failure> {
    let mut folders = Vec::new();
    if matches!(settings.store, StoreSettings::File(_)) {
        folders.push(settings.store.data_folder().to_owned());
    }
    if settings.host_metrics.enabled {
        let folder = settings.status.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folders.extend(folder.map(Path::to_owned).filter(|folder| !folders.contains(folder)));
    }
    // Two missing folders may be created in the same folder.
    let mut there: Vec<_> = folders.iter().map(|folder| nearest_there(folder)).collect();
    there.dedup();
    let mut found: Vec<_> = there.iter().filter_map(|folder| check_folder(folder).err()).collect();
    // If a folder is not writable, the store cannot be used either: one report is enough.
    if found.iter().all(|failure| failure.code != u8::from(Exit::Config)) {
        found.extend(check_store(&settings.store).await.err());
    }
    if let Some(listen) = settings.admin.listen {
        found.extend(operator::check_port(listen).await.err());
    }
    found
}

fn check_folder(there: &Path) -> Result<(), Failure> {
    let probe = there.join(format!(".candor-check-{}", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).open(&probe).and_then(|mut file| {
        let written = file.write_all(&vec![0; PROBE]).and_then(|()| file.sync_all());
        let removed = fs::remove_file(&probe);
        written.and(removed)
    });
    written.map_err(|problem| {
        let shown = there.display();
        let why = advice(there, &problem);
        match problem.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failure::unavailable(format!(
                "the disk of the data folder `{shown}` has no room left ({problem}): make room, or let `[store] path` \
                 name a file on another disk"
            )),
            _ => Failure::config(format!("nothing can be written to the data folder `{shown}`: {problem}; {why}")),
        }
    })
}

/// Returns the folder, or its nearest existing ancestor.
fn nearest_there(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let there = absolute.ancestors().find(|folder| folder.exists()).map(Path::to_owned);
    there.unwrap_or(absolute)
}

/// Checks that the store can be used. The start creates a missing store and migrates an old one.
async fn check_store(settings: &StoreSettings) -> Result<(), Failure> {
    let store = match settings {
        StoreSettings::File(path) => match Database::open_existing_file(path, false).await {
            Ok(store) => store,
            Err(OpenError::Missing { .. } | OpenError::Older { .. }) => return Ok(()),
            Err(problem) => return Err(Failure::new(problem.exit_code(), problem.to_string())),
        },
        StoreSettings::Server(url_file) => match server_store::look(url_file).await? {
            Some(store) => store,
            None => return Ok(()),
        },
    };
    store.close().await;
    Ok(())
}
