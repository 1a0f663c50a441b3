//! What becomes of a command between its inbound and its answer: run once, told truly, recorded.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use candor::agent::Unattended;
use candor::chat::{Chat, Parts, Talker};
use candor::config::{ChatSettings, Settings};
use candor::contract::{
    Call, CommandError, NativeModule, NoArguments, Presentation, ReceiptBook as _, Services, check,
};
use candor::dispatch::Dispatcher;
use candor::executor::{Clock, Executor};
use candor::guard::Access;
use candor::inbound::{Caller, ChannelId, EventId, GuildId, Inbound, Interaction, Place, UserId};
use candor::receipt::Outcome;
use candor::registry::Registry;
use candor::reply::{Answer, Audience, Provenance, Reply};
use candor::store::Sqlite;
use candor::watch::{LiveMetrics, WatchOptions};
use tempfile::TempDir;

const MANIFEST: &str = r#"
[module]
name = "trial"
summary = "Every way a handler can end"
[commands."/fine"]
description = "Answers"
handler = "fine"
[commands."/no"]
description = "Refuses in words for the person"
handler = "no"
[commands."/broken"]
description = "Fails with an error for the log"
handler = "broken"
[commands."/crash"]
description = "Panics"
handler = "crash"
[commands."/slow"]
description = "Never returns"
handler = "slow"
[commands."/greedy"]
description = "Uses a service it did not ask for"
handler = "greedy"
[commands."/secret"]
description = "For operators"
handler = "secret"
operators_only = true
"#;

const SECRET: &str = "password=hunter2";

async fn fine(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text(format!("for {}", call.caller.id)))
}
async fn no(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Err(CommandError::tell("Not today."))
}
async fn broken(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Err(std::io::Error::other(SECRET).into())
}
async fn crash(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    panic!("{SECRET}")
}
async fn slow(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    std::future::pending().await
}
async fn greedy(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    call.services.records()?.list().await?;
    Ok(Reply::text("read what it must not"))
}

fn trial() -> NativeModule {
    NativeModule::new("trial", MANIFEST)
        .handler("fine", fine)
        .handler("no", no)
        .handler("broken", broken)
        .handler("crash", crash)
        .handler("slow", slow)
        .handler("greedy", greedy)
        .handler("secret", fine)
}

struct Now;

