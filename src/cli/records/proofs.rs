//! The parts of `candor receipts` that deal with signatures: `verify`, `key`, `rotate`, `restored` and proofs.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::output::{failed, print};
use crate::app::{Exit, Failure};
use candor_core::record::{
    PROOF_SIZE_MAX, Proof, PublicKey, ReceiptId, ReceiptKey, SignedHead, agent_receipts, dsse_envelopes, milliseconds,
};
use candor_core::settings::{PublishTo, Settings};
use candor_core::text::utc_text;
use candor_engine::{
    ReceiptKeyError, ensure_receipt_key, former_receipt_key, former_receipt_key_files, leaked_receipt_key,
    next_receipt_key, read_receipt_key, withdrawn_receipt_key,
};
use candor_store::{
    Chain, ChainBreak, Database, HeadFinding, KnownKey, ProofRange, ProveError, SigningError, newest_head, read_heads,
};

/// The formats of a proof.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::cli) enum ProofFormat {
    /// Candor's own, which `verify` reads
    Candor,
    /// Agent Receipts 0.5.0: W3C Verifiable Credentials, as JSON lines
    AgentReceipts,
    /// in-toto statements in DSSE envelopes, as JSON lines
    Dsse,
}

/// Reads a public key as `candor receipts key` prints it.
pub(super) fn public_key(text: &str) -> Result<PublicKey, String> {
    PublicKey::parse(text.trim()).ok_or_else(|| "a public key is 64 lower-case hexadecimal digits".to_owned())
}

/// Reads `ID`, `FROM..TO` or `all`.
pub(super) fn range(text: &str) -> Result<ProofRange, String> {
    let id = |text: &str| ReceiptId::parse(text).ok_or_else(|| format!("`{text}` is not the id of a receipt"));
    match text.split_once("..") {
        _ if text == "all" => Ok(ProofRange::All),
        Some((from, to)) => Ok(ProofRange::Between(id(from)?, id(to)?)),
        None => Ok(ProofRange::One(id(text)?)),
    }
}

/// Verifies a proof without any store.
pub(super) fn verify_file(file: &Path, key: Option<PublicKey>, json: bool) -> Result<Exit, Failure> {
    let key = key.ok_or_else(|| {
        Failure::config("name the bot's public key with `--key`: `candor receipts key` prints it at the bot")
    })?;
    let unreadable =
        |problem: std::io::Error| Failure::unavailable(format!("`{}` cannot be read: {problem}", file.display()));
    let mut content = Vec::new();
    let file_read = fs::File::open(file).map_err(unreadable)?.take(PROOF_SIZE_MAX as u64 + 1).read_to_end(&mut content);
    file_read.map_err(unreadable)?;
    let verified = match String::from_utf8(content) {
        Ok(text) => Proof::verify(&text, key).map_err(|problem| (problem.field.clone(), problem.to_string())),
        Err(_) => Err(("file".to_owned(), "`file`: is not text".to_owned())),
    };
    match verified {
        Ok(proof) => {
            let n = proof.receipts.len();
            let last = proof.heads.last().map(|head| utc_text(head.signed.signed_at(), &Rfc3339)).unwrap_or_default();
            print(&if json {
                format!("{:#}\n", json!({ "valid": true, "receipts": n, "signed": last }))
            } else {
                format!(
                    "valid: {n} receipts, signed by {} or a key that it endorsed, the last at {last}\n",
                    key.fingerprint()
                )
            })?;
            Ok(Exit::Fine)
        }
        Err((field, why)) => {
            print(&if json {
                format!("{:#}\n", json!({ "valid": false, "field": field, "why": why }))
            } else {
                format!("not valid: {why}\n")
            })?;
            Ok(Exit::Failed)
        }
    }
}

