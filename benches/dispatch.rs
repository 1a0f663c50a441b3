//! What an inbound costs the bot before and beside its handler: the whole routing of a message, and one command from
//! inbound to answer over a store in memory. Of the latter, allocations are counted too: on every machine they are the
//! same, so there is a ceiling.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it counts")]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use divan::Bencher;
use serde_json::Map;
use tokio::runtime::Runtime;

use candor_core::access::{Access, CooldownKey};
use candor_core::agent::tools::Unattended;
use candor_core::agent::{
    Budget, BudgetSettings, ChatSettings, ConversationKey, Conversations, Day, Exchange, Generation, Generations,
    Spending, Spent, Spoken, Subject, Tokens, Turns,
};
use candor_core::contract::{Call, CommandError, Manifest, NativeModule, NoArguments, ServiceError};
use candor_core::diagnostic::SourceFile;
use candor_core::guild::Rules;
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, ChannelId, CommandType, EventId, GuildId, Inbound,
    Interaction, Message, Place, UserId,
};
use candor_core::record::{KeptTurn, Receipt, ReceiptId, ReplyButton, TurnId, TurnRecord};
use candor_core::registry::Registry;
use candor_core::reply::Reply;
use candor_core::router::ChatText;
use candor_core::testing::checked_with;
use candor_engine::chat::{Budgets, Chat, Pictures, Talker};
use candor_engine::dispatch::{Dispatcher, Plan};
use candor_engine::executor::{
    Beginning, Charts, Commit, Committed, CooldownStore, Executor, Intent, Ledger, ModuleCalls, OpenIntent, Wait,
};
use candor_engine::{Clock, KEY_LENGTH, Leases, LeftOpen, Sealer, SigningKey};

/// Discord's limit of 100 commands, with one that is built in and one of a text module.
const COMMANDS: usize = 98;
const HERE: Place = Place::Guild { guild: GuildId(2), channel: ChannelId(3) };

/// Allocations of one slash command from interaction to answer: 53 were counted, and a tenth.
const ALLOCATIONS_MAX: u64 = 58;
/// Its bytes, of which 8,932 were counted, and a tenth.
const ALLOCATED_BYTES_MAX: u64 = 9_825;

const GREETER: &str = r##"
[module]
name = "greeter"
summary = "Greets"
kind = "text"
[commands."/greet"]
description = "Greet"
[commands."/greet".reply]
title = "Welcome"
any = ["Hello, {user}!", "Ahoy, {user}!", "Good day, {user}! It is {time}."]
colour = "#30a46c"
"##;

fn main() {
    count_allocations();
    divan::main();
}

/// The same of a command of a text module: 62 allocations and 9,495 bytes were counted, and a tenth.
const TEXT_ALLOCATIONS_MAX: u64 = 68;
const TEXT_ALLOCATED_BYTES_MAX: u64 = 10_450;

/// Fails if a command allocates more than it may.
fn count_allocations() {
    count_allocations_of("h42", ALLOCATIONS_MAX, ALLOCATED_BYTES_MAX);
    count_allocations_of("greet", TEXT_ALLOCATIONS_MAX, TEXT_ALLOCATED_BYTES_MAX);
}

fn count_allocations_of(command: &str, allocations_max: u64, bytes_max: u64) {
    const COUNTED: u64 = 100;
    let Ok(runtime) = current_thread() else { return };
    let (dispatcher, inbound) = (dispatcher(), slash_command(command));
    // The first one fills what is kept for the next ones.
    assert!(answered(&runtime, &dispatcher, &inbound), "it does not run");
    let counted = allocation_counter::measure(|| {
        for _ in 0..COUNTED {
            black_box(answered(&runtime, &dispatcher, &inbound));
        }
    });
    let (allocations, bytes) = (counted.count_total / COUNTED, counted.bytes_total / COUNTED);
    println!("interaction_to_answer {command}: {allocations} allocations of at most {allocations_max}");
    println!("interaction_to_answer {command}: {bytes} bytes allocated of at most {bytes_max}");
    assert!(allocations <= allocations_max && bytes <= bytes_max, "a command allocates more than it may");
}

/// What a message comes to: decided and logged, and nothing done about it.
#[divan::bench(args = ["what's our status?", "/h42", "/unknown"])]
fn route_addressed(bencher: Bencher<'_, '_>, text: &str) {
    let (dispatcher, inbound) = (dispatcher(), message(text, Addressed::Mention));
    bencher.bench(|| drop(planned(&dispatcher, black_box(&inbound))));
}

