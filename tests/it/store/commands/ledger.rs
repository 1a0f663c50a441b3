//! Receipts of commands that an executor really ran: nothing else can make one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::{Map, json};

use crate::store::{Steps as _, Trial, on_every_engine};
use candor_core::access::{
    Access, Consent, authorize, authorize_due, authorize_event, authorize_for_model, authorize_refresh,
    authorize_schedule,
};
use candor_core::contract::{
    AcceptedModule, Checked, Command, CommandKind, Handler, HttpHosts, Leaf, OptionKind, OptionSpec, Owner, ToolSpec,
};
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Place, UserId};
use candor_core::record::{
    CodeName, Digest, Facts, LedgerEntry, ModelCall, Origin, Receipt, ReceiptId, ReceiptKey, SEED_LENGTH, Source,
};
use candor_core::registry::Registry;
use candor_core::reply::{Provenance, Reply};
use candor_core::router::Invocation;
use candor_core::testing::ran;
use candor_engine::executor::{Executor, Keeping, Ledger as _, ModuleCalls};
use candor_engine::{Clock, KEY_LENGTH, ReceiptBook as _, Sealer, SigningKey};
use candor_store::{ChainBreak, Database};

on_every_engine!(
    a_receipt_reads_back_as_it_was_minted_also_after_a_restart,
    receipts_of_answers_that_went_first_are_stored_together,
    the_last_receipt_is_of_this_caller_in_this_place,
    receipts_are_listed_newest_first_within_bounds_and_counted,
    of_very_many_receipts_the_newest_are_listed,
    what_is_delivered_twice_runs_once,
    the_chain_holds_when_many_commands_end_at_once,
    whatever_is_changed_in_the_ledger_shows,
    m11_refreshes_are_in_no_list_and_slow_no_look,
    a_chain_longer_than_a_page_holds_and_shows_where_it_breaks,
);

pub(super) const ANN: UserId = UserId(u64::MAX);
pub(super) const BEN: UserId = UserId(2);
pub(super) const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(1 << 63) };
const THERE: Place = Place::Direct { channel: ChannelId(5) };

/// A bot with two commands over a store of its own.
pub(crate) struct Bot {
    pub(crate) store: Arc<Database>,
    /// How many days after [`noon`] it is.
    pub(super) day: Arc<AtomicU64>,
    registry: Arc<Registry>,
    executor: Executor,
}

/// Signs the receipts of a store, with the same key after each start.
pub(crate) async fn signing(store: Database) -> Database {
    store.signed_by(Arc::new(key()), None).await.unwrap()
}

fn key() -> ReceiptKey {
    ReceiptKey::from_seed(&[7; SEED_LENGTH]).unwrap()
}

/// Noon of a day.
struct Noon(Arc<AtomicU64>);

impl Clock for Noon {
    fn now(&self) -> SystemTime {
        noon() + Duration::from_hours(24 * self.0.load(Ordering::Relaxed))
    }
}

pub(crate) fn noon() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_800_000_000_123)
}

impl Bot {
    pub(crate) async fn new(trial: &Trial) -> Self {
        Self::signing_with(trial, key()).await
    }

    pub(super) async fn signing_with(trial: &Trial, key: ReceiptKey) -> Self {
        Self::over(trial.open().await.signed_by(Arc::new(key), None).await.unwrap())
    }

    pub(super) fn over(store: Database) -> Self {
        let day = Arc::<AtomicU64>::default();
        let store = Arc::new(store);
        let module = AcceptedModule {
            owner: Owner::Builtin,
            summary: "Commands of a test".to_owned(),
            services: Vec::new(),
            http_hosts: HttpHosts::default(),
            commands: vec![command("note"), command("receipt")],
            events: Vec::new(),
            schedules: Vec::new(),
            withdrawn: Vec::new(),
            switched_off: Vec::new(),
            code: ["note", "receipt"].map(handler).into_iter().collect(),
            code_name: Some(CodeName::new("note", Some("1.0"), Digest([1; 32]))),
            run: None,
        };
        let registry = Arc::new(Registry::build(Checked { accepted: vec![module], ..Checked::default() }));
        let calls = ModuleCalls {
            registry: Arc::new(candor_engine::InForce::new(Arc::clone(&registry))),
            services: Arc::default(),
            deadline: Duration::from_secs(10),
        };
        let sealer = Sealer::new(&SigningKey::new([0; KEY_LENGTH]));
        let clock = Arc::new(Noon(Arc::clone(&day)));
        let executor = Executor::new(Arc::new(calls), Arc::clone(&store), clock, sealer);
        Self { store, day, registry, executor }
    }

    /// Runs a command and gives its receipt, if it ran.
    async fn run(&self, event: u64, caller: UserId, place: Place, name: &str) -> Option<Arc<Receipt>> {
        self.run_for(Origin::Person, event, caller, place, name).await
    }