/// Writes a proof to a file, or prints it.
pub(super) async fn export(
    store: &Database,
    settings: &Settings,
    range: ProofRange,
    format: ProofFormat,
    out: Option<&Path>,
) -> Result<Exit, Failure> {
    let proof = store.prove(range).await.map_err(|problem| match problem {
        ProveError::Store(problem) => failed(problem),
        other => Failure::new(Exit::Failed, other.to_string()),
    })?;
    let text = match format {
        ProofFormat::Candor => Some(proof.to_text()),
        ProofFormat::AgentReceipts => agent_receipts(&proof, &signing_key(store, settings).await?, SystemTime::now()),
        ProofFormat::Dsse => dsse_envelopes(&proof, &signing_key(store, settings).await?),
    };
    let unwritable = || Failure::new(Exit::Failed, "a receipt has a time that this format cannot contain");
    let text = text.ok_or_else(unwritable)?;
    let Some(out) = out else {
        print(&text)?;
        return Ok(Exit::Fine);
    };
    let mut options = fs::OpenOptions::new();
    // It has arguments, callers and places.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(out).and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
    written.map_err(|problem| Failure::unavailable(format!("`{}` cannot be written: {problem}", out.display())))?;
    print(&format!("wrote a proof of {} receipts to `{}`\n", proof.receipts.len(), out.display()))?;
    Ok(Exit::Fine)
}

/// Returns the key that signs the receipts of this store.
async fn signing_key(store: &Database, settings: &Settings) -> Result<ReceiptKey, Failure> {
    let path = settings.receipt_key_file().ok_or_else(|| Failure::config(NO_KEY_FILE))?;
    let missing = || Failure::config(format!("this format needs the key, and there is none in `{}`", path.display()));
    let key = own_key(settings)?.ok_or_else(missing)?;
    match store.receipt_key().await.map_err(failed)? {
        Some(last) if last != key.public() => {
            Err(Failure::new(Exit::Failed, SigningError::OtherKey { last, given: key.public() }.to_string()))
        }
        _ => Ok(key),
    }
}

/// A head that was written outside of the store, and the result of comparing it with the chain.
#[derive(PartialEq)]
struct Compared {
    from: PathBuf,
    head: SignedHead,
    finding: HeadFinding,
}

/// A file of `[receipts] publish` that has no head to compare.
struct Unread {
    path: PathBuf,
    was_published: bool,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.was_published {
            true => write!(
                f,
                "`{path}` has no head, although the bot publishes there: it is missing, or publishing fails (see the log)"
            ),
            false => write!(f, "`{path}` has no head yet: nothing was published there"),
        }
    }
}

/// The result of verifying a store.
struct Examined {
    chain: Chain,
    compared: Vec<Compared>,
    unread: Vec<Unread>,
    is_signed: bool,
    /// The first thing that is wrong.
    why: Option<String>,
}

/// Verifies the chain, its signatures, and that it still has the heads that were written elsewhere.
async fn examine(
    store: &Database,
    settings: &Settings,
    trusted: Option<PublicKey>,
    heads: &[PathBuf],
) -> Result<Examined, Failure> {
    // Reads the heads before the chain: the bot may append receipts meanwhile.
    let files = head_files(settings, heads)?;
    let mut compared = Vec::new();
    for (from, head) in files.heads {
        let finding = store.compare_head(&head, trusted).await.map_err(failed)?;
        compared.push(Compared { from, head, finding });
    }
    let mut unread = Vec::new();
    for path in published_files(settings).filter(|path| files.absent.contains(path)) {
        let was_published = store.has_published(&PublishTo::File(path.clone()).name()).await.map_err(failed)?;
        unread.push(Unread { path: path.clone(), was_published });
    }
    let chain = store.follow_chain(trusted).await.map_err(failed)?;
    // If there is a key, the receipts must be signed. Without signatures, somebody removed them.
    let is_signed = chain.head.is_some() || trusted.is_some() && 0 < chain.n_receipts;
    let lost_file = unread.iter().find(|one| one.was_published).map(Unread::to_string);
    let why = first_problem(&chain, &compared, &files.absent, is_signed).or(lost_file);
    Ok(Examined { chain, compared, unread, is_signed, why })
}

