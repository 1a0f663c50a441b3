//! Receipts of commands that an executor really ran: nothing else can make one.

use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::{Map, json};

use super::*;
use crate::edges::store::sqlite::migrations;
use crate::host::Clock;
use crate::host::executor::Executor;
use candor_core::access::{Access, authorize, authorize_for_model, authorize_refresh};
use candor_core::contract::{
    AcceptedModule, Checked, Command, CommandKind, Handler, Leaf, OptionKind, OptionSpec, Owner, Services, ToolSpec,
};
use candor_core::inbound::{Asked, ChannelId, CommandPath, GuildId};
use candor_core::registry::Registry;
use candor_core::reply::{Provenance, Reply};
use candor_core::router::Invocation;

const ANN: UserId = UserId(u64::MAX);
const BEN: UserId = UserId(2);
const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(1 << 63) };
const THERE: Place = Place::Direct { channel: ChannelId(5) };

/// A bot with two commands over a store of its own.
struct Bot {
    store: Arc<Sqlite>,
    registry: Arc<Registry>,
    executor: Executor,
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> SystemTime {
        noon()
    }
}

fn noon() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_800_000_000_123)
}

impl Bot {
    async fn new(path: &Path) -> Self {
        let store = Arc::new(Sqlite::open(path).await.unwrap());
        let module = AcceptedModule {
            owner: Owner::Builtin,
            summary: "Commands of a test".to_owned(),
            services: Vec::new(),
            commands: vec![command("note"), command("receipt")],
            code: ["note", "receipt"].map(handler).into_iter().collect(),
        };
        let registry = Arc::new(Registry::build(Checked { accepted: vec![module], ..Checked::default() }));
        let executor = Executor {
            registry: Arc::clone(&registry),
            services: Services::default(),
            ledger: Arc::<Sqlite>::clone(&store),
            cooldowns: Arc::<Sqlite>::clone(&store),
            clock: Arc::new(Noon),
            deadline: Duration::from_secs(10),
            counters: Arc::default(),
        };
        Self { store, registry, executor }
    }

    /// Runs a command and gives its receipt, if it ran.
    async fn run(&self, event: u64, caller: UserId, place: Place, name: &str) -> Option<Receipt> {
        self.run_for(Origin::Person, event, caller, place, name).await
    }

    async fn run_for(&self, origin: Origin, event: u64, caller: UserId, place: Place, name: &str) -> Option<Receipt> {
        let invocation = Invocation {
            event: EventId(event),
            caller: person(caller),
            place,
            asked: Asked::Picked,
            path: CommandPath::new(name, None),
            arguments: Map::from_iter([("text".to_owned(), json!(format!("words of {event}")))]),
        };
        let permit = match origin {
            Origin::Person => authorize(invocation, &self.registry, &Access::default()),
            Origin::Refresh => authorize_refresh(invocation, &self.registry, &Access::default()),
            Origin::Model | Origin::Recovered => {
                authorize_for_model(invocation, &self.registry, &Access::default(), None, origin)
            }
        };
        match self.executor.run(permit.unwrap()).await?.provenance {
            Provenance::Command(receipt) => Some(*receipt),
            Provenance::Turn(_) | Provenance::Host => panic!("`/{name}` did not run"),
        }
    }
}

/// Answers with its argument and says where it found it.
fn handler(name: &str) -> Handler {
    let run = |arguments: Map<String, serde_json::Value>, _call| {
        let source = Some(Source { name: "notes.txt".to_owned(), as_of: Some(noon() - Duration::from_secs(3)) });
        let reply = Reply { source, ..Reply::text(arguments["text"].to_string()) };
        std::future::ready(Ok(reply)).boxed()
    };
    Handler::native(name, Arc::new(run), Arc::new(|_| Ok(())))
}