    pub(crate) async fn run_for(
        &self,
        origin: Origin,
        event: u64,
        caller: UserId,
        place: Place,
        name: &str,
    ) -> Option<Arc<Receipt>> {
        let invocation = invocation(event, caller, place, name);
        let permit = match origin {
            Origin::Person => authorize(invocation, &self.registry, &Access::default()),
            Origin::Due => authorize_due(invocation, &self.registry, &Access::default(), "note", crate::store::NOW),
            Origin::Refresh => authorize_refresh(invocation, &self.registry, &Access::default()),
            Origin::Event => {
                authorize_event(invocation, &self.registry, &Access::default(), "note", person(caller), ChannelId(2))
            }
            Origin::Schedule => {
                authorize_schedule(invocation, &self.registry, &Access::default(), "note", ChannelId(2))
            }
            Origin::Model | Origin::Recovered => {
                let path = invocation.path.clone();
                let arguments = invocation.arguments.clone();
                let consent = Consent::given(person(caller), EventId(u64::MAX - event), path, arguments);
                authorize_for_model(invocation, &self.registry, &Access::default(), "qwen3:4b", Some(consent))
            }
        };
        match self
            .executor
            .run(permit.unwrap(), &Rules::default(), &Keeping::default())
            .await
            .answer()?
            .into_parts()
            .provenance
        {
            Provenance::Command(receipt) => Some(receipt),
            Provenance::Turn(_) | Provenance::Host => panic!("`/{name}` did not run"),
        }
    }
}

fn invocation(event: u64, caller: UserId, place: Place, name: &str) -> Invocation {
    Invocation {
        event: EventId(event),
        caller: person(caller),
        place,
        method: CallMethod::Picked,
        path: CommandPath::new(name, None),
        arguments: Map::from_iter([("text".to_owned(), json!(format!("words of {event}")))]),
    }
}