impl Clock for Now {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A deadline that no handler meets unless it never returns.
const PATIENT: Duration = Duration::from_secs(60);

/// A dispatcher over the trial module and a real store.
async fn dispatcher(folder: &TempDir, access: Access, deadline: Duration) -> (Arc<Sqlite>, Dispatcher) {
    let checked = check(candor::harness::module(), vec![trial()], Vec::new());
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    let registry = Arc::new(Registry::build(checked));
    let store = Arc::new(Sqlite::open(&folder.path().join("candor.db")).await.unwrap());
    let presentation: Presentation = Settings::default().status.presentation;
    let live = LiveMetrics::start(&folder.path().join("none.json"), presentation, WatchOptions::default()).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(Now);
    let talker = Arc::new(Talker::new(Vec::new(), store.clone()));
    let services = Services::of_host(store.clone(), Arc::new(live), talker.clone(), store.clone());
    let executor =
        Arc::new(Executor::new(registry.clone(), access.clone(), services, store.clone(), clock.clone(), deadline));
    let chat = Arc::new(Chat::new(Parts {
        model: None,
        talker,
        settings: ChatSettings::default(),
        registry: registry.clone(),
        access: access.clone(),
        executor: executor.clone(),
        conversations: store.clone(),
        turns: store.clone(),
        clock: clock.clone(),
        counters: Arc::default(),
    }));
    (store, Dispatcher::new(registry, access, executor, chat, clock))
}

fn interaction(id: u64, name: &str, user: u64) -> Inbound {
    Inbound::Interaction(Interaction {
        id: EventId(id),
        caller: Caller { id: UserId(user), name: "alice".to_owned() },
        place: Place::Guild { guild: GuildId(3), channel: ChannelId(4) },
        path: vec![name.to_owned()],
        arguments: serde_json::Map::new(),
        sent: SystemTime::now(),
    })
}

async fn ask(dispatcher: &Dispatcher, inbound: &Inbound) -> Option<Answer> {
    dispatcher.carry_out(dispatcher.route(inbound), inbound, &Unattended).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_of_a_handler_is_told_truly_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let cases = [
        ("fine", Outcome::Done, "for 7"),
        ("no", Outcome::Refused, "Not today."),
        ("broken", Outcome::Failed, "`/broken` failed: something inside it went wrong"),
        ("crash", Outcome::Failed, "`/crash` failed: it crashed"),
        ("greedy", Outcome::Failed, "`/greedy` failed"),
    ];
    for (id, (name, outcome, text)) in (1..).zip(cases) {
        let answer = ask(&dispatcher, &interaction(id, name, 7)).await.unwrap();
        let Provenance::Command(receipt) = &answer.provenance else { panic!("{name} has no receipt") };
        assert_eq!(receipt.facts().outcome, outcome, "{name}");
        assert!(answer.reply.text.contains(text), "{name}: {}", answer.reply.text);
        assert!(!answer.reply.plain().contains("hunter2"), "{name} shows what is for the log");
        let entry = store.find(receipt.id()).await.unwrap().unwrap();
        assert_eq!((entry.facts.outcome, entry.digest), (outcome, receipt.digest()), "{name}");
        let audience = if outcome == Outcome::Done { Audience::Place } else { Audience::Asker };
        assert_eq!(answer.audience, audience, "{name}");
    }
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_never_returns_is_stopped_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, dispatcher) = dispatcher(&folder, Access::default(), Duration::from_millis(10)).await;
    let answer = ask(&dispatcher, &interaction(1, "slow", 7)).await.unwrap();
    let Provenance::Command(receipt) = &answer.provenance else { panic!("no receipt") };
    assert_eq!(receipt.facts().outcome, Outcome::TimedOut);
    let text = "`/slow` failed: it did not finish within";
    assert!(answer.reply.text.starts_with(text), "{}", answer.reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_runs_once_however_often_it_is_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let inbound = interaction(1, "fine", 7);
    let (first, second) = tokio::join!(ask(&dispatcher, &inbound), ask(&dispatcher, &inbound));
    assert_eq!([first, second].iter().flatten().count(), 1);
    assert_eq!(ask(&dispatcher, &inbound).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guard_refuses_before_anything_is_claimed_or_run() {
    let folder = tempfile::tempdir().unwrap();
    let access = Access { operators: [UserId(1)].into(), blocked: [UserId(2)].into() };
    let (store, dispatcher) = dispatcher(&folder, access, PATIENT).await;
    for (user, name, text) in [(3, "secret", "is for this bot's operators"), (2, "fine", "You may not use this bot")] {
        let answer = ask(&dispatcher, &interaction(user, name, user)).await.unwrap();
        assert_eq!(answer.provenance, Provenance::Host);
        assert!(answer.reply.text.contains(text), "{}", answer.reply.text);
        let caller = Caller { id: UserId(user), name: String::new() };
        let place = Place::Guild { guild: GuildId(3), channel: ChannelId(4) };
        assert_eq!(store.last(&caller, place, "/receipt").await.unwrap(), None, "nothing ran");
    }
    let answer = ask(&dispatcher, &interaction(9, "secret", 1)).await.unwrap();
    assert!(matches!(answer.provenance, Provenance::Command(_)));
    // A near name is only offered to those who may use it.
    let near = |user| ask(&dispatcher, Box::leak(Box::new(interaction(20 + user, "secre", user))));
    assert!(near(1).await.unwrap().reply.text.contains("/secret"));
    assert!(!near(3).await.unwrap().reply.text.contains("/secret`?"));
}
