//! What a command changes is stored with its receipt or not at all, and what a process leaves open is closed by the
//! next.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Map, json};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::support::executor::executor;
use candor_core::access::{Access, authorize};
use candor_core::contract::{
    Call, CommandError, DueCallId, DueCalls as _, LaterCall, NativeModule, NoArguments, Records, ServiceError,
};
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, EventId, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{Outcome, Receipt, ReceiptId};
use candor_core::reply::{Answer, Provenance, Reply};
use candor_core::router::Invocation;
use candor_engine::executor::{
    Beginning, Commit, Committed, Deferral, Executor, Intent, Keeping, Ledger, LeftRuns, OpenIntent, Teller, Telling,
};
use candor_engine::{LeftOpen, ReceiptBook as _};
use candor_store::Database;

const MANIFEST: &str = r#"
    [module]
    name = "trial"
    summary = "Commands that change things"
    services = ["records", "workspace", "time"]
    [commands."/read"]
    description = "Changes nothing"
    handler = "read"
    [commands."/count"]
    description = "Adds one to a number"
    handler = "count"
    writes = true
    [commands."/fail"]
    description = "Changes something and fails"
    handler = "fail"
    writes = true
    [commands."/later"]
    description = "Has itself called later and fails"
    handler = "later"
    writes = true
    [commands."/cancel"]
    description = "Removes the call that waits"
    handler = "cancel"
    writes = true
    [commands."/file"]
    description = "Writes a file and waits"
    handler = "file"
    writes = true
    [commands."/wait"]
    description = "Adds a record and waits"
    handler = "wait"
    writes = true
"#;

/// Signals between a test and a handler.
#[derive(Clone)]
struct Gate {
    reached: Arc<Semaphore>,
    go_on: Arc<Semaphore>,
    runs: Arc<AtomicU64>,
}

impl Gate {
    fn new() -> Self {
        let closed = || Arc::new(Semaphore::new(0));
        Self { reached: closed(), go_on: closed(), runs: Arc::default() }
    }

    /// Tells the test that the handler came here, and waits for it.
    async fn pass(&self) {
        self.reached.add_permits(1);
        self.go_on.acquire().await.unwrap().forget();
    }

    /// Waits until so many handlers came to where they wait.
    async fn reached(&self, handlers: u32) {
        self.reached.acquire_many(handlers).await.unwrap().forget();
    }

    fn go_on(&self, handlers: usize) {
        self.go_on.add_permits(handlers);
    }
}

fn module(gate: &Gate) -> NativeModule {
    let (counting, filing, waiting, cancelling) = (gate.clone(), gate.clone(), gate.clone(), gate.clone());
    NativeModule::new("trial", MANIFEST)
        .handler("read", async |_: NoArguments, call: Call| {
            let kept = call.services.records()?.list().await?;
            Ok(Reply::text(format!("{} records", kept.len())))
        })
        .handler("count", move |_: NoArguments, call: Call| {
            let gate = counting.clone();
            async move {
                let records = call.services.records()?;
                let (id, number) = match records.list().await?.into_iter().next() {
                    Some(kept) => kept,
                    None => (records.add(&json!(0), 1).await?, json!(0)),
                };
                // Both read the same number before either stores its own.
                if gate.runs.fetch_add(1, Ordering::Relaxed) < 2 {
                    gate.pass().await;
                }
                let next = json!(number.as_u64().unwrap_or_default() + 1);
                if !records.replace(id, &number, &next).await? {
                    return Err(CommandError::tell("changed meanwhile"));
                }
                Ok(Reply::text(next.to_string()))
            }
        })
        .handler("fail", async |_: NoArguments, call: Call| {
            call.services.records()?.add(&json!("never"), 9).await?;
            Err::<Reply, CommandError>(CommandError::tell("no"))
        })
        .handler("later", async |_: NoArguments, call: Call| {
            let (path, due) = (CommandPath::new("later", None), call.now + Duration::from_hours(1));
            let time = call.services.time()?;
            time.call_later(path, Map::new(), call.now, due).await?;
            Err::<Reply, CommandError>(CommandError::tell(format!("{} wait", time.waiting().await?.len())))
        })
        .handler("cancel", move |_: NoArguments, call: Call| {
            let gate = cancelling.clone();
            async move {
                let time = call.services.time()?;
                let Some(next) = time.waiting().await?.into_iter().next() else {
                    return Err(CommandError::tell("nothing waits"));
                };
                time.cancel(next.id).await?;
                // Both see the same call before either removes it.
                if gate.runs.fetch_add(1, Ordering::Relaxed) < 2 {
                    gate.pass().await;
                }
                Ok(Reply::text(format!("Removed {}.", next.id)))
            }
        })
        .handler("file", move |_: NoArguments, call: Call| {
            let gate = filing.clone();
            async move {
                let written = call.services.workspace()?.write("a.txt", "words").await;
                written.map_err(|problem| CommandError::tell(format!("{problem:?}")))?;
                gate.pass().await;
                Ok(Reply::text("written"))
            }
        })
        .handler("wait", move |_: NoArguments, call: Call| {
            let gate = waiting.clone();
            async move {
                let id = call.services.records()?.add(&json!("milk"), 9).await?;
                gate.pass().await;
                Ok(Reply::text(format!("Added {id}.")))
            }
        })
}

