//! `candor privacy`: exports and erases the data of one person, even while the bot runs.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::app::{Exit, Failure, open_existing_store, personal_data};
use crate::cli::run::block_on;
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_engine::{PersonalData, PersonalKind};
use candor_system::files::settings_file;

/// Actions on a person's data.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Personal {
    /// Print a person's data as one JSON object, or write it to a new file that only its owner can read
    Export {
        /// The person's Discord id; 0 is the console
        user: u64,
        /// The new file
        file: Option<PathBuf>,
        /// With FILE: print the amount as a JSON object
        #[arg(long, requires = "file")]
        json: bool,
    },
    /// Erase a person's data. Receipts stay, without their words. A chat turn that is in progress may be stored afterwards
    Erase {
        /// The person's Discord id; 0 is the console
        user: u64,
        /// Confirm: erased data cannot be restored
        #[arg(long)]
        yes: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

pub(in crate::cli) fn privacy(config: Option<&Path>, what: Personal) -> Result<Exit, Failure> {
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    if let Personal::Erase { user, yes: false, .. } = what {
        return Err(Failure::config(format!(
            "nothing was erased: add `--yes` to erase what is kept about {user}; this cannot be undone"
        )));
    }
    block_on(async {
        let may_write = matches!(what, Personal::Erase { .. });
        let store = Arc::new(open_existing_store(&settings.store, may_write).await?);
        let ended = carry_out(&personal_data(&settings, store.clone()), what).await;
        store.close().await;
        ended
    })
}

async fn carry_out(privacy: &PersonalData, what: Personal) -> Result<Exit, Failure> {
    match what {
        Personal::Export { user, file, json } => {
            let kept = privacy.kept(UserId(user), usize::MAX, SystemTime::now()).await.map_err(failed)?;
            let Some(file) = file else { return print(&kept.json) };
            write_new(&file, &kept.json)?;
            let counts: Vec<_> = kept.kinds.iter().map(|kept| (kept.kind, kept.n)).collect();
            print(&told(user, &counts, json, &format!("wrote what is kept about {user} to `{}`", file.display())))
        }
        Personal::Erase { user, json, .. } => {
            let erased = privacy.erase(UserId(user)).await.map_err(failed)?;
            let old = match erased.n_with_arguments {
                0 => String::new(),
                n => format!(", but for {n} from before arguments could be taken out"),
            };
            let done = format!("erased what was kept about {user}; receipts stay without words{old}");
            print(&told(user, &erased.counts, json, &done))
        }
    }
}

/// Returns a line with the counts of each kind of data, or a JSON object.
fn told(user: u64, counts: &[(PersonalKind, u64)], json: bool, done: &str) -> String {
    if json {
        let counts: Map<_, _> = counts.iter().map(|(kind, n)| (kind.name().to_owned(), Value::from(*n))).collect();
        return format!("{:#}\n", json!({ "user": user.to_string(), "n": counts }));
    }
    let counts: Vec<_> =
        counts.iter().filter(|(_, n)| 0 < *n).map(|(kind, n)| format!("{} {n}", kind.name())).collect();
    let counts = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
    format!("{done}: {counts}\n")
}

/// Creates a new file that only its owner can read. Fails if it exists.
fn write_new(file: &Path, content: &str) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.write(true).create_new(true).open(file).and_then(|mut to| {
        to.write_all(content.as_bytes())?;
        to.sync_all()
    });
    written.map_err(|problem| match problem.kind() {
        ErrorKind::AlreadyExists => Failure::config(format!(
            "`{}` is there already, and nothing is overwritten: name another file",
            file.display()
        )),
        _ => Failure::unavailable(format!("`{}` cannot be written: {problem}", file.display())),
    })
}

fn print(text: &str) -> Result<Exit, Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|problem| Failure::unavailable(format!("cannot write what is kept: {problem}")))?;
    Ok(Exit::Fine)
}

fn failed(problem: ServiceError) -> Failure {
    Failure::unavailable(problem.to_string())
}
