//! What may be done with a turn when it is over: run what was offered under its reply, and look at what the model said.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::InForce;
use crate::chat::{Budgets, Chat, Pictures, Talker};
use crate::clock::Clock;
use crate::executor::{
    Beginning, Charts, Commit, Committed, CooldownStore, Executor, Intent, Keeping, Ledger, ModuleCalls, OpenIntent,
    Wait,
};
use crate::{KEY_LENGTH, Leases, LeftOpen, Sealer, SigningKey};
use candor_core::access::{Access, CooldownKey, authorize};
use candor_core::agent::{
    Budget, BudgetSettings, ChatSettings, ConversationKey, Conversations, Day, Exchange, Generation, Generations,
    Spending, Spent, Spoken, Subject, Tokens, Turns,
};
use candor_core::contract::{Call, CommandError, NativeModule, NoArguments, ServiceError, check};
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, CommandType, EventId, GuildId, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{
    CallRecord, GuardFinding, KeptTurn, OfferedRun, Receipt, ReceiptId, ReplyButton, TurnId, TurnRecord,
};
use candor_core::registry::Registry;
use candor_core::reply::Mark;
use candor_core::reply::{Answer, Author, PreparedCall, Provenance, Reply, TurnFacts};
use candor_core::router::{ChatText, Invocation};

const ANN: UserId = UserId(7);
const BEN: UserId = UserId(8);
const OPERATOR: UserId = UserId(9);
const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// Ann's turn, and the message that shows its reply.
const TURN: TurnId = TurnId(3);
const MESSAGE: u64 = 30;

const MANIFEST: &str = r#"
[module]
name = "trial"
summary = "Commands to offer"
[commands."/memory"]
description = "Remembers"
[commands."/memory".subcommands.save]
description = "Saves"
handler = "save"
tool = true
writes = true
[commands."/status"]
description = "Answers"
handler = "status"
tool = true
[commands."/broken"]
description = "Fails"
handler = "broken"
"#;

#[derive(Deserialize, JsonSchema)]
struct Saved {
    /// What
    content: String,
}

/// There is room for one short memory.
async fn save(saved: Saved, _: Call) -> Result<Reply, CommandError> {
    match saved.content.len() {
        0..=20 => Ok(Reply::text("saved")),
        _ => Err(CommandError::tell("There is no room.")),
    }
}
async fn status(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("fine"))
}
async fn broken(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Err(std::io::Error::other("broken").into())
}

/// A store with one turn.
struct Store {
    kept: KeptTurn,
    used: Mutex<Vec<ReplyButton>>,
    /// The turns after it.
    later: Mutex<Vec<TurnRecord>>,
    n_numbers: AtomicU64,
    fails: AtomicBool,
    /// A permit lets one conversation be cleared.
    clears: Semaphore,
}

impl Store {
    /// The turn, if it is asked for by its right name.
    fn kept(&self, is_it: bool) -> Result<Option<KeptTurn>, ServiceError> {
        match self.fails.load(Ordering::Relaxed) {
            true => Err(ServiceError::Store("the disk is full".to_owned())),
            false => Ok(is_it.then(|| self.kept.clone())),
        }
    }
}

#[async_trait]
impl Turns for Store {
    async fn keep(
        &self,
        _: UserId,
        _: Place,
        _: Generation,
        _: SystemTime,
        _: &TurnRecord,
    ) -> Result<Option<TurnId>, ServiceError> {
        unreachable!("no turn begins")
    }

    async fn shown(&self, _: TurnId, _: &[u64]) -> Result<(), ServiceError> {
        unreachable!("no reply is shown")
    }

    async fn turn(&self, id: TurnId) -> Result<Option<KeptTurn>, ServiceError> {
        self.kept(id == TURN)
    }

    async fn turn_of_message(&self, message: u64) -> Result<Option<KeptTurn>, ServiceError> {
        self.kept(message == MESSAGE)
    }

    async fn turns_of_messages(&self, _: &[u64]) -> Result<Vec<KeptTurn>, ServiceError> {
        unreachable!("no message is deleted")
    }

    async fn messages_of(&self, turn: TurnId) -> Result<Vec<u64>, ServiceError> {
        assert_eq!(turn, TURN);
        Ok(vec![MESSAGE, MESSAGE + 1])
    }