const HERE: Place = Place::Direct { channel: ChannelId(5) };

/// A process of the bot: an executor over the store in a folder.
struct Process {
    store: Arc<Database>,
    executor: Arc<Executor>,
}

/// A store whose commits wait for the test, and fail if they are to.
struct SlowCommits {
    store: Arc<Database>,
    gate: Gate,
    failing: Option<ServiceError>,
}

#[async_trait]
impl Ledger for SlowCommits {
    async fn commit(&self, commit: Commit) -> Result<Committed, ServiceError> {
        self.gate.pass().await;
        match &self.failing {
            Some(problem) => Err(problem.clone()),
            None => self.store.commit(commit).await,
        }
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    fn was_alone(&self) -> bool {
        self.store.was_alone()
    }

    async fn number(&self) -> Result<u64, ServiceError> {
        self.store.number().await
    }

    async fn release(&self, event: EventId) -> Result<(), ServiceError> {
        self.store.release(event).await
    }

    async fn claim(&self, event: EventId, at: SystemTime) -> Result<bool, ServiceError> {
        self.store.claim(event, at).await
    }

    async fn begin(&self, intent: Intent) -> Result<Beginning, ServiceError> {
        self.store.begin(intent).await
    }

    async fn leave_open(&self, intent: Intent, answer: String) -> Result<(), ServiceError> {
        self.store.leave_open(intent, answer).await
    }

    async fn shown(&self, event: EventId) -> Result<(), ServiceError> {
        self.store.shown(event).await
    }

    async fn open_intents(&self, left: LeftOpen) -> Result<Vec<OpenIntent>, ServiceError> {
        self.store.open_intents(left).await
    }

    async fn close_intent(&self, event: EventId, receipt: Option<Arc<Receipt>>) -> Result<bool, ServiceError> {
        self.store.close_intent(event, receipt).await
    }

    async fn call_again(&self, event: EventId, until: SystemTime) -> Result<(), ServiceError> {
        self.store.call_again(event, until).await
    }

    async fn commit_receipts(
        &self,
        commits: Vec<candor_engine::executor::ReceiptCommit>,
    ) -> Result<bool, ServiceError> {
        self.gate.pass().await;
        match &self.failing {
            Some(problem) => Err(problem.clone()),
            None => self.store.commit_receipts(commits).await,
        }
    }

    async fn keep_answer(&self, id: ReceiptId, content: &str, at: SystemTime) -> Result<(), ServiceError> {
        self.store.keep_answer(id, content, at).await
    }
}

impl Process {
    async fn start(folder: &TempDir, gate: &Gate) -> Self {
        Self::start_on(folder, gate, |store| store).await
    }

    async fn start_on(folder: &TempDir, gate: &Gate, ledger: impl FnOnce(Arc<Database>) -> Arc<dyn Ledger>) -> Self {
        let store = Arc::new(Database::open_file(&folder.path().join("candor.db")).await.unwrap());
        let executor = executor(module(gate), folder.path(), &store, ledger(store.clone()));
        Self { store, executor: Arc::new(executor) }
    }

    /// Ends the process in the middle of all that it does.
    async fn end(self) {
        self.store.close().await;
    }