fn command(name: &str) -> Command {
    let text = OptionSpec::new(
        "text".to_owned(),
        "Some text".to_owned(),
        OptionKind::String { min_length: None, max_length: None, choices: Vec::new() },
        true,
    );
    let kind = CommandKind::Leaf(Leaf::new(name, vec![text], Some(ToolSpec::new(name, false))));
    Command::new(name, "Says it again", Owner::Builtin, kind)
}

fn person(id: UserId) -> Caller {
    Caller::new(id, "somebody")
}

#[tokio::test]
async fn a_receipt_reads_back_as_it_was_minted_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let bot = Bot::new(&path).await;
    let mut receipts = Vec::new();
    for (event, origin) in [(7, Origin::Person), (8, Origin::Model), (9, Origin::Recovered), (10, Origin::Refresh)] {
        receipts.push(bot.run_for(origin, event, ANN, HERE, "note").await.unwrap());
    }
    bot.store.close().await;

    let store = Sqlite::open(&path).await.unwrap();
    for receipt in &receipts {
        let took = Duration::from_micros(receipt.facts().took.as_micros().try_into().unwrap());
        let expected = LedgerEntry {
            id: receipt.id(),
            facts: Facts { took, ..receipt.facts().clone() },
            digest: receipt.digest(),
        };
        assert_eq!(store.find(receipt.id()).await.unwrap(), Some(expected));
    }
    assert_eq!(store.find(ReceiptId::from_number(5)).await.unwrap(), None);
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

#[tokio::test]
async fn the_last_receipt_is_of_this_caller_in_this_place() {
    let folder = tempfile::tempdir().unwrap();
    let bot = Bot::new(&folder.path().join("store.db")).await;
    let note = bot.run(1, ANN, HERE, "note").await.unwrap().id();
    let elsewhere = bot.run(2, ANN, THERE, "note").await.unwrap().id();
    let bens = bot.run(3, BEN, HERE, "note").await.unwrap().id();
    let shown = bot.run(4, ANN, HERE, "receipt").await.unwrap().id();

    let cases = [
        (ANN, HERE, "/receipt", Some(note)),
        (ANN, HERE, "/other", Some(shown)),
        (ANN, THERE, "/receipt", Some(elsewhere)),
        (BEN, HERE, "/receipt", Some(bens)),
        (BEN, HERE, "/note", None),
        (BEN, THERE, "/receipt", None),
    ];
    for (caller, place, except, expected) in cases {
        let last = bot.store.last(&person(caller), place, except).await.unwrap();
        assert_eq!(last.map(|entry| entry.id), expected, "{caller} in {place:?} but {except}");
    }
}

#[tokio::test]
async fn receipts_are_listed_newest_first_within_bounds_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let bot = Bot::new(&folder.path().join("store.db")).await;
    let mut notes = Vec::new();
    for event in 1..=5 {
        notes.insert(0, bot.run(event, ANN, HERE, "note").await.unwrap().id());
    }
    bot.run(6, ANN, THERE, "note").await.unwrap();
    bot.run(7, BEN, HERE, "note").await.unwrap();
    bot.run(8, ANN, HERE, "receipt").await.unwrap();

    for (range, expected) in [(0..2, &notes[..2]), (4..6, &notes[4..]), (5..9, &[]), (0..0, &[])] {
        let found = bot.store.list(&person(ANN), HERE, "/receipt", range.clone()).await.unwrap();
        let ids: Vec<_> = found.entries.iter().map(|entry| entry.id).collect();
        assert_eq!((ids.as_slice(), found.total), (expected, 5), "{range:?}");
    }
    let nothing = bot.store.list(&person(BEN), THERE, "/receipt", 0..10).await.unwrap();
    assert_eq!((nothing.entries, nothing.total), (Vec::new(), 0));
}

#[tokio::test]
async fn what_is_delivered_twice_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let bot = Bot::new(&folder.path().join("store.db")).await;
    let runs = join_all((0..10).map(|_delivery| bot.run(7, ANN, HERE, "note"))).await;
    assert_eq!(runs.iter().flatten().count(), 1);
}