    async fn last_turn(&self, _: UserId, _: Place) -> Result<Option<KeptTurn>, ServiceError> {
        unreachable!("nobody asks for the last turn")
    }

    async fn turns_after(
        &self,
        _: TurnId,
        _: Option<UserId>,
        _: Place,
        _: usize,
    ) -> Result<Vec<KeptTurn>, ServiceError> {
        let later = self.later.lock().unwrap().clone();
        Ok(later.into_iter().map(|record| KeptTurn { record, ..self.kept.clone() }).collect())
    }

    async fn claim_button(&self, turn: TurnId, button: ReplyButton) -> Result<bool, ServiceError> {
        assert_eq!(turn, TURN);
        let mut used = self.used.lock().unwrap();
        let is_free = !used.contains(&button);
        used.extend(is_free.then_some(button));
        Ok(is_free)
    }

    async fn release_button(&self, turn: TurnId, button: ReplyButton) -> Result<(), ServiceError> {
        assert_eq!(turn, TURN);
        self.used.lock().unwrap().retain(|used| *used != button);
        Ok(())
    }
}

#[async_trait]
impl Ledger for Store {
    fn is_shared(&self) -> bool {
        false
    }

    fn was_alone(&self) -> bool {
        true
    }

    async fn number(&self) -> Result<u64, ServiceError> {
        Ok(self.n_numbers.fetch_add(1, Ordering::Relaxed))
    }

    async fn release(&self, _: EventId) -> Result<(), ServiceError> {
        Ok(())
    }

    async fn claim(&self, _: EventId, _: SystemTime) -> Result<bool, ServiceError> {
        Ok(true)
    }

    async fn commit(&self, _: Commit) -> Result<Committed, ServiceError> {
        Ok(Committed::Committed)
    }

    async fn begin(&self, _: Intent) -> Result<Beginning, ServiceError> {
        Ok(Beginning::Begun)
    }

    async fn leave_open(&self, _: Intent, _: String) -> Result<(), ServiceError> {
        Ok(())
    }

    async fn shown(&self, _: EventId) -> Result<(), ServiceError> {
        Ok(())
    }

    async fn open_intents(&self, _: LeftOpen) -> Result<Vec<OpenIntent>, ServiceError> {
        Ok(Vec::new())
    }

    async fn close_intent(&self, _: EventId, _: Option<Arc<Receipt>>) -> Result<bool, ServiceError> {
        Ok(false)
    }

    async fn call_again(&self, _: EventId, _: SystemTime) -> Result<(), ServiceError> {
        Ok(())
    }

    async fn commit_receipts(&self, _: Vec<crate::executor::ReceiptCommit>) -> Result<bool, ServiceError> {
        unreachable!()
    }

    async fn keep_answer(&self, _: ReceiptId, _: &str, _: SystemTime) -> Result<(), ServiceError> {
        unreachable!("every answer is shown")
    }
}

#[async_trait]
impl CooldownStore for Store {
    async fn waiting(&self, _: EventId, _: &[CooldownKey], _: SystemTime) -> Result<Option<Wait>, ServiceError> {
        Ok(None)
    }
}

#[async_trait]
impl Spending for Store {
    async fn begin_turn(&self, _: Day, _: Vec<Budget>) -> Result<Option<Subject>, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn add_tokens(&self, _: Day, _: &[Subject], _: Tokens) -> Result<(), ServiceError> {
        unreachable!("nobody chats")
    }

    async fn spent(&self, _: Day, _: Subject) -> Result<Spent, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn warns_first(&self, _: Day) -> Result<bool, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn largest(&self, _: Day, _: usize) -> Result<Vec<(Subject, Spent)>, ServiceError> {
        unreachable!("nobody chats")
    }
}

#[async_trait]
impl Leases for Store {
    async fn take_lease(&self, _: &str, _: Duration, _: SystemTime) -> Result<bool, ServiceError> {
        Ok(true)
    }

    async fn give_back_lease(&self, _: &str) -> Result<(), ServiceError> {
        Ok(())
    }
}