    async fn run(&self, event: u64, command: &str, keeping: &Keeping) -> Option<Answer> {
        let invocation = Invocation {
            event: EventId(event),
            caller: Caller::new(UserId(7), "Ann"),
            place: HERE,
            method: CallMethod::Picked,
            path: CommandPath::new(command, None),
            arguments: Map::new(),
        };
        let permit = authorize(invocation, &self.executor.registry.now(), &Access::default()).unwrap();
        self.executor.run(permit, &Rules::default(), keeping).await.answer()
    }

    /// A run that goes on beside the test.
    fn begin(&self, event: u64, command: &'static str) -> tokio::task::JoinHandle<Option<Answer>> {
        let process = Self { store: self.store.clone(), executor: self.executor.clone() };
        tokio::spawn(async move { process.run(event, command, &Keeping::default()).await })
    }

    /// A run whose answer is deferred, and which its process does not end.
    async fn defers_and_never_ends(&self, event: u64, token: &str, gate: &Gate) {
        let run = self.begin(event, "wait");
        gate.reached(1).await;
        assert_eq!(self.executor.deferred(EventId(event), token).await, Deferral::Recorded);
        run.abort();
    }

    /// The calls that wait.
    async fn waiting(&self) -> Vec<DueCallId> {
        let waiting = self.store.waiting("trial", &HERE.scope(), UserId(7)).await.unwrap();
        waiting.into_iter().map(|due| due.id).collect()
    }

    async fn records(&self) -> Vec<serde_json::Value> {
        let kept = Records::list(&*self.store, "trial", &HERE.scope()).await.unwrap();
        kept.into_iter().map(|(_, body)| body).collect()
    }

    /// What this process tells the people of those before it, and how many runs it closes.
    async fn told(&self) -> (usize, Vec<(String, String)>) {
        let told = Told::default();
        let left = self.executor.close_interrupted(&told).await.unwrap();
        assert_eq!(left.n_waiting, 0);
        (left.n_closed, told.0.into_inner().unwrap())
    }
}

/// Who is told what. A token that begins with `once` shows each text that is told by it.
#[derive(Default)]
struct Told(Mutex<Vec<(String, String)>>);

#[async_trait]
impl Teller for Told {
    fn may_repeat(&self, token: &str) -> bool {
        !token.starts_with("once")
    }