/// Verifies a store and prints the result.
pub(super) async fn verify(
    store: &Database,
    settings: &Settings,
    given: Option<PublicKey>,
    heads: &[PathBuf],
    json: bool,
) -> Result<Exit, Failure> {
    let trusted = match given {
        Some(given) => Some(given),
        None => own_key(settings)?.map(|key| key.public()),
    };
    let Examined { chain, compared, unread, is_signed, why } = examine(store, settings, trusted, heads).await?;
    let is_lost = |one: &KeyState| one.is_lost;
    let keys = key_states(store).await?;
    print(&if json {
        as_json(&chain, &compared, &unread, why.as_deref())
    } else {
        let mut text = match &why {
            None => {
                format!("the chain holds: {} receipts, {} removed\n", chain.n_receipts, chain.n_removed)
            }
            Some(why) => format!("the chain breaks after {} receipts: {why}\n", chain.n_receipts),
        };
        if let Some(head) = &chain.head {
            let at = utc_text(head.signed_at(), &Rfc3339);
            text += &format!("signed by {} up to position {} at {at}\n", head.key.fingerprint(), head.head.position);
        }
        // Shows the newest head of each file, and each head that does not fit.
        let mut newest = BTreeMap::new();
        for one in &compared {
            let last = newest.entry(&one.from).or_insert(one);
            if last.head.head.position < one.head.head.position {
                *last = one;
            }
        }
        let is_told =
            |one: &&Compared| !one.finding.is_good() || newest.get(&one.from).is_some_and(|last| *last == *one);
        for one in compared.iter().filter(is_told) {
            let at = utc_text(one.head.signed_at(), &Rfc3339);
            let Compared { from, head, finding } = one;
            text += &format!("{}: the head of position {}, {at}, {finding}\n", from.display(), head.head.position);
        }
        for one in &unread {
            text += &format!("{one}\n");
        }
        if trusted.is_none() && is_signed {
            text += "the key was not compared: there is no key file here, and no `--key`\n";
        }
        for leaked in keys.iter().filter(|one| one.is_withdrawn) {
            text += &format!("the key {} was withdrawn: no proof with it counts\n", leaked.key.fingerprint());
        }
        for lost in keys.iter().filter(|one| is_lost(one)) {
            text +=
                &format!("the key {} took the place of a lost one, which did not sign it\n", lost.key.fingerprint());
        }
        text
    })?;
    Ok(if why.is_none() { Exit::Fine } else { Exit::Failed })
}

/// Returns the first thing that is wrong.
fn first_problem(chain: &Chain, compared: &[Compared], absent: &[PathBuf], is_signed: bool) -> Option<String> {
    let broken = chain.broken.as_ref().map(ChainBreak::to_string);
    let emptied = || "numbers were given to receipts, and not one is left".to_owned();
    let unsigned = || format!("{} receipts at its end are not signed", chain.n_unsigned);
    let missing = || {
        let one = compared.iter().find(|one| !one.finding.is_good())?;
        Some(format!("the head of position {} in `{}` {}", one.head.head.position, one.from.display(), one.finding))
    };
    let uncompared = || {
        let absent = absent.first().filter(|_| is_signed && compared.is_empty())?;
        let absent = absent.display();
        Some(format!(
            "cannot tell whether its end was cut: there is no `{absent}`; name a file with heads with `--head`"
        ))
    };
    broken
        .or_else(|| chain.is_emptied.then(emptied))
        .or_else(|| (is_signed && 0 < chain.n_unsigned).then(unsigned))
        .or_else(missing)
        .or_else(uncompared)
}

fn as_json(chain: &Chain, compared: &[Compared], unread: &[Unread], why: Option<&str>) -> String {
    let broken = why.map(|why| match &chain.broken {
        Some(ChainBreak::Receipt(id)) => json!({ "receipt": id.to_string(), "why": why }),
        Some(ChainBreak::Checkpoint(position)) => json!({ "checkpoint": position, "why": why }),
        Some(ChainBreak::Head(position)) => json!({ "head": position, "why": why }),
        None => json!({ "why": why }),
    });
    let signed = chain.head.map(|head| {
        let at = utc_text(head.signed_at(), &Rfc3339);
        json!({ "key": head.key, "position": head.head.position, "at": at, "unsigned": chain.n_unsigned })
    });
    let head = |one: &Compared| {
        json!({
            "file": one.from.display().to_string(), "position": one.head.head.position,
            "at": utc_text(one.head.signed_at(), &Rfc3339), "good": one.finding.is_good(),
            "why": one.finding.to_string(),
        })
    };
    let told = json!({
        "intact": why.is_none(), "receipts": chain.n_receipts, "removed": chain.n_removed, "broken": broken,
        "signed": signed, "heads": compared.iter().map(head).collect::<Vec<Value>>(),
        "unread": unread.iter().map(Unread::to_string).collect::<Vec<_>>(),
    });
    format!("{told:#}\n")
}