#[async_trait]
impl Conversations for Store {
    async fn generation(&self, _: &ConversationKey) -> Result<Generation, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn history(&self, _: &ConversationKey, _: usize) -> Result<Vec<Exchange>, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn n_exchanges(&self, _: &ConversationKey) -> Result<u64, ServiceError> {
        Ok(1)
    }

    async fn append(
        &self,
        _: &ConversationKey,
        _: Generation,
        _: &ChatText,
        _: &str,
        _: SystemTime,
    ) -> Result<bool, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn append_spoken(&self, _: &Generations, _: &[Spoken], _: &str, _: SystemTime) -> Result<bool, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn clear_part(&self, _: Place, _: UserId) -> Result<u64, ServiceError> {
        Ok(0)
    }

    async fn clear(&self, _: &ConversationKey) -> Result<u64, ServiceError> {
        self.clears.acquire().await.unwrap().forget();
        Ok(2)
    }

    async fn model(&self, _: &ConversationKey) -> Result<Option<String>, ServiceError> {
        unreachable!("nobody chats")
    }

    async fn choose_model(&self, _: &ConversationKey, _: &str) -> Result<(), ServiceError> {
        unreachable!("nobody chats")
    }
}

struct AtTheBeginning;

impl Clock for AtTheBeginning {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }
}

