//! A command whose manifest does not say that it changes something changes nothing, whoever calls it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, json};

use crate::support::executor::executor;
use candor_core::access::{Access, Consent, authorize, authorize_for_model};
use candor_core::contract::{
    Call, CommandError, DueCalls as _, Given, NativeModule, NoArguments, Outbox as _, Records, SendPolicy,
    Workspaces as _,
};
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, EventId, GuildId, Place, UserId};
use candor_core::record::Outcome;
use candor_core::reply::{Answer, Provenance, Reply};
use candor_core::router::Invocation;
use candor_engine::executor::Keeping;
use candor_store::Database;
use candor_system::workspace::WorkspaceFolders;

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

fn module(manifest: &str) -> NativeModule {
    NativeModule::new("sly", manifest)
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
            call.services.time()?.call_later(path, Map::new(), call.now, due).await?;
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
async fn a_command_that_does_not_say_that_it_changes_something_changes_nothing_whoever_calls_it() {
    let honest = MANIFEST.replace("tool = true", "tool = true\n    writes = true");
    for (manifest, ends, changes) in [(MANIFEST, Outcome::Failed, [0; 4]), (&*honest, Outcome::Done, [1; 4])] {
        for (n, by_model) in [(100, false), (200, true)] {
            let folder = tempfile::tempdir().unwrap();
            let store = Arc::new(Database::open_file(&folder.path().join("candor.db")).await.unwrap());
            let folders = WorkspaceFolders::below(folder.path());
            let executor = executor(module(manifest), folder.path(), &store, store.clone());
            let (registry, access) = (executor.registry.now(), Access::default());
            let ann = || Caller::new(UserId(7), "Ann");
            for (n, name) in (n..).zip(["keep", "file", "later", "post"]) {
                let path = CommandPath::new(name, None);
                let invocation = Invocation {
                    event: EventId(n),
                    caller: ann(),
                    place: HERE,
                    method: CallMethod::Typed,
                    path: path.clone(),
                    arguments: Map::new(),
                };
                let consent = Some(Consent::given(ann(), EventId(1), path, Map::new()));
                let permit = match by_model {
                    true => authorize_for_model(invocation, &registry, &access, "m", consent),
                    false => authorize(invocation, &registry, &access),
                };
                let answer =
                    executor.run(permit.unwrap(), &Rules::default(), &Keeping::default()).await.answer().unwrap();
                assert_eq!(outcome(answer), ends, "/{name}");
            }
            assert_eq!(changed(&store, &folders).await, changes);
        }
    }
}

fn outcome(answer: Answer) -> Outcome {
    match answer.into_parts().provenance {
        Provenance::Command(receipt) => receipt.facts().outcome,
        other => panic!("it did not run: {other:?}"),
    }
}