struct HeadFiles {
    heads: Vec<(PathBuf, SignedHead)>,
    absent: Vec<PathBuf>,
}

/// Reads the heads of each file: beside the store, those set aside there, those published, and the given ones.
fn head_files(settings: &Settings, given: &[PathBuf]) -> Result<HeadFiles, Failure> {
    let own = settings.receipt_head_file();
    let mut paths = vec![own.clone()];
    paths.extend(set_aside(&own));
    paths.extend(published_files(settings).cloned());
    paths.extend_from_slice(given);
    let mut files = HeadFiles { heads: Vec::new(), absent: Vec::new() };
    for path in paths {
        let unreadable =
            |problem| Failure::unavailable(format!("the heads in `{}` cannot be read: {problem}", path.display()));
        let heads = read_heads(&path).map_err(unreadable)?;
        match heads.filter(|heads| !heads.is_empty()) {
            Some(heads) => files.heads.extend(heads.into_iter().map(|head| (path.clone(), head))),
            None if given.contains(&path) => {
                return Err(Failure::config(format!("there is no signed head in `{}`", path.display())));
            }
            None => files.absent.push(path),
        }
    }
    Ok(files)
}

fn published_files(settings: &Settings) -> impl Iterator<Item = &PathBuf> {
    settings.receipts.publish.iter().filter_map(|place| match place {
        PublishTo::File(path) => Some(path),
        PublishTo::Channel(_) => None,
    })
}

/// Returns the newest head beside the store.
fn newest_of(settings: &Settings) -> Result<Option<SignedHead>, Failure> {
    let path = settings.receipt_head_file();
    newest_head(&path)
        .map_err(|problem| Failure::unavailable(format!("`{}` cannot be read: {problem}", path.display())))
}

/// Returns the copies that the bot kept because the store did not have their heads.
fn set_aside(own: &Path) -> Vec<PathBuf> {
    let name = own.file_name().unwrap_or_default().to_string_lossy().into_owned() + ".missing-";
    let folder = own.parent().and_then(|folder| fs::read_dir(folder).ok());
    let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut aside: Vec<_> =
        files.filter(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&name))).collect();
    aside.sort();
    aside
}

struct KeyState {
    key: PublicKey,
    at: SystemTime,
    /// Whether it took the place of a lost key.
    is_lost: bool,
    /// Whether it leaked.
    is_withdrawn: bool,
}

async fn key_states(store: &Database) -> Result<Vec<KeyState>, Failure> {
    let keys = store.receipt_keys().await.map_err(failed)?;
    let at = |ms: i64| UNIX_EPOCH + std::time::Duration::from_millis(ms.max(0).unsigned_abs());
    let withdrawn = store.withdrawn_keys(None).await.map_err(failed)?;
    let mut states = Vec::new();
    let mut previous: Option<&KnownKey> = None;
    for key in &keys {
        let is_withdrawn = withdrawn.contains(&key.key);
        let is_after_leak = previous.is_some_and(|previous| withdrawn.contains(&previous.key));
        let is_lost = !is_after_leak && key.follows_a_lost_one(previous);
        states.push(KeyState { key: key.key, at: at(key.at_ms), is_lost, is_withdrawn });
        previous = Some(key);
    }
    Ok(states)
}

