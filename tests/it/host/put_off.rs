//! A later call that finds nothing to do is made again at another time, and leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::{Map, json};

use crate::host::dispatch::{PATIENT, dispatcher};
use crate::support::executor::executor;
use candor_core::access::{Access, authorize, authorize_due};
use candor_core::contract::{Call, CommandError, DueCalls as _, LaterCall, NativeModule, NoArguments, Records};
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Place, UserId};
use candor_core::language::Language;
use candor_core::record::Outcome;
use candor_core::reply::{Provenance, Reply};
use candor_core::router::Invocation;
use candor_engine::ReceiptBook;
use candor_engine::executor::{Keeping, Ran};
use candor_store::Database;

const MANIFEST: &str = r#"
    [module]
    name = "watch"
    summary = "Looks at something"
    services = ["records", "workspace", "time"]
    [commands."/look"]
    description = "Looks"
    handler = "look"
    writes = true
    [commands."/spill"]
    description = "Looks, and writes a file all the same"
    handler = "spill"
    writes = true
"#;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const HOUR: Duration = Duration::from_hours(1);

/// A module that finds something at the third look.
fn module() -> NativeModule {
    let looks = Arc::new(AtomicUsize::new(0));
    NativeModule::new("watch", MANIFEST)
        .handler("look", move |_: NoArguments, call: Call| {
            let n = looks.fetch_add(1, Ordering::Relaxed);
            async move {
                call.services.records()?.add(&json!(n), 9).await?;
                if n < 2 { Err(CommandError::NotYet(call.now + HOUR)) } else { Ok(Reply::text("found")) }
            }
        })
        .handler("spill", async |_: NoArguments, call: Call| {
            let written = call.services.workspace()?.write("a.txt", "words").await;
            written.map_err(|problem| std::io::Error::other(format!("{problem:?}")))?;
            Err::<Reply, _>(CommandError::NotYet(call.now + HOUR))
        })
}

#[tokio::test]
async fn a_call_that_is_put_off_changes_nothing_and_the_same_call_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Database::open_file(&folder.path().join("candor.db")).await.unwrap());
    let executor = executor(module(), folder.path(), &store, store.clone());
    let (registry, access, due) = (executor.registry.now(), Access::default(), SystemTime::now());
    let guild = || Caller::of_guild(Language::ENGLISH);
    let later = |name: &str| LaterCall {
        module: "watch".to_owned(),
        caller: guild(),
        place: HERE,
        path: CommandPath::new(name, None),
        arguments: Map::new(),
        due,
    };
    let invocation = |event: EventId, name: &str| Invocation {
        event,
        caller: guild(),
        place: HERE,
        method: CallMethod::Pressed,
        path: CommandPath::new(name, None),
        arguments: Map::new(),
    };
    let run_due = async |id: i64, name: &str| {
        let permit = authorize_due(invocation(EventId::of_due(id), name), &registry, &access, "watch", due);
        executor.run(permit.expect("it may run"), &Rules::default(), &Keeping::default()).await
    };
    let kept = async || Records::list(&*store, "watch", &HERE.scope()).await.unwrap().len();
    let last = async || ReceiptBook::last(&*store, &guild(), HERE, "/receipt").await.unwrap().is_some();

    let id = store.call_later(&later("look")).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(run_due(id, "look").await, Ran::PutOff));
        assert_eq!((kept().await, last().await), (0, false));
        let waiting = store.waiting("watch", &HERE.scope(), guild().id).await.unwrap();
        assert!(due + HOUR / 2 < waiting[0].call.due, "{waiting:?}");
    }
    let found = run_due(id, "look").await.answer().unwrap();
    assert_eq!((found.reply.plain(), kept().await, last().await), ("found".to_owned(), 1, true));

    // What is done outside of the store cannot be taken back: such a run has failed. So has a call that nobody put off.
    let id = store.call_later(&later("spill")).await.unwrap();
    let by_person = authorize(invocation(EventId(9), "spill"), &registry, &access).unwrap();
    for ran in [run_due(id, "spill").await, executor.run(by_person, &Rules::default(), &Keeping::default()).await] {
        let Provenance::Command(receipt) = ran.answer().unwrap().into_parts().provenance else { panic!("no receipt") };
        assert_eq!(receipt.facts().outcome, Outcome::Failed);
    }
}

/// The most runs of one module in one place within a minute.
const RUNS_MAX: u64 = 20;

#[tokio::test]
async fn many_people_are_called_back_at_once_and_one_module_or_person_is_not_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let (_store, dispatcher) = dispatcher(&folder, Access::default(), PATIENT).await;
    let now = SystemTime::now();
    let call = |module: &str, person: u64| LaterCall {
        module: module.to_owned(),
        caller: Caller::new(UserId(person), "somebody"),
        place: HERE,
        path: CommandPath::new("fine", None),
        arguments: Map::new(),
        due: now,
    };
    // A compiled-in module makes them because each of these people asked.
    assert!((1..=60).all(|person| dispatcher.puts_off(&call("trial", person)).is_none()));
    let of_one = (0..RUNS_MAX).map(|_| dispatcher.puts_off(&call("trial", 7)));
    assert_eq!(of_one.filter(Option::is_some).count(), 1, "they had one call before");
    // Of one whose code is not the bot's, all count together.
    let of_all = (1..=60).map(|person| dispatcher.puts_off(&call("tea", person)));
    let put_off: Vec<_> = of_all.flatten().collect();
    assert_eq!(put_off.len(), 40);
    assert!(put_off.iter().all(|at| now < *at) && put_off.is_sorted(), "{put_off:?}");
}