/// What a slash command comes to, one of the bot's and one that it does not have.
#[divan::bench(args = ["h42", "unknown"])]
fn route_interaction(bencher: Bencher<'_, '_>, name: &str) {
    let (dispatcher, inbound) = (dispatcher(), slash_command(name));
    bencher.bench(|| drop(planned(&dispatcher, black_box(&inbound))));
}

/// Most of what a bot sees: a message of a channel that is not for it.
#[divan::bench(args = ["what's our status?", "/h42"])]
fn route_not_addressed(bencher: Bencher<'_, '_>, text: &str) {
    let (dispatcher, inbound) = (dispatcher(), message(text, Addressed::No));
    bencher.bench(|| drop(planned(&dispatcher, black_box(&inbound))));
}

/// One slash command from interaction to answer: routed, permitted, claimed, run in a task of its own, and its receipt
/// appended. One of a native module, and one of a text module with placeholders, a choice at random and an embed.
#[divan::bench(args = ["h42", "greet"])]
fn interaction_to_answer(bencher: Bencher<'_, '_>, name: &str) {
    to_answer(bencher, &slash_command(name));
}

/// The same command, typed.
#[divan::bench]
fn command_to_answer(bencher: Bencher<'_, '_>) {
    to_answer(bencher, &message("/h42", Addressed::Mention));
}

fn to_answer(bencher: Bencher<'_, '_>, inbound: &Inbound) {
    let Ok(runtime) = current_thread() else { return };
    let dispatcher = dispatcher();
    // A benchmark of a refusal would look fast.
    assert!(matches!(planned(&dispatcher, inbound), Plan::Command { .. }), "it does not run");
    bencher.bench_local(|| answered(&runtime, &dispatcher, black_box(inbound)));
}

/// All on this thread, so that it can be counted.
fn current_thread() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn planned(dispatcher: &Dispatcher, inbound: &Inbound) -> Plan {
    let rules = Rules::default();
    dispatcher.plan(dispatcher.classify(inbound, &rules), inbound, &rules)
}

fn answered(runtime: &Runtime, dispatcher: &Dispatcher, inbound: &Inbound) -> bool {
    runtime.block_on(dispatcher.answer(inbound, &Rules::default(), &Unattended)).is_some()
}

fn dispatcher() -> Dispatcher {
    let store = Arc::new(Memory::default());
    let modules = checked_with(vec![many()], vec![greeter()]);
    assert!(modules.rejected.is_empty(), "the modules must pass: {:?}", modules.diagnostics);
    let registry = Arc::new(Registry::build(modules));
    let calls = ModuleCalls {
        registry: Arc::new(candor_engine::InForce::new(registry)),
        services: Arc::default(),
        deadline: Duration::from_secs(10),
    };
    let sealer = Sealer::new(&SigningKey::new([0; KEY_LENGTH]));
    let executor = Arc::new(Executor::new(Arc::new(calls), store.clone(), Arc::new(AtTheBeginning), sealer));
    Dispatcher::new(Chat {
        model: None,
        talker: Arc::new(Talker::new(&ChatSettings::default(), store.clone())),
        settings: ChatSettings::default(),
        access: Access::default(),
        executor,
        conversations: store.clone(),
        turns: store.clone(),
        leases: store.clone(),
        budgets: Arc::new(Budgets::new(BudgetSettings::default(), Arc::default(), store)),
        charts: Charts::default(),
        pictures: Pictures::default(),
        summaries: None,
        told_of_calls_in_text: AtomicBool::new(false),
    })
}

/// A module without code.
fn greeter() -> Manifest {
    let file = SourceFile { path: "modules/greeter/module.toml".to_owned(), text: GREETER.to_owned() };
    Manifest::new("greeter", Some(Arc::new(file)))
}

/// A module with [`COMMANDS`] commands.
fn many() -> NativeModule {
    let names: Vec<_> = (0..COMMANDS).map(|number| format!("h{number}")).collect();
    let entry = |name: &String| format!("[commands.\"/{name}\"]\ndescription = \"Answer\"\nhandler = \"{name}\"\n\n");
    let manifest = "[module]\nname = \"many\"\nsummary = \"Commands to measure with\"\n\n".to_owned();
    let manifest = manifest + &names.iter().map(entry).collect::<String>();
    names.iter().fold(NativeModule::new("many", &manifest), |module, name| module.handler(name, answer))
}

async fn answer(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("answered"))
}

fn slash_command(name: &str) -> Inbound {
    Inbound::Interaction(Interaction {
        method: CallMethod::Picked,
        command_type: CommandType::Slash,
        id: EventId(1),
        caller: Caller::new(UserId(7), "Ada"),
        place: HERE,
        path: vec![name.to_owned()],
        arguments: Map::new(),
        target: None,
        sent: UNIX_EPOCH,
    })
}