/// Answers with its argument and says where it found it.
fn handler(name: &str) -> Handler {
    let run = |arguments: Map<String, serde_json::Value>, _call| {
        // A file's name that no store can hold as it is.
        let source = Some(Source { name: "notes\0.txt".to_owned(), as_of: Some(noon() - Duration::from_secs(3)) });
        let reply = Reply { source, ..Reply::text(arguments["text"].to_string()) };
        std::future::ready(Ok(reply)).boxed()
    };
    Handler::new(name, Arc::new(run), Arc::new(|_| Ok(())))
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

async fn a_receipt_reads_back_as_it_was_minted_also_after_a_restart(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let mut receipts = Vec::new();
    for (event, origin) in [(7, Origin::Person), (8, Origin::Model), (10, Origin::Refresh)] {
        receipts.push(bot.run_for(origin, event, ANN, HERE, "note").await.unwrap());
    }
    bot.store.close().await;

    let store = trial.open().await;
    let codes: Vec<_> = receipts.iter().map(|receipt| receipt.facts().code.as_ref().unwrap().as_str()).collect();
    assert_eq!(codes, [format!("note 1.0 sha256:{}", "01".repeat(32)).as_str(); 3]);
    let confirmed = ModelCall { model: "qwen3:4b".to_owned(), confirm: Some(EventId(u64::MAX - 8)) };
    let models: Vec<_> = receipts.iter().map(|receipt| receipt.facts().model.as_ref()).collect();
    assert_eq!(models, [None, Some(&confirmed), None]);
    let mut digests = BTreeSet::new();
    for receipt in &receipts {
        let took = Duration::from_micros(receipt.facts().took.as_micros().try_into().unwrap());
        let found = store.find(receipt.id()).await.unwrap().unwrap();
        let expected = LedgerEntry {
            id: receipt.id(),
            facts: Facts { took, ..receipt.facts().clone() },
            has_arguments: true,
            digest: found.digest,
        };
        assert_eq!(found, expected);
        digests.insert(found.digest.0);
    }
    // Whoever guesses an answer does not find it confirmed.
    assert!(receipts.iter().all(|receipt| !digests.contains(&receipt.digest().0)));
    assert_eq!(digests.len(), receipts.len());
    assert_eq!(store.find(ReceiptId::from_number(1 << 40)).await.unwrap(), None);
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

/// 75 receipts are statements of 32, 8 and 1. One event was claimed before: it takes none of the others with it.
async fn receipts_of_answers_that_went_first_are_stored_together(trial: Trial) {
    let bot = Bot::new(&trial).await;
    for claimed in [None, Some(EventId(140))] {
        if let Some(event) = claimed {
            assert!(bot.store.claim(event, noon()).await.unwrap());
        }
        let first = if claimed.is_some() { 101 } else { 1 };
        let run = async |event| {
            let permit = authorize(invocation(event, ANN, HERE, "note"), &bot.registry, &Access::default()).unwrap();
            let keeping = Keeping::later();
            // On a shared database, a claimed event does not begin to run.
            let answer = bot.executor.run(permit, &Rules::default(), &keeping).await.answer()?;
            // On a database that processes share, a run begins in the store, and its receipt ends it.
            assert_ne!(keeping.is_storing(), bot.store.is_shared(), "the answer did not go first");
            let Provenance::Command(receipt) = answer.into_parts().provenance else { panic!("it did not run") };
            Some((receipt.id(), keeping.is_kept().await))
        };
        let ran = join_all((first..first + 75).map(run)).await;
        let mut n_stored = 0;
        for (id, is_kept) in ran.into_iter().flatten() {
            assert!(is_kept, "an answer would be taken back");
            n_stored += usize::from(bot.store.find(id).await.unwrap().is_some());
        }
        assert_eq!(n_stored, if claimed.is_some() { 74 } else { 75 });
    }
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
}

async fn the_last_receipt_is_of_this_caller_in_this_place(trial: Trial) {
    let bot = Bot::new(&trial).await;
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

async fn receipts_are_listed_newest_first_within_bounds_and_counted(trial: Trial) {
    let bot = Bot::new(&trial).await;
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

async fn of_very_many_receipts_the_newest_are_listed(trial: Trial) {
    let store = trial.open().await;
    store.append(&ran(1, "note")).await.unwrap();
    let receipt = ran(1, "note");
    let (caller, place) = (Caller::new(receipt.facts().caller, "somebody"), receipt.facts().place);
    let more = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1005) \
                INSERT INTO receipts (number, command, arguments, caller, place, started_ms, took_us, outcome, origin, \
                digest, link) SELECT 100 + n, command, '{}', caller, place, started_ms + n, 1, 'done', origin, digest, link \
                FROM numbers CROSS JOIN receipts WHERE number = 1 ORDER BY n DESC";
    trial.tamper(more).await;
    for (range, numbers) in [(0..2, vec![1_105, 1_104]), (998..1_002, vec![107, 106]), (1_000..1_010, vec![])] {
        let list = store.list(&caller, place, "/receipt", range).await.unwrap();
        let listed: Vec<_> = list.entries.iter().map(|entry| entry.id.number()).collect();
        assert_eq!((listed, list.total), (numbers, 1_000));
    }
    // Of one millisecond, the numbers say the order.
    trial.tamper("UPDATE receipts SET started_ms = 7").await;
    let list = store.list(&caller, place, "/receipt", 0..2).await.unwrap();
    assert_eq!(list.entries.iter().map(|entry| entry.id.number()).collect::<Vec<_>>(), [1_105, 1_104]);
}

async fn what_is_delivered_twice_runs_once(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let runs = join_all((0..10).map(|_delivery| bot.run(7, ANN, HERE, "note"))).await;
    assert_eq!(runs.iter().flatten().count(), 1);
}

async fn the_chain_holds_when_many_commands_end_at_once(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let runs = join_all((1..=30).map(|event| bot.run(event, ANN, HERE, "note"))).await;
    assert_eq!(runs.iter().flatten().count(), 30);
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
}

async fn whatever_is_changed_in_the_ledger_shows(trial: Trial) {
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
        ("UPDATE receipts SET digest = link WHERE position = 2", 2),
        ("UPDATE receipts SET link = digest WHERE position = 2", 2),
        ("DELETE FROM receipts WHERE position = 1", 2),
        ("DELETE FROM receipts WHERE position = 2", 3),
        ("UPDATE receipts SET position = 9 WHERE position = 2", 3),
    ];
    let bot = Bot::new(&trial).await;
    let mut event = 0;
    for (statement, position) in cases {
        let mut ids = Vec::new();
        for origin in [Origin::Person, Origin::Model, Origin::Person] {
            event += 1;
            ids.push(bot.run_for(origin, event, ANN, HERE, "note").await.unwrap().id());
        }
        assert_eq!(bot.store.verify_chain().await.unwrap(), None);
        trial.tamper(statement).await;
        assert_eq!(
            bot.store.verify_chain().await.unwrap(),
            Some(ChainBreak::Receipt(ids[position - 1])),
            "{statement}"
        );
        trial.tamper(trial.empty_ledger()).await;
    }
}

async fn m11_refreshes_are_in_no_list_and_slow_no_look(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let receipt = bot.run(1, ANN, HERE, "note").await.unwrap();
    for event in 2..5 {
        bot.run_for(Origin::Refresh, event, ANN, HERE, "note").await.unwrap();
    }
    let found = bot.store.list(&person(ANN), HERE, "/receipt", 0..10).await.unwrap();
    let ids: Vec<_> = found.entries.iter().map(|entry| entry.id).collect();
    assert_eq!((ids, found.total), (vec![receipt.id()], 1));
}

async fn a_chain_longer_than_a_page_holds_and_shows_where_it_breaks(trial: Trial) {
    let store = Arc::new(trial.open().await);
    let appended = (1..=1_100).map(|number| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.append(&ran(number, "note")).await.unwrap() })
    });
    join_all(appended).await.into_iter().for_each(Result::unwrap);
    assert_eq!(store.verify_chain().await.unwrap(), None);
    trial.tamper("UPDATE receipts SET arguments = '{\"a\":1}' WHERE position = 1050").await;
    let [number] = trial.numbers("SELECT number FROM receipts WHERE position = 1050").await[..] else {
        panic!("there are 1,100 receipts")
    };
    assert_eq!(
        store.verify_chain().await.unwrap(),
        Some(ChainBreak::Receipt(ReceiptId::from_number(number.cast_unsigned())))
    );
}
