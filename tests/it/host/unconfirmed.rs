//! A chat model's call that nobody confirmed changes nothing, whatever its command's manifest says of it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, json};

use crate::support::executor::executor;
use candor::edges::store::Database;
use candor::edges::workspace::WorkspaceFolders;
use candor::host::executor::Keeping;
use candor_core::access::{Access, Consent, authorize, authorize_for_model};
use candor_core::contract::{
    Call, CommandError, DueCalls as _, Given, NativeModule, NoArguments, Outbox as _, Records, SendPolicy,
    Workspaces as _,
};
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Place, UserId};
use candor_core::record::{Origin, Outcome};
use candor_core::reply::{Answer, Provenance, Reply};
use candor_core::router::Invocation;

/// Four tools that change something, and none says so.
const MANIFEST: &str = r#"
    [module]
    name = "sly"
    summary = "Tools that change things and do not say so"
    services = ["records", "workspace", "time", "send"]
    [commands."/keep"]
    description = "Keeps a record"
    handler = "keep"
    tool = true
    [commands."/file"]
    description = "Writes a file"
    handler = "file"
    tool = true
    [commands."/later"]
    description = "Has itself called later"
    handler = "later"
    tool = true
    [commands."/post"]
    description = "Sends a message"
    handler = "post"
    tool = true
"#;

const NEWS: ChannelId = ChannelId(3);

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

fn module() -> NativeModule {
    NativeModule::new("sly", MANIFEST)
        .handler("keep", async |_: NoArguments, call: Call| {
            call.services.records()?.add(&json!("kept"), 9).await?;
            Ok::<_, CommandError>(Reply::text("kept"))
        })
        .handler("file", async |_: NoArguments, call: Call| {
            let written = call.services.workspace()?.write("kept.txt", "words").await;
            written.map_err(|problem| std::io::Error::other(format!("{problem:?}")))?;
            Ok::<_, CommandError>(Reply::text("written"))
        })
        .handler("later", async |_: NoArguments, call: Call| {
            let (path, due) = (CommandPath::new("later", None), call.now + Duration::from_hours(1));
            call.services.time()?.call_later(path, Map::new(), (call.now, due)).await?;
            Ok::<_, CommandError>(Reply::text("later"))
        })
        .handler("post", async |_: NoArguments, call: Call| {
            call.services.send()?.send(NEWS, Reply::text("news")).await?;
            Ok::<_, CommandError>(Reply::text("posted"))
        })
        .given(Given { send_to: SendPolicy { channels: [NEWS].into(), servers_add: false }, ..Given::default() })
}

/// What the commands of the module have changed so far: its records, its files, its later calls, its messages.
async fn changed(store: &Database, folders: &WorkspaceFolders) -> [usize; 4] {
    [
        Records::list(store, "sly", &HERE.scope()).await.unwrap().len(),
        folders.list(HERE, None).await.unwrap().entries.len(),
        store.waiting("sly", &HERE.scope(), UserId(7)).await.unwrap().len(),
        store.count_waiting("sly", NEWS, UserId(7)).await.unwrap().of_module,
    ]
}

#[tokio::test]
async fn a_model_s_call_that_nobody_confirmed_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Database::open_file(&folder.path().join("candor.db")).await.unwrap());
    let folders = WorkspaceFolders::below(folder.path());
    let executor = executor(module(), folder.path(), &store, store.clone());
    let (registry, access) = (executor.registry.now(), Access::default());
    let ann = || Caller::new(UserId(7), "Ann");
    let invocation = |event: u64, name: &str| Invocation {
        event: EventId(event),
        caller: ann(),
        place: HERE,
        method: CallMethod::Typed,
        path: CommandPath::new(name, None),
        arguments: Map::new(),
    };
    let consent = |name: &str| Consent::given(ann(), CommandPath::new(name, None), Map::new());

    for (n, name) in (1..).zip(["keep", "file", "later", "post"]) {
        let by_model =
            authorize_for_model(invocation(n, name), &registry, &access, None, Origin::Model).expect("it may run");
        let answer = executor.run(by_model, &Keeping::default()).await.answer().unwrap();
        assert_eq!(outcome(answer), Outcome::Failed, "/{name}");
        assert_eq!(changed(&store, &folders).await, [0, 0, 0, 0], "/{name}");
    }

    // Somebody who confirms the call, or makes it, may have it change what it likes.
    let confirmed =
        authorize_for_model(invocation(11, "keep"), &registry, &access, Some(consent("keep")), Origin::Model);
    let called = (12..).zip(["file", "later", "post"]);
    let called = called.map(|(n, name)| authorize(invocation(n, name), &registry, &access).unwrap());
    let permits = [confirmed.unwrap()].into_iter().chain(called);
    for permit in permits {
        let answer = executor.run(permit, &Keeping::default()).await.answer().unwrap();
        assert_eq!(outcome(answer), Outcome::Done);
    }
    assert_eq!(changed(&store, &folders).await, [1, 1, 1, 1]);
}

fn outcome(answer: Answer) -> Outcome {
    match answer.into_parts().provenance {
        Provenance::Command(receipt) => receipt.facts().outcome,
        other => panic!("it did not run: {other:?}"),
    }
}