/// Prints the public keys, the one in use last.
pub(super) async fn key(store: &Database, json: bool) -> Result<Exit, Failure> {
    let keys = key_states(store).await?;
    if keys.is_empty() {
        return Err(Failure::new(
            Exit::Failed,
            "there is no key yet: the bot makes one at its first start, or with PostgreSQL needs `[receipts] key_file`",
        ));
    }
    let since = |one: &KeyState| utc_text(one.at, &Rfc3339);
    print(&if json {
        let key = |one: &KeyState| {
            json!({
                "key": one.key, "fingerprint": one.key.fingerprint(), "since": since(one),
                "follows_a_lost_key": one.is_lost, "withdrawn": one.is_withdrawn,
            })
        };
        format!("{:#}\n", Value::Array(keys.iter().map(key).collect()))
    } else {
        let line = |one: &KeyState| {
            let withdrawn = if one.is_withdrawn { ", withdrawn" } else { "" };
            format!("{}  {}  since {}{withdrawn}\n", one.key, one.key.fingerprint(), since(one))
        };
        keys.iter().map(line).collect()
    })?;
    Ok(Exit::Fine)
}

/// Why a key is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Usual,
    /// The old key is lost.
    Lost,
    /// Another person may have the old key.
    Leaked,
}

/// Replaces the key. The old file stays beside the new one. Goes on where an interrupted rotation ended: its new key is
/// in the file for it.
///
/// With `new_path`, the new key is written there and nothing else is moved, for a key file that cannot be written.
pub(super) async fn rotate(
    store: Database,
    settings: &Settings,
    why: Why,
    new_path: Option<PathBuf>,
) -> Result<(), Failure> {
    let path = settings.receipt_key_file().ok_or_else(|| Failure::config(NO_KEY_FILE))?;
    let is_moved = new_path.is_none();
    let new_path = new_path.unwrap_or_else(|| next_receipt_key(&path));
    let old = own_key(settings)?;
    let keys = store.receipt_keys().await.map_err(failed)?;
    let last = keys.last().map(|last| last.key);
    let begun = read_receipt_key(&new_path).map_err(of_key)?.map(|begun| begun.public());
    let is_registered = begun.is_some() && begun == last;
    let own = old.as_ref().map(ReceiptKey::public);
    if own.is_none() && why != Why::Lost && !is_registered {
        return Err(Failure::config(format!(
            "nothing was changed: there is no key in `{}`; if it is lost, add `--lost`",
            path.display()
        )));
    }
    let was_used = |begun: PublicKey| own == Some(begun) || !is_registered && keys.iter().any(|one| one.key == begun);
    if begun.is_some_and(was_used) {
        return Err(Failure::config(format!(
            "nothing was changed: the key in `{}` was used already; name another file",
            new_path.display()
        )));
    }
    let of_signing = |problem: SigningError| Failure::new(Exit::Failed, problem.to_string());
    if let (Some(given), Some(last), false) = (own, last, why == Why::Lost || is_registered)
        && given != last
    {
        return Err(of_signing(SigningError::OtherKey { last, given }));
    }
    if why == Why::Leaked
        && !is_registered
        && let Some(problem) = examine(&store, settings, own, &[]).await?.why
    {
        return Err(Failure::new(Exit::Failed, format!("nothing was changed, because the chain breaks: {problem}")));
    }
    if why == Why::Leaked && is_moved && begun.is_some() && !is_registered {
        // The thief may have read it beside the old one, and nothing was signed with it.
        fs::remove_file(&new_path)
            .map_err(|problem| Failure::unavailable(format!("`{}`: {problem}", new_path.display())))?;
    }
    let (new, _) = ensure_receipt_key(&new_path).map_err(of_key)?;
    let new = Arc::new(new);
    let public = new.public();
    let outside = newest_of(settings)?;
    match (old, last) {
        _ if is_registered => Ok(()),
        (_, Some(leaked)) if why == Why::Leaked => store.withdraw_key(leaked, new.clone()).await,
        (Some(old), _) if why != Why::Lost => store.rotate_receipt_key(&old, &new).await,
        _ => store.replace_lost_key(&new, outside.filter(SignedHead::is_signed).map(|head| head.key)).await,
    }
    .map_err(of_signing)?;
    let store = store.signed_by(new, outside.as_ref()).await.map_err(of_signing)?;
    let previous = store.receipt_keys().await.map_err(failed)?.iter().rev().nth(1).map(|one| one.key);
    let withdrawn = store.withdrawn_keys(Some(public)).await.map_err(failed)?;
    let is_withdrawn = previous.is_some_and(|previous| withdrawn.contains(&previous));
    if !is_withdrawn {
        store.record_rotation(public).await.map_err(failed)?;
    }
    store.close().await;
    let told = match is_moved {
        true => moved(&path, &new_path, public, is_withdrawn),
        false => format!(
            "the new public key is {public} ({}), its key file `{}`: before the next start, put this file in place of \
             the old one or set `[receipts] key_file` to it\n",
            public.fingerprint(),
            new_path.display()
        ),
    };
    print(&told)?;
    match is_withdrawn || why != Why::Leaked {
        true => Ok(()),
        false => print("this finished an earlier rotation, and nothing was withdrawn: run it again to do so\n"),
    }
}

