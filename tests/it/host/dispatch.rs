//! What becomes of a command between its inbound and its answer: run once, told truly, recorded.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::executor::Now;
use crate::support::log::Log;
use crate::support::said::{ANY, assert_says, said};
use candor_core::access::Access;
use candor_core::agent::tools::Unattended;
use candor_core::agent::{BudgetSettings, ChatSettings, Model, OfferedModel, ToolMode, ToolSetting};
use candor_core::contract::{Call, CommandError, HostServices, NativeModule, NoArguments, Presentation, check, entity};
use candor_core::guild::Rules;
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, ChannelId, CommandType, EventId, GuildId, Inbound,
    Interaction, Message, Place, UserId,
};
use candor_core::record::{NotPlain, Origin, Outcome};
use candor_core::registry::Registry;
use candor_core::reply::chart::{Painter, Png};
use candor_core::reply::{Answer, Audience, Chart, Provenance, Reply};
use candor_core::settings::{GuildRules, Settings};
use candor_engine::builtin::Builtins;
use candor_engine::chat::{Budgets, Chat, Pictures, Talker};
use candor_engine::dispatch::{Dispatcher, Refresh};
use candor_engine::executor::{Charts, Executor, Flights, ModuleCalls};
use candor_engine::{Guilds, KEY_LENGTH, PersonalData, ReceiptBook as _, Sealer, SigningKey};
use candor_store::Database;
use candor_system::watch::{LiveMetrics, WatchOptions};
use candor_system::workspace::WorkspaceFolders;

const MANIFEST: &str = r#"
[module]
name = "trial"
summary = "Every way a handler can end"
[commands."/fine"]
description = "Answers"
handler = "fine"
[commands."/chart"]
description = "Answers with a chart"
handler = "chart"
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
[commands."/club"]
description = "The club"
[commands."/club".groups.member]
description = "Its members"
[commands."/club".groups.member.subcommands.greet]
description = "Greet a member"
handler = "greet"
[menus."Greet"]
type = "user"
handler = "greet"
ephemeral = true
[menus."Quote"]
type = "message"
handler = "quote"
"#;

const SECRET: &str = "password=hunter2";

async fn fine(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text(format!("for {}", call.caller.id)))
}
async fn chart(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let chart = Chart {
        title: "Load".to_owned(),
        from: call.now,
        until: call.now,
        series: Vec::new(),
        stale: Vec::new(),
        alt_text: "Nothing.".to_owned(),
        png: None,
    };
    Ok(Reply { chart: Some(chart), ..Reply::text("Load: 1") })
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

async fn greet(member: Member, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text(format!("Hello, {}", member.person.id)))
}
async fn quote(quoted: Quoted, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text(format!("{} wrote: {}", quoted.message.author.id, quoted.message.content)))
}

#[derive(Deserialize, JsonSchema)]
struct Member {
    /// Who
    person: entity::User,
}
#[derive(Deserialize, JsonSchema)]
struct Quoted {
    message: entity::MessageRef,
}

fn trial() -> NativeModule {
    NativeModule::new("trial", MANIFEST)
        .handler("fine", fine)
        .handler("chart", chart)
        .handler("no", no)
        .handler("broken", broken)
        .handler("crash", crash)
        .handler("slow", slow)
        .handler("greet", greet)
        .handler("quote", quote)
        .handler("greedy", greedy)
        .handler("secret", fine)
}

/// A deadline that no handler meets unless it never returns.
pub(crate) const PATIENT: Duration = Duration::from_secs(60);

/// A dispatcher over the trial module and a real store.
pub(crate) async fn dispatcher(folder: &TempDir, access: Access, deadline: Duration) -> (Arc<Database>, Dispatcher) {
    drawing_dispatcher(folder, access, deadline, Charts::default()).await
}

/// A dispatcher that draws charts with this.
async fn drawing_dispatcher(
    folder: &TempDir,
    access: Access,
    deadline: Duration,
    charts: Charts,
) -> (Arc<Database>, Dispatcher) {
    let checked = check(candor_engine::builtin::module(), vec![trial()], Vec::new());
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    let registry = Arc::new(Registry::build(checked));
    let store = Arc::new(Database::open_file(&folder.path().join("candor.db")).await.unwrap());
    let dispatcher = over(store.clone(), registry, None, (access, deadline, charts));
    (store, dispatcher)
}

