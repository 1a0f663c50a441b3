//! `candor backup` and `candor restore`: copies the SQLite store while the bot runs, and puts a copy back.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::app::{Exit, Failure};
use crate::cli::run::block_on;
use candor_core::settings::{Settings, StoreSettings};
use candor_engine::{ReceiptKeyError, former_receipt_keys, read_receipt_key};
use candor_store::{BackupError, RestoreSigning, Restored};
use candor_system::files::settings_file;

pub(super) fn backup(config: Option<&Path>, to: &Path) -> Result<Exit, Failure> {
    let path = match settings_of(config)?.store {
        StoreSettings::File(path) => path,
        StoreSettings::Server(url_file) => {
            return Err(Failure::config(format!(
                "the store is a PostgreSQL database, which its own program copies: \
                 pg_dump --format=custom --file='{}' \"$(cat '{}')\"",
                to.display(),
                url_file.display()
            )));
        }
    };
    block_on(async {
        candor_store::back_up(&path, to).await.map_err(failed)?;
        print(&format!("copied `{}` to `{}`\n", path.display(), to.display()))
    })
}

pub(super) fn restore(config: Option<&Path>, from: &Path) -> Result<Exit, Failure> {
    let settings = settings_of(config)?;
    let key_file = settings.receipt_key_file().unwrap_or_default();
    let unreadable = |problem: ReceiptKeyError| Failure::config(problem.to_string());
    let key = read_receipt_key(&key_file).map_err(unreadable)?.map(Arc::new);
    let former = former_receipt_keys(&key_file);
    let heads = settings.receipt_head_file();
    let signing = key.map(|key| RestoreSigning { key, former, heads });
    let path = match settings.store {
        StoreSettings::File(path) => path,
        StoreSettings::Server(url_file) => {
            return Err(Failure::config(format!(
                "the store is a PostgreSQL database, which its own program restores: \
                 pg_restore --clean --if-exists --dbname=\"$(cat '{}')\" '{}'; then run `candor receipts restored --yes`",
                url_file.display(),
                from.display()
            )));
        }
    };
    block_on(async {
        let Restored { aside, missing_key } = candor_store::restore(&path, from, signing).await.map_err(failed)?;
        let aside = aside.map(|aside| format!("; the old one is `{}`", aside.display())).unwrap_or_default();
        let unrecorded = missing_key.map(|key| {
            format!(
                "the restore is not recorded: the receipts are signed with the key {}, and its file `{}` is missing. Put \
                 it back, then run `candor receipts restored --yes`; if it is lost, `candor receipts rotate --lost`\n",
                key.fingerprint(),
                key_file.display()
            )
        });
        let unrecorded = unrecorded.unwrap_or_default();
        print(&format!("restored `{}` from `{}`{aside}\n{unrecorded}", path.display(), from.display()))
    })
}

fn settings_of(config: Option<&Path>) -> Result<Settings, Failure> {
    let settings = settings_file::load(config);
    let (settings, _) =
        settings.map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    Ok(settings)
}

fn failed(problem: BackupError) -> Failure {
    Failure::new(problem.exit_code(), problem.to_string())
}

fn print(text: &str) -> Result<Exit, Failure> {
    let written = std::io::stdout().lock().write_all(text.as_bytes());
    written.map_err(|problem| Failure::unavailable(format!("cannot write what was done: {problem}")))?;
    Ok(Exit::Fine)
}