/// Moves the new key file to its place and the old one aside. Returns the result in words.
fn moved(path: &Path, new_path: &Path, public: PublicKey, is_withdrawn: bool) -> String {
    let since_1970 = milliseconds(SystemTime::now()) / 1_000;
    let aside = match is_withdrawn {
        true => leaked_receipt_key(path, since_1970),
        false => former_receipt_key(path, since_1970),
    };
    // A withdrawal also counts for the keys before: none of them may endorse again.
    let former = if is_withdrawn { former_receipt_key_files(path) } else { Vec::new() };
    let put_away = former.into_iter().try_for_each(|file| fs::rename(&file, withdrawn_receipt_key(&file)));
    let moved = if path.exists() { fs::rename(path, aside) } else { Ok(()) };
    match put_away.and(moved).and_then(|()| fs::rename(new_path, path)) {
        Ok(()) => format!(
            "the receipts are signed with {public} ({}) from the next start on; its key is in `{}`\n",
            public.fingerprint(),
            path.display()
        ),
        Err(problem) => format!(
            "the new public key is {public} ({}); its key file `{}` could not be moved to `{}` ({problem}): run \
             `candor receipts rotate` again before the next start, or move it\n",
            public.fingerprint(),
            new_path.display(),
            path.display()
        ),
    }
}

/// Records in the chain that this store took the place of another one, whose heads it does not have.
pub(super) async fn restored(store: Database, settings: &Settings) -> Result<(), Failure> {
    let key = own_key(settings)?.ok_or_else(|| Failure::config("there is no key to sign the record with"))?;
    let mut missing = Vec::new();
    for (_, head) in head_files(settings, &[])?.heads {
        if store.compare_head(&head, None).await.map_err(failed)?.is_missing() {
            missing.push(head);
        }
    }
    missing.sort_by_key(|head| head.head.position);
    let (Some(first), Some(last)) = (missing.first(), missing.last()) else {
        return print("the store has all heads that were written: nothing was recorded\n");
    };
    let shared = first.head.position.saturating_sub(1);
    let signed = store
        .signed_by(Arc::new(key), newest_of(settings)?.as_ref())
        .await
        .map_err(|problem| Failure::new(Exit::Failed, problem.to_string()))?;
    signed.record_restore(shared, last).await.map_err(failed)?;
    signed.close().await;
    print(&format!(
        "recorded that this store took the place of the one that ended at position {}\n",
        last.head.position
    ))
}

/// The error if receipts are not signed.
const NO_KEY_FILE: &str = "the receipts are not signed: with PostgreSQL, name a key file that all processes share at \
                           `[receipts] key_file`";

/// Reads the key of the settings, if there is one.
fn own_key(settings: &Settings) -> Result<Option<ReceiptKey>, Failure> {
    let path = settings.receipt_key_file();
    path.map_or(Ok(None), |path| read_receipt_key(&path)).map_err(of_key)
}

fn of_key(problem: ReceiptKeyError) -> Failure {
    Failure::config(problem.to_string())
}