/// A dispatcher over a store, with a model or without one.
pub(crate) fn over(
    store: Arc<Database>,
    registry: Arc<Registry>,
    model: Option<Arc<dyn Model>>,
    (access, deadline, charts): (Access, Duration, Charts),
) -> Dispatcher {
    let presentation: Presentation = Settings::default().status.presentation;
    let none = std::path::Path::new("/nonexistent/none.json");
    let live = LiveMetrics::start(none, presentation, WatchOptions::default()).unwrap();
    let typist = OfferedModel { tools: ToolSetting::Fixed(ToolMode::None), ..OfferedModel::named("typist") };
    let models = model.iter().map(|_| typist.clone()).collect();
    let settings = ChatSettings { models, ..ChatSettings::default() };
    let talker = Arc::new(Talker::new(&settings, store.clone()));
    let in_force = Arc::new(candor_engine::InForce::new(registry));
    let guilds = Arc::new(Guilds::new(GuildRules::default(), store.clone(), in_force.clone()));
    let registry = in_force.clone();
    let services = HostServices {
        records: Some(store.clone()),
        live: Some(Arc::new(live)),
        commands: Some(Arc::new(move |path| registry.now().find(path).is_some())),
        ..HostServices::default()
    };
    let calls = Arc::new(ModuleCalls { registry: in_force, services: Arc::new(services), deadline });
    let budgets = Arc::new(Budgets::new(BudgetSettings::default(), Arc::default(), store.clone()));
    let flights = Flights::default();
    let files = Arc::new(WorkspaceFolders::below(none));
    let builtins = Builtins {
        calls: calls.clone(),
        access: access.clone(),
        guilds,
        talker: talker.clone(),
        budgets: budgets.clone(),
        receipts: store.clone(),
        turns: store.clone(),
        personal: PersonalData { store: store.clone(), files, keep: Settings::default().keep },
        threads: None,
        flights: flights.clone(),
    };
    let sealer = Sealer::new(&SigningKey::new([0; KEY_LENGTH]));
    let executor = Arc::new(Executor {
        internals: Some(Arc::new(builtins)),
        flights,
        ..Executor::new(calls, store.clone(), Arc::new(Now), sealer)
    });
    let chat = Chat {
        model,
        talker,
        settings,
        access,
        executor,
        conversations: store.clone(),
        turns: store.clone(),
        leases: store,
        budgets,
        charts,
        pictures: Pictures::default(),
        summaries: None,
        told_of_calls_in_text: AtomicBool::new(false),
    };
    Dispatcher::new(chat)
}

pub(crate) fn interaction(id: u64, name: &str, user: u64) -> Inbound {
    Inbound::Interaction(Interaction {
        id: EventId(id),
        caller: Caller::new(UserId(user), "alice"),
        place: Place::Guild { guild: GuildId(3), channel: ChannelId(4) },
        method: CallMethod::Picked,
        command_type: CommandType::Slash,
        path: vec![name.to_owned()],
        arguments: serde_json::Map::new(),
        target: None,
        sent: SystemTime::now(),
    })
}

fn typed(text: &str) -> Inbound {
    Inbound::Message(Message {
        id: EventId(0),
        caller: Caller::new(UserId(7), "alice"),
        author: AuthorKind::Person,
        place: Place::Guild { guild: GuildId(3), channel: ChannelId(4) },
        addressed: Addressed::Mention,
        bot: UserId(8),
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: SystemTime::now(),
    })
}