fn message(text: &str, addressed: Addressed) -> Inbound {
    Inbound::Message(Message {
        id: EventId(1),
        caller: Caller::new(UserId(7), "Ada"),
        author: AuthorKind::Person,
        place: HERE,
        addressed,
        bot: UserId(42),
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: UNIX_EPOCH,
    })
}

struct AtTheBeginning;

impl Clock for AtTheBeginning {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }
}

/// A store that keeps the number of receipts, and nothing else: what is measured is not the store.
#[derive(Default)]
struct Memory {
    n_numbers: AtomicU64,
}

#[async_trait]
impl Ledger for Memory {
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

    async fn commit_receipts(&self, _: Vec<candor_engine::executor::ReceiptCommit>) -> Result<bool, ServiceError> {
        Ok(true)
    }

    async fn keep_answer(&self, _: ReceiptId, _: &str, _: SystemTime) -> Result<(), ServiceError> {
        Ok(())
    }
}

#[async_trait]
impl CooldownStore for Memory {
    async fn waiting(&self, _: EventId, _: &[CooldownKey], _: SystemTime) -> Result<Option<Wait>, ServiceError> {
        Ok(None)
    }
}

/// No chat turn begins here.
fn nothing<T>() -> Result<T, ServiceError> {
    Err(ServiceError::Store("this store keeps nothing".to_owned()))
}

#[async_trait]
impl Spending for Memory {
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
        unreachable!("nobody asks for it")
    }
}

#[async_trait]
impl Leases for Memory {
    async fn take_lease(&self, _: &str, _: Duration, _: SystemTime) -> Result<bool, ServiceError> {
        Ok(true)
    }

    async fn give_back_lease(&self, _: &str) -> Result<(), ServiceError> {
        Ok(())
    }
}

#[async_trait]
impl Conversations for Memory {
    async fn generation(&self, _: &ConversationKey) -> Result<Generation, ServiceError> {
        nothing()
    }

    async fn history(&self, _: &ConversationKey, _: usize) -> Result<Vec<Exchange>, ServiceError> {
        nothing()
    }

    async fn n_exchanges(&self, _: &ConversationKey) -> Result<u64, ServiceError> {
        nothing()
    }

    async fn append(
        &self,
        _: &ConversationKey,
        _: Generation,
        _: &ChatText,
        _: &str,
        _: SystemTime,
    ) -> Result<bool, ServiceError> {
        nothing()
    }

    async fn append_spoken(&self, _: &Generations, _: &[Spoken], _: &str, _: SystemTime) -> Result<bool, ServiceError> {
        nothing()
    }

    async fn clear_part(&self, _: Place, _: UserId) -> Result<u64, ServiceError> {
        nothing()
    }

    async fn clear(&self, _: &ConversationKey) -> Result<u64, ServiceError> {
        nothing()
    }

    async fn model(&self, _: &ConversationKey) -> Result<Option<String>, ServiceError> {
        nothing()
    }

    async fn choose_model(&self, _: &ConversationKey, _: &str) -> Result<(), ServiceError> {
        nothing()
    }
}

#[async_trait]
impl Turns for Memory {
    async fn keep(
        &self,
        _: UserId,
        _: Place,
        _: Generation,
        _: SystemTime,
        _: &TurnRecord,
    ) -> Result<Option<TurnId>, ServiceError> {
        nothing()
    }

    async fn shown(&self, _: TurnId, _: &[u64]) -> Result<(), ServiceError> {
        nothing()
    }

    async fn turn(&self, _: TurnId) -> Result<Option<KeptTurn>, ServiceError> {
        nothing()
    }

    async fn turn_of_message(&self, _: u64) -> Result<Option<KeptTurn>, ServiceError> {
        nothing()
    }

    async fn turns_of_messages(&self, _: &[u64]) -> Result<Vec<KeptTurn>, ServiceError> {
        nothing()
    }

    async fn messages_of(&self, _: TurnId) -> Result<Vec<u64>, ServiceError> {
        nothing()
    }

    async fn last_turn(&self, _: UserId, _: Place) -> Result<Option<KeptTurn>, ServiceError> {
        nothing()
    }

    async fn turns_after(
        &self,
        _: TurnId,
        _: Option<UserId>,
        _: Place,
        _: usize,
    ) -> Result<Vec<KeptTurn>, ServiceError> {
        nothing()
    }

    async fn claim_button(&self, _: TurnId, _: ReplyButton) -> Result<bool, ServiceError> {
        nothing()
    }

    async fn release_button(&self, _: TurnId, _: ReplyButton) -> Result<(), ServiceError> {
        nothing()
    }
}