/// A chat whose store holds Ann's turn with this record. Ben is blocked if `blocked` names him.
fn chat_with(record: TurnRecord, blocked: &[UserId]) -> (Arc<Store>, Chat) {
    let module =
        NativeModule::new("trial", MANIFEST).handler("save", save).handler("status", status).handler("broken", broken);
    let checked = check(crate::builtin::module(), vec![module], Vec::new());
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    let kept = KeptTurn { id: TURN, user: ANN, place: HERE, at: UNIX_EPOCH, record };
    let (n_numbers, fails) = (AtomicU64::new(1), AtomicBool::new(false));
    let store = Arc::new(Store {
        kept,
        used: Mutex::default(),
        later: Mutex::default(),
        n_numbers,
        fails,
        clears: Semaphore::new(0),
    });
    let access = Access {
        operators: BTreeSet::from([OPERATOR]),
        blocked: blocked.iter().copied().collect(),
        ..Access::default()
    };
    let calls = ModuleCalls {
        registry: Arc::new(InForce::new(Arc::new(Registry::build(checked)))),
        services: Arc::default(),
        deadline: Duration::from_secs(60),
    };
    let sealer = Sealer::new(&SigningKey::new([0; KEY_LENGTH]));
    let executor = Executor::new(Arc::new(calls), store.clone(), Arc::new(AtTheBeginning), sealer);
    let chat = Chat {
        model: None,
        talker: Arc::new(Talker::new(&ChatSettings::default(), store.clone())),
        settings: ChatSettings::default(),
        access,
        executor: Arc::new(executor),
        conversations: store.clone(),
        turns: store.clone(),
        leases: store.clone(),
        budgets: Arc::new(Budgets::new(BudgetSettings::default(), Arc::default(), store.clone())),
        charts: Charts::default(),
        pictures: Pictures::default(),
        summaries: None,
        told_of_calls_in_text: AtomicBool::new(false),
    };
    (store, chat)
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn offer(command: &str, arguments: Value, writes: bool) -> OfferedRun {
    OfferedRun { command: command.to_owned(), arguments: object(arguments), writes }
}

/// A turn under whose reply these are offered.
fn offering(offers: &[OfferedRun]) -> (Arc<Store>, Chat) {
    chat_with(TurnRecord { offers: offers.to_vec(), ..TurnRecord::default() }, &[])
}

fn person(id: UserId) -> Caller {
    Caller::new(id, "somebody")
}

fn call(names: &[&str], arguments: Value) -> PreparedCall {
    PreparedCall {
        path: CommandPath::at(CommandType::Slash, names),
        arguments: object(arguments),
        in_place: false,
        once: false,
        for_everyone: false,
    }
}

fn save_tea() -> OfferedRun {
    offer("/memory save", json!({"content": "likes tea"}), true)
}

/// Runs a command as its person's own.
async fn run(chat: &Chat, call: PreparedCall) -> Option<Answer> {
    let invocation = Invocation {
        event: EventId(1),
        caller: person(ANN),
        place: HERE,
        method: CallMethod::Pressed,
        path: call.path,
        arguments: call.arguments,
    };
    let Ok(permit) = authorize(invocation, &chat.executor.registry.now(), &chat.access) else {
        panic!("it may not run")
    };
    chat.executor.run(permit, &Rules::default(), &Keeping::default()).await.answer()
}

fn n_recovered(chat: &Chat) -> u64 {
    let page = chat.executor.counters.findings.read();
    page.into_iter().find(|(finding, _)| *finding == GuardFinding::Recovered).unwrap().1
}

macro_rules! english {
    ($key:literal) => {
        say!(Language::ENGLISH, $key)
    };
}

/// The command that a person takes from under the reply.
async fn offered(chat: &Chat, turn: TurnId, place: usize, user: UserId) -> Result<PreparedCall, String> {
    chat.offered(turn, place, &person(user)).await.map(|(call, _)| call)
}

#[tokio::test]
async fn what_was_offered_is_for_its_person_and_has_a_place() {
    let (_, chat) = offering(&[save_tea(), offer("/status", json!({}), false)]);
    assert_eq!(offered(&chat, TURN, 1, ANN).await, Ok(call(&["status"], json!({}))));
    let save = PreparedCall { once: true, ..call(&["memory", "save"], json!({"content": "likes tea"})) };
    assert_eq!(offered(&chat, TURN, 0, ANN).await, Ok(save));
    let cases = [
        (TURN, 2, ANN, english!("run-nothing")),
        (TURN, 0, BEN, english!("run-not-theirs")),
        (TurnId(99), 0, ANN, english!("run-not-theirs")),
    ];
    for (turn, place, user, told) in cases {
        assert_eq!(offered(&chat, turn, place, user).await, Err(told), "{turn:?} {place} {user}");
    }
}

#[tokio::test]
async fn whoever_is_blocked_since_runs_nothing_and_a_store_that_fails_says_so() {
    let record = TurnRecord { offers: vec![save_tea()], ..TurnRecord::default() };
    let (store, chat) = chat_with(record.clone(), &[ANN]);
    assert_eq!(offered(&chat, TURN, 0, ANN).await, Err(english!("run-blocked")));
    assert_eq!(*store.used.lock().unwrap(), [], "nothing is taken");

    let (store, chat) = chat_with(record, &[]);
    store.fails.store(true, Ordering::Relaxed);
    assert_eq!(offered(&chat, TURN, 0, ANN).await, Err(english!("run-store")));
}

#[tokio::test]
async fn a_change_can_be_taken_once_and_a_read_again_and_again() {
    let (_, chat) = offering(&[save_tea(), offer("/status", json!({}), false)]);
    assert!(chat.offered(TURN, 0, &person(ANN)).await.is_ok());
    assert_eq!(offered(&chat, TURN, 0, ANN).await, Err(english!("run-before")));
    for _ in 0..3 {
        assert_eq!(offered(&chat, TURN, 1, ANN).await, Ok(call(&["status"], json!({}))));
    }
}

#[tokio::test]
async fn each_change_of_a_reply_can_be_taken_whatever_became_of_the_others() {
    let save_milk = offer("/memory save", json!({"content": "likes milk"}), true);
    let (_, chat) = offering(&[save_tea(), save_milk]);
    let (call, taken) = chat.offered(TURN, 0, &person(ANN)).await.unwrap();
    assert!(offered(&chat, TURN, 1, ANN).await.is_ok());
    let answer = run(&chat, call).await;
    chat.offered_ended(taken, answer.as_ref()).await;
    for place in [0, 1] {
        assert_eq!(offered(&chat, TURN, place, ANN).await, Err(english!("run-before")));
    }
}

#[tokio::test]
async fn a_change_that_lacks_an_argument_is_not_yet_taken_because_a_modal_asks_first() {
    let (store, chat) = offering(&[offer("/memory save", json!({}), true)]);
    for _ in 0..2 {
        let save = PreparedCall { once: true, ..call(&["memory", "save"], json!({})) };
        assert_eq!(offered(&chat, TURN, 0, ANN).await, Ok(save));
    }
    assert_eq!(*store.used.lock().unwrap(), []);
}

#[tokio::test]
async fn what_was_saved_stays_taken_and_is_counted() {
    let (_, chat) = offering(&[save_tea()]);
    let (call, taken) = chat.offered(TURN, 0, &person(ANN)).await.unwrap();
    let answer = run(&chat, call).await;
    chat.offered_ended(taken, answer.as_ref()).await;
    assert_eq!(n_recovered(&chat), 1);
    assert_eq!(offered(&chat, TURN, 0, ANN).await, Err(english!("run-before")));
}

#[tokio::test]
async fn what_was_refused_or_did_not_run_can_be_taken_again_and_what_failed_cannot() {
    let too_long = "a very long story about tea";
    let refused = call(&["memory", "save"], json!({"content": too_long}));
    let cases = [(Some(refused), true), (None, true), (Some(call(&["broken"], json!({}))), false)];
    for (ran, again) in cases {
        let (_, chat) = offering(&[save_tea()]);
        let (_, taken) = chat.offered(TURN, 0, &person(ANN)).await.unwrap();
        let answer = match ran.clone() {
            Some(call) => run(&chat, call).await,
            None => None,
        };
        chat.offered_ended(taken, answer.as_ref()).await;
        assert_eq!(n_recovered(&chat), 0, "{ran:?}");
        assert_eq!(chat.offered(TURN, 0, &person(ANN)).await.is_ok(), again, "{ran:?}");
    }
    // An answer of the host alone, such as a cooldown, is no run.
    let (_, chat) = offering(&[save_tea()]);
    let (_, taken) = chat.offered(TURN, 0, &person(ANN)).await.unwrap();
    let denied = Answer::host("Wait a moment.");
    assert_eq!(denied.provenance, Provenance::Host);
    chat.offered_ended(taken, Some(&denied)).await;
    assert!(chat.offered(TURN, 0, &person(ANN)).await.is_ok());
}

#[tokio::test]
async fn what_became_of_a_read_does_not_free_a_change() {
    let (_, chat) = offering(&[save_tea(), offer("/status", json!({}), false)]);
    chat.offered(TURN, 0, &person(ANN)).await.unwrap();
    let (_, read) = chat.offered(TURN, 1, &person(ANN)).await.unwrap();
    chat.offered_ended(read, None).await;
    assert_eq!(offered(&chat, TURN, 0, ANN).await, Err(english!("run-before")));
}

#[tokio::test]
async fn going_on_is_spent_by_more_words_of_the_model_alone() {
    let turn = |author| {
        let facts = TurnFacts {
            turn: None,
            author,
            mark: Mark::default(),
            notes: Vec::new(),
            offers: Vec::new(),
            goes_on: false,
            questions: Vec::new(),
        };
        Answer::of_turn("", facts)
    };
    let cases = [
        // The bot leaves, too much waits, or the store fails.
        (Some(Answer::host("The bot restarts.")), true),
        // The model failed.
        (Some(turn(Author::Host)), true),
        (Some(turn(Author::Model)), false),
        // Nothing came of the later message that took it along.
        (None, true),
    ];
    for (answer, is_usable) in cases {
        let (_, chat) = chat_with(TurnRecord { cut: Some("length".to_owned()), ..TurnRecord::default() }, &[]);
        assert_eq!(chat.go_on(TURN, &person(ANN)).await, Ok(()));
        assert_eq!(chat.go_on(TURN, &person(ANN)).await, Err(english!("go-on-before")));
        chat.gone_on(&[TURN], answer.as_ref()).await;
        assert_eq!(chat.go_on(TURN, &person(ANN)).await.is_ok(), is_usable, "{answer:?}");
    }
}

#[tokio::test]
async fn only_the_last_reply_is_gone_on_with_and_a_press_that_is_refused_takes_nothing() {
    let failed = TurnRecord { failure: Some("interrupted".to_owned()), ..TurnRecord::default() };
    let ran = CallRecord { receipt: Some("7F3K2".to_owned()), ..CallRecord::default() };
    let cases = [
        (vec![], Ok(())),
        (vec![failed.clone()], Ok(())),
        (vec![failed.clone(); 10], Err(english!("go-on-over"))),
        // Stopped before the first word.
        (vec![TurnRecord { cut: Some("stopped".to_owned()), ..TurnRecord::default() }], Ok(())),
        (vec![failed.clone(), saying("Sure.", &[])], Err(english!("go-on-over"))),
        // What ran is told the model in a reply of its own.
        (vec![TurnRecord { calls: vec![ran], ..failed }], Err(english!("go-on-over"))),
    ];
    for (later, expected) in cases {
        let (store, chat) = chat_with(TurnRecord { cut: Some("length".to_owned()), ..TurnRecord::default() }, &[]);
        *store.later.lock().unwrap() = later;
        assert_eq!(chat.go_on(TURN, &person(ANN)).await, expected);
        assert_eq!(store.used.lock().unwrap().is_empty(), expected.is_err(), "{expected:?}");
        // The same holds when its turn begins.
        assert_eq!(chat.can_go_on(TURN, &person(ANN)).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_reads_a_conversation_while_it_is_being_cleared() {
    let (store, chat) = chat_with(TurnRecord::default(), &[]);
    let ann = person(ANN);
    let clearing = chat.talker.clear(HERE, ann.id, false);
    tokio::pin!(clearing);
    let under_way = tokio::time::timeout(Duration::from_secs(1), &mut clearing).await;
    assert!(under_way.is_err());
    assert!(chat.talker.queues.clearing.try_read().is_err());
    store.clears.add_permits(1);
    assert_eq!(clearing.await.unwrap().messages, 2);
    assert!(chat.talker.queues.clearing.try_read().is_ok());
}

/// A turn in which the model said this and its commands told it that.
fn saying(said: &str, calls: &[(&str, &str)]) -> TurnRecord {
    let call = |(tool, result): &(&str, &str)| CallRecord {
        tool: (*tool).to_owned(),
        result: (*result).to_owned(),
        ..CallRecord::default()
    };
    TurnRecord { said: said.to_owned(), calls: calls.iter().map(call).collect(), ..TurnRecord::default() }
}

#[tokio::test]
async fn what_the_model_wrote_is_shown_as_code_with_what_its_commands_told_it() {
    let (title, results) = (english!("said-title"), english!("said-results"));
    let cases = [
        (saying(" hello <@1> ", &[]), format!("{title}\n```\nhello <@1>\n```")),
        (
            saying("hello", &[("status", "CPU: 12 %"), ("nothing", ""), ("a`b", "fine")]),
            format!("{title}\n```\nhello\n```\n{results}\n`status`\n```\nCPU: 12 %\n```\n`aˋb`\n```\nfine\n```"),
        ),
        (
            saying("", &[("status", "fine")]),
            format!("{}\n{results}\n`status`\n```\nfine\n```", english!("said-nothing")),
        ),
        (saying("", &[]), english!("said-nothing")),
        // Nothing ends the block of code.
        (saying("a\n```\n**b**", &[]), format!("{title}\n```\na\nˋˋˋ\n**b**\n```")),
    ];
    for (record, expected) in cases {
        let (_, chat) = chat_with(record, &[]);
        assert_eq!(chat.said(MESSAGE, &person(ANN), HERE).await, expected);
    }
}

#[tokio::test]
async fn it_is_shown_to_its_person_and_to_operators_alone() {
    let said = format!("{}\n```\nhello\n```", english!("said-title"));
    let cases = [
        (ANN, HERE, [].as_slice(), said.clone()),
        (OPERATOR, HERE, &[], said.clone()),
        (BEN, Place::Console, &[], said),
        (BEN, HERE, &[], english!("said-not-theirs")),
        (ANN, HERE, &[ANN], english!("chat-blocked")),
        (OPERATOR, HERE, &[OPERATOR], english!("chat-blocked")),
    ];
    for (user, place, blocked, expected) in cases {
        let (_, chat) = chat_with(saying("hello", &[]), blocked);
        assert_eq!(chat.said(MESSAGE, &person(user), place).await, expected, "{user} {place:?} {blocked:?}");
    }
    let (store, chat) = chat_with(saying("hello", &[]), &[]);
    assert_eq!(chat.said(MESSAGE + 1, &person(ANN), HERE).await, english!("said-none"));
    store.fails.store(true, Ordering::Relaxed);
    assert_eq!(chat.said(MESSAGE, &person(ANN), HERE).await, english!("said-store"));
}