pub(crate) async fn ask(dispatcher: &Dispatcher, inbound: &Inbound) -> Option<Answer> {
    dispatcher.answer(inbound, &Rules::default(), &Unattended).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_of_a_handler_is_told_truly_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let cases = [
        ("fine", Outcome::Answered, "for 7".to_owned()),
        ("no", Outcome::Refused, "Not today.".to_owned()),
        ("broken", Outcome::Failed, said!("failed-inside", command = "/broken")),
        ("crash", Outcome::Failed, said!("failed-crashed", command = "/crash")),
        ("greedy", Outcome::Failed, said!("failed-inside", command = "/greedy")),
    ];
    for (id, (name, outcome, text)) in (1..).zip(cases) {
        let answer = ask(&dispatcher, &interaction(id, name, 7)).await.unwrap();
        let Provenance::Command(receipt) = &answer.provenance else { panic!("{name} has no receipt") };
        assert_eq!(receipt.facts().outcome, outcome, "{name}");
        assert_eq!(answer.reply.text, text, "{name}");
        assert!(!answer.reply.plain().contains("hunter2"), "{name} shows what is for the log");
        let entry = store.find(receipt.id()).await.unwrap().unwrap();
        assert_eq!(entry.facts.outcome, outcome, "{name}");
        let audience = if outcome.is_reply() { Audience::Place } else { Audience::Asker };
        assert_eq!(answer.audience, audience, "{name}");
    }
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

/// The same handler behind a group and as a user context-menu command, typed, picked and chosen.
#[tokio::test(flavor = "multi_thread")]
async fn groups_and_entries_of_menus_run_like_any_command() {
    let folder = tempfile::tempdir().unwrap();
    let (store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let ada = json!({"id": "5", "name": "Ada"});
    let words = json!({"id": "6", "channel": "4", "author": {"id": "5"}, "content": "so be it"});
    let picked = |command_type, path: &[&str], arguments: Value, target| {
        let Inbound::Interaction(plain) = interaction(0, "", 7) else { unreachable!("an interaction") };
        let path = path.iter().map(|&name| name.to_owned()).collect();
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        Inbound::Interaction(Interaction { command_type, path, arguments, target, ..plain })
    };
    let cases = [
        (
            picked(CommandType::Slash, &["club", "member", "greet"], json!({"person": ada}), None),
            "/club member greet",
            "Hello, 5",
        ),
        (picked(CommandType::UserMenu, &["Greet"], json!({}), Some(ada)), "Greet", "Hello, 5"),
        (picked(CommandType::MessageMenu, &["Quote"], json!({}), Some(words)), "Quote", "5 wrote: so be it"),
        (typed("/club member greet <@!5>"), "/club member greet", "Hello, 5"),
    ];
    for (id, (mut inbound, command, text)) in (1..).zip(cases) {
        match &mut inbound {
            Inbound::Interaction(interaction) => interaction.id = EventId(id),
            Inbound::Message(message) => message.id = EventId(id),
            Inbound::GoOn(press) => press.id = EventId(id),
        }
        let answer = ask(&dispatcher, &inbound).await.unwrap();
        let Provenance::Command(receipt) = &answer.provenance else { panic!("{command}: {}", answer.reply.text) };
        assert_eq!((receipt.facts().command.as_str(), answer.reply.text.as_str()), (command, text));
        let audience = if command == "Greet" { Audience::Asker } else { Audience::Place };
        assert_eq!(answer.audience, audience, "{command}");
        assert!(store.find(receipt.id()).await.unwrap().is_some(), "{command}");
    }
    let stale = ask(&dispatcher, &picked(CommandType::MessageMenu, &["Greet"], json!({}), None)).await.unwrap();
    assert_eq!(stale.provenance, Provenance::Host);
    assert_eq!(stale.reply.text, said!("menu-command-unknown", name = "Greet"));

    let help = ask(&dispatcher, &interaction(9, "help", 7)).await.unwrap().reply.text.clone();
    assert_says(&help, format!("\n{}\n", said!("help-user-menu", commands = "`Greet`")));
    assert_says(&help, format!("\n{}\n", said!("help-message-menu", commands = "`Quote`")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_never_returns_is_stopped_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, dispatcher) = dispatcher(&folder, Access::default(), Duration::from_millis(10)).await;
    let answer = ask(&dispatcher, &interaction(1, "slow", 7)).await.unwrap();
    let Provenance::Command(receipt) = &answer.provenance else { panic!("no receipt") };
    assert_eq!(receipt.facts().outcome, Outcome::TimedOut);
    assert_says(&answer.reply.text, said!("failed-too-slow", command = "/slow", seconds = ANY));
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
    let access = Access { operators: [UserId(1)].into(), blocked: [UserId(2)].into(), ..Access::default() };
    let (store, dispatcher) = dispatcher(&folder, access, PATIENT).await;
    let for_operators = said!("denied-operators-only", command = "/secret");
    for (user, name, text) in [(3, "secret", &for_operators), (2, "fine", &said!("denied-blocked", command = "/fine"))]
    {
        let answer = ask(&dispatcher, &interaction(user, name, user)).await.unwrap();
        assert_eq!((&answer.provenance, &answer.reply.text), (&Provenance::Host, text));
        let caller = Caller::new(UserId(user), "");
        let place = Place::Guild { guild: GuildId(3), channel: ChannelId(4) };
        assert_eq!(store.last(&caller, place, "/receipt").await.unwrap(), None, "nothing ran");
    }
    let answer = ask(&dispatcher, &interaction(9, "secret", 1)).await.unwrap();
    assert!(matches!(answer.provenance, Provenance::Command(_)));
    // What the command takes by now is for those who may run it.
    let Inbound::Interaction(mut stale) = interaction(10, "secret", 3) else { panic!("no interaction") };
    stale.arguments.insert("nosuch".to_owned(), serde_json::json!(1));
    for (user, text) in [(3, &*for_operators), (1, "nosuch")] {
        stale.caller = Caller::new(UserId(user), "");
        let answer = ask(&dispatcher, &Inbound::Interaction(stale.clone())).await.unwrap();
        assert!(answer.reply.text.contains(text), "{}", answer.reply.text);
    }
    // A near name is only offered to those who may use it.
    let near = |user| ask(&dispatcher, Box::leak(Box::new(interaction(20 + user, "secre", user))));
    assert!(near(1).await.unwrap().reply.text.contains("/secret"));
    assert!(!near(3).await.unwrap().reply.text.contains("/secret`?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_runs_with_a_receipt_that_says_so_for_as_long_as_the_caller_may() {
    let folder = tempfile::tempdir().unwrap();
    let access = Access { blocked: [UserId(2)].into(), ..Access::default() };
    let (store, dispatcher) = dispatcher(&folder, access, PATIENT).await;
    let Refresh::Ran(answer) = dispatcher.refresh(&interaction(1, "fine", 7)).await else { panic!("did not run") };
    let Provenance::Command(receipt) = &answer.provenance else { panic!("no receipt") };
    let entry = store.find(receipt.id()).await.unwrap().unwrap();
    assert_eq!((entry.facts.origin, entry.facts.outcome), (Origin::Refresh, Outcome::Answered));
    for (id, name, user, text) in [
        (2, "fine", 2, said!("denied-blocked", command = "/fine")),
        (3, "secret", 7, said!("denied-operators-only", command = "/secret")),
        (4, "gone", 7, said!("unknown-command", command = "/gone")),
    ] {
        let Refresh::Denied(answer) = dispatcher.refresh(&interaction(id, name, user)).await else { panic!("{name}") };
        assert_eq!((&answer.provenance, &answer.reply.text), (&Provenance::Host, &text));
    }
}

/// Draws every chart as the same byte, or none.
struct Trial(Result<(), &'static str>);

#[async_trait]
impl Painter for Trial {
    async fn paint(&self, _: &Chart) -> Result<Png, String> {
        self.0.map(|()| Png([7].into())).map_err(str::to_owned)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_drawn_is_left_to_the_text_which_says_so() {
    let cases = [
        (Ok(()), "Load: 1".to_owned(), Some(Png([7].into()))),
        (Err("out of paint"), format!("Load: 1\n{}", said!("picture-not-drawn")), None),
    ];
    for (outcome, text, png) in cases {
        let folder = tempfile::tempdir().unwrap();
        let charts = Charts(Some(Arc::new(Trial(outcome))));
        let (_store, dispatcher) = drawing_dispatcher(&folder, Access::default(), PATIENT, charts).await;
        let answer = ask(&dispatcher, &interaction(1, "chart", 7)).await.unwrap();
        assert_eq!((answer.plain(), answer.reply.chart.as_ref().unwrap().png.clone()), (text, png));
    }
}

#[tokio::test]
async fn a_command_that_is_only_quoted_does_not_run_and_is_told_to_those_who_may_run_it() {
    let folder = tempfile::tempdir().unwrap();
    let (store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let not_plain = |why| format!("{} {}", said!("not-plain", command = "/fine", why = why), said!("unknown-typed"));
    for (text, told) in [
        ("> /fine", not_plain("quote")),
        ("\\/fine", not_plain("backslash")),
        ("hello\n/fine", not_plain("below")),
        ("`/secret`", said!("denied-operators-only", command = "/secret")),
    ] {
        let answer = ask(&dispatcher, &typed(text)).await.unwrap();
        assert_eq!(answer.reply.text, told, "{text}");
        assert_eq!(answer.provenance, Provenance::Host, "{text}");
    }
    let Inbound::Message(message) = typed("") else { panic!("no message") };
    assert_eq!(store.last(&message.caller, message.place, "/receipt").await.unwrap(), None, "nothing ran");
    let counted: Vec<_> = dispatcher.executor.counters.not_plain.read().filter(|(_, times)| *times != 0).collect();
    let expected = [(NotPlain::Quote, 1), (NotPlain::Code, 1), (NotPlain::Backslash, 1), (NotPlain::Below, 1)];
    assert_eq!(counted, expected);
}

#[tokio::test]
async fn m5_a_message_that_is_not_for_the_bot_is_decided_in_silence_and_logged_without_its_author() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let Inbound::Message(message) = typed("/fine") else { panic!("no message") };
    let overheard = Inbound::Message(Message { addressed: Addressed::No, ..message });
    let log = Log::default();
    let recording = log.record();
    assert!(ask(&dispatcher, &overheard).await.is_none());
    drop(recording);
    let logged = log.text();
    assert!(logged.contains("TRACE") && logged.contains("NotAddressed"), "{logged}");
    assert!(!logged.contains("INFO") && !logged.contains("user.id") && !logged.contains("place"), "{logged}");
}
