//! `candor receipts`: lists the ledger, verifies its chain, and prunes it, even while the bot runs.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use super::output::{failed, print};
use super::proofs::{self, ProofFormat};
use crate::app::{Exit, Failure, open_existing_store, signed_store};
use crate::cli::run::block_on;
use candor_core::inbound::UserId;
use candor_core::record::{CodeName, ModelCall, PublicKey, ReceiptId, argument_lines};
use candor_core::settings::Settings;
use candor_core::text::{utc_text, visible_line};
use candor_engine::{MessageEnd, MessageOfReceipt};
use candor_store::{Database, ProofRange, ReceiptFilter, ReceiptKind, StoredReceipt};
use candor_system::files::settings_file;

const PAGE: usize = 1_000;

/// Actions on the ledger.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum Receipts {
    /// List receipts, the newest first
    List {
        #[command(flatten)]
        which: Which,
        /// How many
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: usize,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Show one receipt, by the id under an answer
    Show {
        /// Its id, such as 7F3K5
        id: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Verify the chain of receipts, its signatures and its end, or a proof. If something is wrong, print the first
    /// problem and exit with 1
    Verify {
        /// A proof that `export --proof` made. It needs no store, no settings and no network
        #[arg(requires = "key")]
        file: Option<PathBuf>,
        /// The bot's public key, as `candor receipts key` prints it. Default: the one of the key file
        #[arg(long, value_name = "PUBLIC", value_parser = proofs::public_key)]
        key: Option<PublicKey>,
        /// A file with signed heads that were published, to be compared as well. May be given several times
        #[arg(long = "head", value_name = "FILE", conflicts_with = "file")]
        heads: Vec<PathBuf>,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print all receipts as JSON lines, the oldest first, or a proof that anyone can verify
    Export {
        #[command(flatten)]
        which: Which,
        /// Instead: a proof of one receipt (ID), of some (FROM..TO) or of all receipts
        #[arg(long, value_name = "ID|FROM..TO|all", value_parser = proofs::range, conflicts_with_all = ["user", "command"])]
        proof: Option<ProofRange>,
        /// With --proof: its format. The other two are signed anew, for programs that read them; docs/proofs.md compares
        /// the three
        #[arg(long, value_enum, requires = "proof", default_value_t = ProofFormat::Candor)]
        format: ProofFormat,
        /// With --proof: write it to this new file. Default: print it
        #[arg(long, value_name = "FILE", requires = "proof")]
        out: Option<PathBuf>,
    },
    /// Print the public keys that sign receipts, the one in use last
    Key {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Sign with a new key from the next start of the bot on. The old key signs the new one, so that proofs of both stay
    /// valid
    Rotate {
        /// The old key is lost: nobody who knows only the old key will trust the new one
        #[arg(long)]
        lost: bool,
        /// The old key leaked: withdraw it. The new key signs all receipts again, and no proof with the old key is valid
        /// for people who have the new one. Stop the bot first
        #[arg(long, conflicts_with = "lost")]
        leaked: bool,
        /// Write the new key to this new file and move nothing. Default: it replaces the key file, and the old one
        /// stays beside it
        #[arg(long, value_name = "FILE")]
        new: Option<PathBuf>,
    },
    /// Record that an older store was put in place on purpose, other than by `candor restore`. `verify` then says so
    /// instead of reporting a cut
    Restored {
        /// Confirm: the record stays in the chain
        #[arg(long, required = true)]
        yes: bool,
    },
    /// Remove old receipts. A signed checkpoint takes their place, so that the chain still holds
    Prune {
        /// Receipts from before this day (UTC), such as 2026-01-31
        #[arg(long, value_name = "DATE", value_parser = day, conflicts_with = "older_than", required_unless_present = "older_than")]
        before: Option<SystemTime>,
        /// Receipts older than this number of days, such as 400d
        #[arg(long, value_name = "DAYS", value_parser = days)]
        older_than: Option<Duration>,
        /// Remove only their arguments and keep the receipts. Receipts of very old versions keep their arguments
        #[arg(long)]
        arguments_only: bool,
        /// With --arguments-only: only those of this person
        #[arg(long, value_name = "ID", requires = "arguments_only")]
        user: Option<u64>,
        /// Confirm: removed receipts cannot be restored
        #[arg(long)]
        yes: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// Which receipts are meant.
#[derive(Args, Debug)]
pub(in crate::cli) struct Which {
    /// Receipts of the person with this Discord id; 0 is the console
    #[arg(long, value_name = "ID")]
    user: Option<u64>,
    /// Receipts of this command, such as "/tasks add", or of all its subcommands: "/tasks"
    #[arg(long)]
    command: Option<String>,
}

impl From<Which> for ReceiptFilter {
    fn from(Which { user, command }: Which) -> Self {
        let command = command.map(|command| format!("/{}", command.trim().trim_start_matches('/')));
        Self { user: user.map(UserId), command }
    }
}

fn day(text: &str) -> Result<SystemTime, String> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]"));
    let day = day.map_err(|_| "write a day as YEAR-MONTH-DAY, such as 2026-01-31".to_owned())?;
    Ok(OffsetDateTime::new_utc(day, time::Time::MIDNIGHT).into())
}

fn days(text: &str) -> Result<Duration, String> {
    let n: Option<u64> = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok()).map(u64::from);
    n.map(|n| Duration::from_hours(24 * n)).ok_or_else(|| "write days as a number and `d`, such as 400d".to_owned())
}

pub(in crate::cli) fn receipts(config: Option<&Path>, what: Receipts) -> Result<Exit, Failure> {
    if let Receipts::Verify { file: Some(file), key, json, .. } = &what {
        return proofs::verify_file(file, *key, *json);
    }
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    block_on(async {
        let may_write =
            matches!(what, Receipts::Prune { yes: true, .. } | Receipts::Rotate { .. } | Receipts::Restored { .. });
        let store = open_existing_store(&settings.store, may_write).await?;
        // A checkpoint is signed, too.
        let store = match what {
            Receipts::Prune { yes: true, .. } => signed_store(store, &settings).await?,
            _ => store,
        };
        match what {
            Receipts::Rotate { lost, leaked, new } => {
                let why = if lost {
                    proofs::Why::Lost
                } else if leaked {
                    proofs::Why::Leaked
                } else {
                    proofs::Why::Usual
                };
                return proofs::rotate(store, &settings, why, new).await.map(|()| Exit::Fine);
            }
            Receipts::Restored { .. } => return proofs::restored(store, &settings).await.map(|()| Exit::Fine),
            _ => {}
        }
        let ended = carry_out(&store, &settings, what).await;
        if may_write {
            store.empty_log().await;
        }
        store.close().await;
        ended
    })
}

async fn carry_out(store: &Database, settings: &Settings, what: Receipts) -> Result<Exit, Failure> {
    match what {
        Receipts::List { which, limit, json } => list(store, &which.into(), limit, json).await,
        Receipts::Show { id, json } => show(store, &id, json).await,
        Receipts::Verify { key, heads, json, .. } => proofs::verify(store, settings, key, &heads, json).await,
        Receipts::Export { proof: Some(range), format, out, .. } => {
            proofs::export(store, settings, range, format, out.as_deref()).await
        }
        Receipts::Export { which, .. } => export(store, &which.into()).await,
        Receipts::Key { json } => proofs::key(store, json).await,
        // Handled by the caller, because they close the store.
        Receipts::Rotate { .. } | Receipts::Restored { .. } => Ok(Exit::Fine),
        Receipts::Prune { before, older_than, arguments_only, user, yes, json } => {
            let now = SystemTime::now();
            let before = before.or_else(|| now.checked_sub(older_than?)).unwrap_or(SystemTime::UNIX_EPOCH);
            match (yes, arguments_only) {
                (false, _) => Err(Failure::config(format!(
                    "nothing was removed: add `--yes` to remove what is from before {}; this cannot be undone",
                    utc_text(before, &Rfc3339)
                ))),
                (true, true) => take_out_arguments(store, before, user.map(UserId), json).await,
                (true, false) => prune(store, before, now, json).await,
            }
        }
    }
}

async fn list(store: &Database, filter: &ReceiptFilter, limit: usize, json: bool) -> Result<Exit, Failure> {
    let mut left = limit;
    let mut position = i64::MAX;
    while 0 < left {
        let page = store.receipts_before(position, filter, left.min(PAGE)).await.map_err(failed)?;
        let Some(last) = page.last() else { break };
        position = last.position;
        left -= page.len();
        print_each(&page, if json { json_line } else { line })?;
    }
    Ok(Exit::Fine)
}

async fn show(store: &Database, typed: &str, json: bool) -> Result<Exit, Failure> {
    let found = match ReceiptId::parse(typed) {
        Some(id) => store.stored_receipt(id).await.map_err(failed)?,
        None => None,
    };
    let Some(found) = found else {
        return Err(Failure::new(Exit::Failed, format!("there is no receipt {}", visible_line(typed))));
    };
    let messages = store.messages_of(found.entry.id).await.map_err(failed)?;
    let end = |message: &MessageOfReceipt| message.end.map_or("waits", MessageEnd::name);
    print(&if json {
        let mut shown = as_json(&found);
        let message =
            |message: &MessageOfReceipt| json!({ "channel": message.channel.to_string(), "state": end(message) });
        if !messages.is_empty() {
            shown["messages"] = messages.iter().map(message).collect();
        }
        format!("{shown:#}\n")
    } else {
        let line =
            |message: &MessageOfReceipt| format!("message    to channel {}: {}\n", message.channel, end(message));
        format!("{}{}", text(&found), messages.iter().map(line).collect::<String>())
    })?;
    Ok(Exit::Fine)
}

async fn export(store: &Database, filter: &ReceiptFilter) -> Result<Exit, Failure> {
    let mut position = 0;
    loop {
        let page = store.receipts_after(position, filter, PAGE).await.map_err(failed)?;
        let Some(last) = page.last() else { return Ok(Exit::Fine) };
        position = last.position;
        print_each(&page, json_line)?;
    }
}

/// Removes receipts in small parts, so that running commands do not wait for long.
async fn prune(store: &Database, before: SystemTime, now: SystemTime, json: bool) -> Result<Exit, Failure> {
    if let Some(broken) = store.verify_chain().await.map_err(failed)? {
        return Err(Failure::new(Exit::Failed, format!("nothing was removed, because the chain breaks: {broken}")));
    }
    let mut n_removed = 0;
    for kind in [ReceiptKind::Refreshed, ReceiptKind::Called] {
        loop {
            match store.remove_receipts(kind, before, now).await.map_err(failed)? {
                0 => break,
                n => n_removed += n,
            }
        }
    }
    let before = utc_text(before, &Rfc3339);
    print(&if json {
        format!("{:#}\n", json!({ "removed": n_removed, "before": before }))
    } else {
        format!("removed {n_removed} receipts from before {before}\n")
    })?;
    Ok(Exit::Fine)
}

async fn take_out_arguments(
    store: &Database,
    before: SystemTime,
    user: Option<UserId>,
    json: bool,
) -> Result<Exit, Failure> {
    let n_receipts = store.take_out_arguments(before, user).await.map_err(failed)?;
    let n_runs = store.take_out_intended(before, user).await.map_err(failed)?;
    let before = utc_text(before, &Rfc3339);
    print(&if json {
        format!("{:#}\n", json!({ "receipts": n_receipts, "runs_under_way": n_runs, "before": before }))
    } else {
        let what = format!("{n_receipts} receipts and {n_runs} runs under way");
        format!("took the arguments out of {what} from before {before}\n")
    })?;
    Ok(Exit::Fine)
}

/// Returns a line such as `2026-01-31T12:00:00Z  7F3K5  done  /tasks add  person 7 in guild:1/2  3 ms`.
fn line(StoredReceipt { entry, .. }: &StoredReceipt) -> String {
    let facts = &entry.facts;
    format!(
        "{}  {}  {}  {}  {} {} in {}  {} ms\n",
        utc_text(facts.started, &Rfc3339),
        entry.id,
        facts.outcome.name(),
        visible_line(&facts.command),
        facts.origin.name(),
        facts.caller,
        facts.place.key(),
        facts.took.as_millis()
    )
}

fn text(found: &StoredReceipt) -> String {
    let entry = &found.entry;
    let facts = &found.entry.facts;
    let arguments = if entry.has_arguments { arguments(&facts.arguments) } else { "taken out".to_owned() };
    let source = facts.source.as_ref().map_or("none".to_owned(), |source| match source.as_of {
        Some(at) => format!("{} as of {}", visible_line(&source.name), utc_text(at, &Rfc3339)),
        None => visible_line(&source.name),
    });
    let code = facts.code.as_ref().map_or("unknown", CodeName::as_str);
    let model = facts.model.as_ref().map_or("none".to_owned(), |ModelCall { model, confirm }| match confirm {
        Some(press) => format!("{}, confirmed in interaction {}", visible_line(model), press.0),
        None => visible_line(model),
    });
    format!(
        "receipt    {}\nposition   {}\ncommand    {}\narguments  {arguments}\ncaller     {}\nplace      {}\n\
         called by  {}\nstarted    {}\ntook       {} ms\noutcome    {}\nsource     {source}\ncode       {code}\nmodel      {model}\nanswer     sha256 {}\n\
         link       {}\n",
        entry.id,
        found.position,
        visible_line(&facts.command),
        facts.caller,
        facts.place.key(),
        facts.origin.name(),
        utc_text(facts.started, &Rfc3339),
        facts.took.as_millis(),
        facts.outcome.name(),
        entry.digest,
        found.link
    )
}

/// Returns the arguments as a person would type them, one a line.
fn arguments(kept: &str) -> String {
    match argument_lines(kept) {
        Some(lines) if lines.is_empty() => "none".to_owned(),
        Some(lines) => lines.iter().map(|line| visible_line(line)).collect::<Vec<_>>().join("\n           "),
        None => visible_line(kept),
    }
}

fn as_json(StoredReceipt { position, entry, link }: &StoredReceipt) -> Value {
    let facts = &entry.facts;
    let source = facts
        .source
        .as_ref()
        .map(|source| json!({ "name": source.name, "as_of": source.as_of.map(|at| utc_text(at, &Rfc3339)) }));
    // Ids as text: many programs cannot read such large numbers exactly.
    json!({
        "id": entry.id.to_string(),
        "position": position,
        "command": facts.command,
        "arguments": entry.has_arguments.then_some(&facts.arguments),
        "caller": facts.caller.to_string(),
        "place": facts.place.key(),
        "origin": facts.origin.name(),
        "started": utc_text(facts.started, &Rfc3339),
        "took_us": u64::try_from(facts.took.as_micros()).unwrap_or(u64::MAX),
        "outcome": facts.outcome.name(),
        "source": source,
        "code": facts.code.as_ref().map(CodeName::as_str),
        "model": facts.model.as_ref().map(|call| &call.model),
        "confirm": facts.model.as_ref().and_then(|call| call.confirm).map(|press| press.0.to_string()),
        "digest": entry.digest.to_string(),
        "link": link.to_string(),
    })
}

fn json_line(found: &StoredReceipt) -> String {
    format!("{}\n", as_json(found))
}

fn print_each(page: &[StoredReceipt], shown: fn(&StoredReceipt) -> String) -> Result<(), Failure> {
    print(&page.iter().map(shown).collect::<String>())
}