#[tokio::test]
async fn the_chain_holds_when_many_commands_end_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let bot = Bot::new(&folder.path().join("store.db")).await;
    let runs = join_all((1..=30).map(|event| bot.run(event, ANN, HERE, "note"))).await;
    assert_eq!(runs.iter().flatten().count(), 30);
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
}

#[tokio::test]
async fn whatever_is_changed_in_the_ledger_shows() {
    // What was changed behind the program's back, and the position where the chain breaks.
    let cases = [
        ("UPDATE receipts SET command = '/noted' WHERE position = 2", 2),
        ("UPDATE receipts SET arguments = '{}' WHERE position = 2", 2),
        ("UPDATE receipts SET caller = 3 WHERE position = 2", 2),
        ("UPDATE receipts SET place = 'dm:9' WHERE position = 2", 2),
        ("UPDATE receipts SET place = 'nowhere' WHERE position = 2", 2),
        ("UPDATE receipts SET started_ms = started_ms + 1 WHERE position = 2", 2),
        ("UPDATE receipts SET took_us = took_us + 1 WHERE position = 2", 2),
        ("UPDATE receipts SET outcome = 'refused' WHERE position = 2", 2),
        ("UPDATE receipts SET outcome = 'great' WHERE position = 2", 2),
        ("UPDATE receipts SET origin = 'person' WHERE position = 2", 2),
        ("UPDATE receipts SET origin = 'recovered' WHERE position = 2", 2),
        ("UPDATE receipts SET origin = 'nobody' WHERE position = 2", 2),
        ("UPDATE receipts SET origin = 'model' WHERE position = 3", 3),
        ("UPDATE receipts SET source_name = 'other.txt' WHERE position = 2", 2),
        ("UPDATE receipts SET source_as_of_ms = NULL WHERE position = 2", 2),
        ("UPDATE receipts SET source_name = NULL WHERE position = 2", 2),
        ("UPDATE receipts SET digest = zeroblob(32) WHERE position = 2", 2),
        ("UPDATE receipts SET link = zeroblob(32) WHERE position = 2", 2),
        ("DELETE FROM receipts WHERE position = 1", 2),
        ("DELETE FROM receipts WHERE position = 2", 3),
        ("UPDATE receipts SET position = 9 WHERE position = 2", 3),
    ];
    for (statement, position) in cases {
        let folder = tempfile::tempdir().unwrap();
        let bot = Bot::new(&folder.path().join("store.db")).await;
        let mut ids = Vec::new();
        for (event, origin) in [(1, Origin::Person), (2, Origin::Model), (3, Origin::Person)] {
            ids.push(bot.run_for(origin, event, ANN, HERE, "note").await.unwrap().id());
        }
        assert_eq!(bot.store.verify_chain().await.unwrap(), None);
        query(statement).execute(&bot.store.writer).await.unwrap();
        assert_eq!(bot.store.verify_chain().await.unwrap(), Some(ids[position - 1]), "{statement}");
    }
}

/// A receipt as the third step of the format keeps it, linked as it was before there were origins.
async fn keep_without_origin(pool: &sqlx::SqlitePool, number: u64, previous: Digest) -> Digest {
    let (arguments, digest) = (format!("{{\"number\":{number}}}"), Digest::of(&[b"said"]));
    let id = ReceiptId::from_number(number).to_string();
    let (caller, started, took) = (ANN.0.to_be_bytes(), time_column(noon()).to_be_bytes(), 250_i64.to_be_bytes());
    let link = Digest::of(&[
        &previous.0,
        id.as_bytes(),
        b"/note",
        arguments.as_bytes(),
        &caller,
        HERE.key().as_bytes(),
        &started,
        &took,
        b"done",
        b"",
        &digest.0,
    ]);
    query(
        "INSERT INTO receipts (number, command, arguments, caller, place, started_ms, took_us, outcome, digest, link) \
         VALUES (?, '/note', ?, ?, ?, ?, 250, 'done', ?, ?)",
    )
    .bind(id_column(number))
    .bind(arguments)
    .bind(id_column(ANN.0))
    .bind(HERE.key())
    .bind(time_column(noon()))
    .bind(&digest.0[..])
    .bind(&link.0[..])
    .execute(pool)
    .await
    .unwrap();
    link
}