    async fn tell(&self, token: &str, text: &str) -> Telling {
        self.0.lock().unwrap().push((token.to_owned(), text.to_owned()));
        Telling::Shown
    }
}

fn outcome(answer: &Answer) -> (Outcome, ReceiptId, bool) {
    let Provenance::Command(receipt) = &answer.provenance else { panic!("it did not run: {answer:?}") };
    (receipt.facts().outcome, receipt.id(), receipt.is_kept())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_refuses_or_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder, &Gate::new()).await;
    let answer = process.run(1, "fail", &Keeping::default()).await.unwrap();
    let (outcome, id, is_kept) = outcome(&answer);
    assert_eq!((outcome, is_kept), (Outcome::Refused, true));
    assert!(process.store.find(id).await.unwrap().is_some());
    assert_eq!(process.records().await, [] as [serde_json::Value; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_change_the_same_record_at_once_both_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    gate.runs.store(9, Ordering::Relaxed);
    process.run(1, "count", &Keeping::default()).await.unwrap();
    gate.runs.store(0, Ordering::Relaxed);

    let (first, second) = (process.begin(2, "count"), process.begin(3, "count"));
    gate.reached(2).await;
    gate.go_on(2);
    let answers = [first.await.unwrap().unwrap(), second.await.unwrap().unwrap()];
    let mut said: Vec<_> = answers.iter().map(|answer| answer.reply.text.clone()).collect();
    said.sort();
    assert_eq!(said, ["2", "3"]);
    assert_eq!(process.records().await, [json!(3)]);
    assert_eq!(gate.runs.load(Ordering::Relaxed), 3, "the one whose number was taken ran again");
    for answer in &answers {
        assert_eq!(outcome(answer).0, Outcome::Done);
    }
    assert_eq!(process.store.verify_chain().await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_has_nothing_called_later() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder, &Gate::new()).await;
    let answer = process.run(1, "later", &Keeping::default()).await.unwrap();
    assert_eq!((outcome(&answer).0, answer.reply.text.as_str()), (Outcome::Refused, "1 wait"));
    assert_eq!(process.waiting().await, [] as [DueCallId; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_remove_the_same_later_call_at_once_one_is_told_that_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    let call = LaterCall {
        module: "trial".to_owned(),
        caller: Caller::new(UserId(7), "Ann"),
        place: HERE,
        path: CommandPath::new("later", None),
        arguments: Map::new(),
        due: SystemTime::now() + Duration::from_hours(1),
    };
    let id = process.store.call_later(&call).await.unwrap();

    let (first, second) = (process.begin(2, "cancel"), process.begin(3, "cancel"));
    gate.reached(2).await;
    gate.go_on(2);
    let answers = [first.await.unwrap().unwrap(), second.await.unwrap().unwrap()];
    let mut said: Vec<_> = answers.iter().map(|answer| (outcome(answer).0, answer.reply.text.clone())).collect();
    said.sort_by_key(|(_, text)| text.len());
    let removed = format!("Removed {id}.");
    assert_eq!(said, [(Outcome::Done, removed), (Outcome::Refused, "nothing waits".to_owned())]);
    assert_eq!(process.waiting().await, [] as [DueCallId; 0]);
    assert_eq!(gate.runs.load(Ordering::Relaxed), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_comes_twice_runs_once_while_it_runs_and_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    let first = process.begin(1, "wait");
    gate.reached(1).await;
    assert_eq!(process.run(1, "wait", &Keeping::default()).await, None, "it is under way");
    gate.go_on(1);
    assert_eq!(first.await.unwrap().unwrap().reply.text, "Added 1.");
    gate.go_on(1);
    assert_eq!(process.run(1, "wait", &Keeping::default()).await, None, "it is claimed");
    assert_eq!(process.records().await, [json!("milk")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_receipt_of_a_command_that_changes_nothing_may_come_after_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder, &Gate::new()).await;
    let keeping = Keeping::later();
    let (_, id, _) = outcome(&process.run(1, "read", &keeping).await.unwrap());
    assert!(keeping.is_kept().await);
    assert!(process.store.find(id).await.unwrap().is_some());
    assert_eq!(process.run(1, "read", &Keeping::later()).await, None, "it is claimed");

    // A store that fails meanwhile: the answer was given, and whoever gave it learns that it has no receipt.
    process.run(2, "read", &Keeping::default()).await.unwrap();
    process.store.close().await;
    let keeping = Keeping::later();
    match process.run(3, "read", &keeping).await {
        // The handler reads records, so it may fail too; it says so.
        Some(answer) => assert_ne!(outcome(&answer).0, Outcome::Done),
        None => panic!("nobody answers"),
    }
    assert!(!keeping.is_kept().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_answer_one_event_neither_takes_its_answer_back() {
    // One takes over from the other on the same file, and Discord delivers the event to both.
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (Process::start(&folder, &Gate::new()).await, Process::start(&folder, &Gate::new()).await);
    let (keeping, keeping_of_other) = (Keeping::later(), Keeping::later());
    let answers = tokio::join!(one.run(1, "read", &keeping), other.run(1, "read", &keeping_of_other));
    let ids = [answers.0, answers.1].map(|answer| outcome(&answer.unwrap()).1);
    assert!(keeping.is_kept().await && keeping_of_other.is_kept().await, "an answer was taken back");
    let mut n_kept = 0;
    for id in ids {
        n_kept += usize::from(one.store.find(id).await.unwrap().is_some());
    }
    assert_eq!(n_kept, 1);
    assert_eq!(one.store.verify_chain().await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_deferred_before_its_run_begins_is_told_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    for event in [1, 2] {
        let deferral = process.executor.deferred(EventId(event), &format!("token {event}")).await;
        assert_eq!(deferral, Deferral::Recorded);
    }
    // The second was answered without a run.
    process.executor.forget_deferred(EventId(2));
    for event in [1, 2] {
        let run = process.begin(event, "wait");
        gate.reached(1).await;
        run.abort();
    }
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let nothing = say!(Language::ENGLISH, "interrupted-nothing", command = "/wait");
    let expected = format!("{nothing}\n-# {}", ReceiptId::from_number(1));
    assert_eq!(next.told().await, (1, vec![("token 1".to_owned(), expected)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_interrupted_before_its_commit_changed_nothing_and_its_person_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    process.defers_and_never_ends(1, "token 1", &gate).await;
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let (closed, told) = next.told().await;
    let nothing = say!(Language::ENGLISH, "interrupted-nothing", command = "/wait");
    let expected = format!("{nothing}\n-# {}", ReceiptId::from_number(1));
    assert_eq!((closed, told), (1, vec![("token 1".to_owned(), expected)]));
    assert_eq!(next.records().await, [] as [serde_json::Value; 0]);
    let entry = next.store.find(ReceiptId::from_number(1)).await.unwrap().unwrap();
    assert_eq!((entry.facts.outcome, entry.facts.command.as_str()), (Outcome::Interrupted, "/wait"));
    assert_eq!(next.told().await, (0, Vec::new()), "it is told once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_told_of_also_if_the_clock_was_set_back_and_one_that_cannot_be_closed_holds_up_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    process.defers_and_never_ends(1, "token 1", &gate).await;
    process.end().await;
    // As many as are read at once, and more, of which one has the number of a receipt that is there.
    let database = rusqlite::Connection::open(folder.path().join("candor.db")).unwrap();
    let ahead = "UPDATE intents SET begun_ms = begun_ms + 86400000";
    assert_eq!(database.execute(ahead, ()).unwrap(), 1);
    let more = "WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 150) INSERT INTO intents \
                SELECT n, iif(n < 4, 900, 100 + n), command, arguments, caller, language, place, begun_ms, origin, \
                is_outside, NULL, answer, lessee, code, model, confirm FROM intents, n";
    assert_eq!(database.execute(more, ()).unwrap(), 149);

    let next = Process::start(&folder, &gate).await;
    let told = Told::default();
    assert!(next.executor.close_interrupted(&told).await.is_err());
    assert_eq!(told.0.into_inner().unwrap().len(), 1);
    let left = database.query_row("SELECT count(*), min(event) FROM intents", (), |row| Ok((row.get(0)?, row.get(1)?)));
    assert_eq!(left.unwrap(), (1, 3));
}

/// Discord, for as long as it takes nothing.
struct Away(Telling);

#[async_trait]
impl Teller for Away {
    fn may_repeat(&self, _: &str) -> bool {
        true
    }

    async fn tell(&self, _: &str, _: &str) -> Telling {
        self.0
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_stays_open_until_its_caller_is_told_or_never_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    for event in [1, 2] {
        process.defers_and_never_ends(event, "token", &gate).await;
    }
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let close = async |telling| next.executor.close_interrupted(&Away(telling)).await.unwrap();
    assert_eq!(close(Telling::NotNow).await, LeftRuns { n_closed: 0, n_waiting: 2 });
    assert_eq!(close(Telling::Never).await, LeftRuns { n_closed: 2, n_waiting: 0 });
    assert_eq!(close(Telling::NotNow).await, LeftRuns::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_processes_that_close_a_run_one_tells_what_cannot_be_told_twice() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    process.defers_and_never_ends(1, "once 1", &gate).await;
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let told = Told::default();
    // Both have read that it is open before either closes it.
    let open =
        next.store.open_intents(LeftOpen::all(SystemTime::now(), Duration::from_mins(1))).await.unwrap().pop().unwrap();
    let close = || next.executor.close_one(open.clone(), SystemTime::now(), &told);
    let (first, second) = tokio::join!(close(), close());
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(told.0.into_inner().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_wrote_a_file_and_was_interrupted_may_or_may_not_have_happened() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    let run = process.begin(1, "file");
    gate.reached(1).await;
    run.abort();
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    // Its answer was not deferred, so there is nobody who can be told any more.
    assert_eq!(next.told().await, (1, Vec::new()));
    let entry = next.store.find(ReceiptId::from_number(1)).await.unwrap().unwrap();
    assert_eq!(entry.facts.outcome, Outcome::Unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_stored_and_not_shown_is_told_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new();
    let process = Process::start(&folder, &gate).await;
    for event in [1, 2] {
        let run = process.begin(event, "wait");
        gate.reached(1).await;
        let deferral = process.executor.deferred(EventId(event), &format!("token {event}")).await;
        assert_eq!(deferral, Deferral::Recorded);
        gate.go_on(1);
        run.await.unwrap().unwrap();
    }
    process.executor.shown(EventId(1)).await;
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let (closed, told) = next.told().await;
    let done = say!(Language::ENGLISH, "interrupted-done", command = "/wait");
    let expected = format!("{done}\nAdded 2.\n-# {}", ReceiptId::from_number(2));
    assert_eq!((closed, told), (1, vec![("token 2".to_owned(), expected)]));
    assert_eq!(next.records().await, [json!("milk"), json!("milk")]);
}

/// Asks beside the test to have a deferral written down, and lets it begin.
async fn defer_meanwhile(process: &Process, event: u64) -> tokio::task::JoinHandle<Deferral> {
    let (begun, executor) = (Arc::new(Semaphore::new(0)), process.executor.clone());
    let deferring = tokio::spawn({
        let begun = begun.clone();
        async move {
            let token = format!("token {event}");
            let mut deferring = std::pin::pin!(executor.deferred(EventId(event), &token));
            // Asked once, it is on its way.
            assert!(futures_util::poll!(&mut deferring).is_pending());
            begun.add_permits(1);
            deferring.await
        }
    });
    begun.acquire().await.unwrap().forget();
    deferring
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_deferred_during_its_commit_is_told_by_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let (gate, commits) = (Gate::new(), Gate::new());
    gate.go_on(9);
    let slow = |store| -> Arc<dyn Ledger> { Arc::new(SlowCommits { store, gate: commits.clone(), failing: None }) };
    let process = Process::start_on(&folder, &gate, slow).await;
    let run = process.begin(1, "wait");
    commits.reached(1).await;
    let deferring = defer_meanwhile(&process, 1).await;
    commits.go_on(1);
    run.await.unwrap().unwrap();
    deferring.abort();
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let done = say!(Language::ENGLISH, "interrupted-done", command = "/wait");
    let expected = format!("{done}\nAdded 1.\n-# {}", ReceiptId::from_number(1));
    assert_eq!(next.told().await, (1, vec![("token 1".to_owned(), expected)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_fails_is_told_as_what_it_was() {
    let nothing = |command| say!(Language::ENGLISH, "failed-store", command = command);
    let perhaps = |command| say!(Language::ENGLISH, "failed-not-stored", command = command);
    for (command, failing, said, ended) in [
        ("wait", ServiceError::DiskFull, nothing("/wait"), Outcome::Failed),
        ("wait", ServiceError::Store("the server went away".to_owned()), perhaps("/wait"), Outcome::Unknown),
        // The file is written, whatever becomes of its receipt.
        ("file", ServiceError::DiskFull, perhaps("/file"), Outcome::Unknown),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let gate = Gate::new();
        gate.go_on(9);
        let failing = Some(failing);
        let full = |store| -> Arc<dyn Ledger> { Arc::new(SlowCommits { store, gate: gate.clone(), failing }) };
        let process = Process::start_on(&folder, &gate, full).await;
        let answer = process.run(1, command, &Keeping::default()).await.unwrap();
        let (outcome, _, is_kept) = outcome(&answer);
        assert_eq!((outcome, is_kept), (ended, false), "{command}");
        assert_eq!(answer.reply.text, said);
        assert_eq!(process.records().await, [] as [serde_json::Value; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_deferred_during_a_commit_that_fails_is_told_after_the_next_try() {
    let folder = tempfile::tempdir().unwrap();
    let (gate, commits) = (Gate::new(), Gate::new());
    let slow = |store| -> Arc<dyn Ledger> { Arc::new(SlowCommits { store, gate: commits.clone(), failing: None }) };
    let process = Process::start_on(&folder, &gate, slow).await;
    gate.go_on(1);
    commits.go_on(1);
    process.run(1, "count", &Keeping::default()).await.unwrap();
    gate.reached(1).await;
    commits.reached(1).await;

    // While it is committed, somebody else changes what it read: it runs again.
    gate.go_on(1);
    let run = process.begin(2, "count");
    gate.reached(1).await;
    commits.reached(1).await;
    let deferring = defer_meanwhile(&process, 2).await;
    assert!(process.store.replace("trial", &HERE.scope(), 1, &json!(1), &json!(7)).await.unwrap());
    commits.go_on(1);
    commits.reached(1).await;
    // It is killed in its second commit.
    run.abort();
    deferring.abort();
    process.end().await;

    let next = Process::start(&folder, &gate).await;
    let nothing = say!(Language::ENGLISH, "interrupted-nothing", command = "/count");
    let expected = format!("{nothing}\n-# {}", ReceiptId::from_number(2));
    assert_eq!(next.told().await, (1, vec![("token 2".to_owned(), expected)]));
    assert_eq!(next.records().await, [json!(7)]);
}
