//! The bot is killed again and again in the middle of commands. What a person saw, what is stored and what is in the
//! ledger agree afterwards.
//!
//! `CANDOR_CRASH_RUNS` sets how many commands are under way when a process is killed (see docs/store.md), and
//! `CANDOR_CRASH_SEED` repeats a series.

use std::collections::BTreeMap;
use std::time::Duration;

use candor::edges::store::Database;
use candor_core::record::ReceiptId;
use candor_core::text::shortened;
use discord_twin::{Interaction, Sent, Twin};
use rusqlite::{Connection, OptionalExtension as _};

use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{ANY, said, says};

/// Commands that are under way when a process is killed.
const AT_ONCE: u64 = 8;

/// The longest life of a process after its commands were sent, in ms: by then all of them are answered.
const LIFE_MAX_MS: u64 = 100;

/// Old enough that the answer is deferred at once.
const DEFERRED_MS: u64 = 1_500;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn whenever_the_bot_is_killed_effects_receipts_and_answers_agree() {
    let runs = number("CANDOR_CRASH_RUNS").unwrap_or(500);
    let seed = number("CANDOR_CRASH_SEED").unwrap_or(7);
    let mut random = seed;
    let (folder, twin) = (Folder::with(""), Twin::start().await.unwrap());
    twin.set_session_starts_left(1_000_000);
    let mut sent = Vec::new();
    for round in 0..runs.div_ceil(AT_ONCE) {
        let bot = connected(&folder, &twin).await;
        for n in 0..AT_ONCE {
            let add = Interaction::slash("tasks").subcommand("add").option("title", format!("{round}.{n}"));
            let write = Interaction::slash("files").subcommand("write").option("path", format!("{n}.txt"));
            let interaction = match n {
                0 => Interaction::slash("status"),
                1 => write.option("content", format!("{round}")).aged_ms(DEFERRED_MS),
                2..5 => add.aged_ms(DEFERRED_MS),
                _ => add,
            };
            sent.push(twin.interact(interaction));
        }
        // The moment is the point: nothing is waited for.
        tokio::time::sleep(Duration::from_millis(next(&mut random) % LIFE_MAX_MS)).await;
        drop(bot);
    }
    // The last process tells the people of the one before it.
    let bot = connected(&folder, &twin).await;
    let told = twin.wait_until(PATIENCE, || sent.iter().all(|sent| !is_waiting(&twin, sent)).then_some(()));
    if told.await.is_none() {
        let waiting: Vec<_> =
            sent.iter().filter(|sent| is_waiting(&twin, sent)).map(|sent| twin.replies_to(sent)).collect();
        panic!("seed {seed}: {} of {} still wait: {:#?}\n{}", waiting.len(), sent.len(), waiting.first(), bot.log());
    }
    assert!(bot.stop().success());
    agree(&folder, &twin, &sent, seed).await;
}

/// The next number of a seeded series: Steele, Lea and Flood's SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

async fn connected(folder: &Folder, twin: &Twin) -> Bot {
    let sessions = twin.identifies().len();
    let bot = Bot::start(folder, &twin.url());
    let is_new = || (sessions < twin.identifies().len()).then_some(());
    assert!(twin.wait_until(PATIENCE, is_new).await.is_some() && twin.wait_ready(PATIENCE).await, "{}", bot.log());
    bot.hears(&["INFO", "ready"]);
    bot
}

/// Whether a person sees the note that their command runs.
fn is_waiting(twin: &Twin, sent: &Sent) -> bool {
    let replies = twin.replies_to(sent);
    replies.iter().any(|reply| reply.accepted() && reply.is_deferral())
        && !replies.iter().any(|reply| reply.accepted() && !reply.is_deferral())
}

/// What a person was shown last, if anything.
fn shown(twin: &Twin, sent: &Sent) -> Option<String> {
    let replies = twin.replies_to(sent);
    replies.iter().rfind(|reply| reply.accepted() && !reply.is_deferral()).map(|reply| reply.text())
}

/// Compares what people saw with what is stored.
#[expect(clippy::print_stdout, reason = "how the runs ended is what a longer series is run for")]
async fn agree(folder: &Folder, twin: &Twin, sent: &[Sent], seed: u64) {
    let file = folder.path().join("data/candor.db");
    let store = Database::open_file(&file).await.unwrap();
    assert_eq!(store.verify_chain().await.unwrap(), None, "seed {seed}: the chain breaks");
    store.close().await;
    let database = Connection::open(&file).unwrap();
    let count = |query: &str| database.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();

    // Effects and receipts.
    assert_eq!(count("SELECT count(*) FROM intents"), 0, "seed {seed}: a run was left open");
    let added = count("SELECT count(*) FROM receipts WHERE command = '/tasks add' AND outcome = 'done'");
    assert_eq!(count("SELECT count(*) FROM records WHERE module = 'tasks'"), added, "seed {seed}");
    assert_eq!(count("SELECT count(*) FROM claims"), count("SELECT count(*) FROM receipts"), "seed {seed}");

    // Receipts and answers.
    let mut ends = BTreeMap::<String, usize>::new();
    let (nothing, unknown) = (said!("interrupted-nothing", command = ANY), said!("interrupted-unknown", command = ANY));
    for sent in sent {
        let outcome = "SELECT r.outcome FROM receipts r JOIN claims c ON c.event = ?1 WHERE r.number = ?2";
        let Some(text) = shown(twin, sent) else {
            *ends.entry("not answered: Discord says so".to_owned()).or_default() += 1;
            continue;
        };
        let id = receipt_id(&text).unwrap_or_else(|| panic!("seed {seed}: no receipt in {text:?}"));
        let kept = database.query_row(outcome, (sent.id.cast_signed(), id), |row| row.get::<_, String>(0));
        let kept = match kept.optional().unwrap() {
            Some(kept) => kept,
            // It changed nothing, so its answer does not wait for its receipt.
            None if text.contains("✓ /status") => {
                *ends.entry("done, its receipt lost".to_owned()).or_default() += 1;
                continue;
            }
            None => panic!("seed {seed}: there is no receipt for {text:?}"),
        };
        let expected = match () {
            () if says(&text, &nothing) => "interrupted",
            () if says(&text, &unknown) => "unknown",
            () => "done",
        };
        assert_eq!(kept, expected, "seed {seed}: {}", shortened(&text, 200));
        *ends.entry(kept).or_default() += 1;
    }
    println!("seed {seed}: {ends:?}");
    assert!(ends.contains_key("done"), "seed {seed}: nothing was ever answered: {ends:?}");
}

/// The number of the receipt that a text names at its end.
fn receipt_id(text: &str) -> Option<i64> {
    let words = text.split_whitespace().rev();
    let mut ids = words.filter_map(ReceiptId::parse);
    ids.next().map(|id| id.number().cast_signed())
}