#[tokio::test]
async fn a_chain_from_before_there_were_origins_holds_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    migrations::run_first(&pool, 3).await.unwrap();
    let first = keep_without_origin(&pool, 1, Digest::START).await;
    keep_without_origin(&pool, 2, first).await;
    query("INSERT INTO claims (number, event, claimed_ms) VALUES (2, 2, 0)").execute(&pool).await.unwrap();
    pool.close().await;

    let bot = Bot::new(&path).await;
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
    let old = bot.store.find(ReceiptId::from_number(2)).await.unwrap().unwrap();
    assert_eq!((old.facts.origin, old.facts.command.as_str()), (Origin::Person, "/note"));

    let new = bot.run_for(Origin::Model, 7, ANN, HERE, "note").await.unwrap();
    assert_eq!(new.id(), ReceiptId::from_number(3));
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
    query("UPDATE receipts SET origin = 'model' WHERE number = 1").execute(&bot.store.writer).await.unwrap();
    assert_eq!(bot.store.verify_chain().await.unwrap(), Some(ReceiptId::from_number(1)));
}

#[tokio::test]
async fn old_claims_are_removed_and_their_numbers_are_not_given_out_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Sqlite::open(&path).await.unwrap();
    let day_later = noon() + CLAIMS_KEPT;
    // 998 claims of the day before, one of this moment.
    query(
        "WITH RECURSIVE old (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM old WHERE n < 998) \
         INSERT INTO claims (event, claimed_ms) SELECT n, ? FROM old",
    )
    .bind(time_column(noon()) - 1)
    .execute(&store.writer)
    .await
    .unwrap();
    assert_eq!(store.claim(EventId(5_000), noon()).await.unwrap(), Some(999));
    assert_eq!(store.claim(EventId(5_001), day_later).await.unwrap(), Some(1_000));

    let kept: Vec<i64> =
        query_scalar("SELECT event FROM claims ORDER BY event").fetch_all(&store.readers).await.unwrap();
    assert_eq!(kept, [5_000, 5_001]);
    query("DELETE FROM claims").execute(&store.writer).await.unwrap();
    store.close().await;
    let store = Sqlite::open(&path).await.unwrap();
    assert_eq!(store.claim(EventId(1), day_later).await.unwrap(), Some(1_001));
}

#[tokio::test]
async fn refreshes_are_in_no_list_and_an_old_answer_is_not_given_out() {
    let folder = tempfile::tempdir().unwrap();
    let bot = Bot::new(&folder.path().join("a.db")).await;
    let receipt = bot.run(1, ANN, HERE, "note").await.unwrap();
    for event in 2..5 {
        bot.run_for(Origin::Refresh, event, ANN, HERE, "note").await.unwrap();
    }
    let found = bot.store.list(&person(ANN), HERE, "/receipt", 0..10).await.unwrap();
    let ids: Vec<_> = found.entries.iter().map(|entry| entry.id).collect();
    assert_eq!((ids, found.total), (vec![receipt.id()], 1));

    bot.store.keep_answer(receipt.id(), "an answer", noon()).await.unwrap();
    let week = Duration::from_hours(7 * 24);
    for (later, expected) in [(week, Some("an answer")), (week + Duration::from_secs(1), None)] {
        let kept = bot.store.kept_answer(receipt.id(), noon() + later).await.unwrap();
        assert_eq!(kept.as_deref(), expected);
    }
}
