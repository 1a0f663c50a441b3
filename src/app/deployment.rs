//! The checks of the machine at a start, beside settings and modules: a folder to write to, room on the disk, a store
//! that can be used, and a free port. `candor check --deployment` and `candor run` ask the same function.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use crate::app::exit::{Exit, Failure};
use crate::edges::admin;
use crate::edges::files::secret_file::advice;
use crate::edges::store::{Address, Database, OpenError, ServerError};
use candor_core::settings::{Settings, StoreSettings};

/// What is written to see whether there is room, in bytes.
const PROBE: usize = 64 * 1024;

/// Everything that would keep a start from succeeding, or the bot from storing anything. Nothing is left behind.
pub async fn examine_deployment(settings: &Settings) -> Vec<Failure> {
    let mut folders = Vec::new();
    if matches!(settings.store, StoreSettings::File(_)) {
        folders.push(settings.store.data_folder().to_owned());
    }
    if settings.host_metrics.enabled {
        let folder = settings.status.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folders.extend(folder.map(Path::to_owned).filter(|folder| !folders.contains(folder)));
    }
    // One that is missing may be made in the same folder as the other.
    let mut there: Vec<_> = folders.iter().map(|folder| nearest_there(folder)).collect();
    there.dedup();
    let mut found: Vec<_> = there.iter().filter_map(|folder| check_folder(folder).err()).collect();
    // In a folder in which nothing can be written, the store cannot be used: that is told already.
    if found.iter().all(|failure| failure.code != u8::from(Exit::Config)) {
        found.extend(check_store(&settings.store).await.err());
    }
    if let Some(listen) = settings.admin.listen
        && let Err(problem) = TcpListener::bind(listen)
        // The bot whose deployment this is may run.
        && !admin::ask(listen, "/livez").await.is_ok_and(|answer| answer.ok)
    {
        found.push(Failure::unavailable(format!(
            "cannot listen on {listen} for health checks: {problem}; set another address under `[admin] listen`, or \"off\""
        )));
    }
    found
}

/// Whether files can be made in a folder, and whether the disk has room.
fn check_folder(there: &Path) -> Result<(), Failure> {
    let probe = there.join(format!(".candor-check-{}", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).open(&probe).and_then(|mut file| {
        let written = file.write_all(&vec![0; PROBE]).and_then(|()| file.sync_all());
        let removed = fs::remove_file(&probe);
        written.and(removed)
    });
    written.map_err(|problem| {
        let (shown, why) = (there.display(), advice(there, &problem));
        match problem.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Failure::unavailable(format!(
                "the disk of the data folder `{shown}` has no room left ({problem}): make room, or let `[store] path` \
                 name a file on another disk"
            )),
            _ => Failure::config(format!("nothing can be written to the data folder `{shown}`: {problem}; {why}")),
        }
    })
}

/// The folder, or the nearest above it that is there.
fn nearest_there(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let there = absolute.ancestors().find(|folder| folder.exists()).map(Path::to_owned);
    there.unwrap_or(absolute)
}

/// Whether the store can be used. One that is not there yet is made by the start, and an older one brought up to date.
async fn check_store(settings: &StoreSettings) -> Result<(), Failure> {
    let store = match settings {
        StoreSettings::File(path) => match Database::open_existing_file(path, false).await {
            Ok(store) => store,
            Err(OpenError::Missing { .. } | OpenError::Older { .. }) => return Ok(()),
            Err(problem) => return Err(Failure::new(problem.exit_code(), problem.to_string())),
        },
        StoreSettings::Server(url_file) => {
            let opened = async { Database::open_existing_server(&Address::read(url_file)?, false).await };
            match opened.await {
                Ok(store) => store,
                Err(ServerError::Older { .. }) => return Ok(()),
                Err(problem) => return Err(Failure::new(problem.exit_code(), problem.to_string())),
            }
        }
    };
    store.close().await;
    Ok(())
}
