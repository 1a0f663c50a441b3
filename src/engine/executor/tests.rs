//! What modules contribute to the chat model about a person, and what happens to those that fail.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use tokio::time::timeout;

use super::*;
use crate::InForce;
use crate::clock::Clock;
use crate::{LeftOpen, Sealer, SigningKey};
use candor_core::access::CooldownKey;
use candor_core::agent::prompt::Background;
use candor_core::contract::{Call, CommandError, HostServices, NativeModule, ServiceError, ServiceName, check};
use candor_core::guild::Rules;
use candor_core::inbound::{Caller, ChannelId, EventId, GuildId, Place, UserId};
use candor_core::record::{Receipt, ReceiptId};
use candor_core::registry::Registry;
use candor_core::reply::Reply;
use candor_core::testing::InMemory;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// A ledger that nothing is written to.
struct Nowhere;

#[async_trait]
impl Ledger for Nowhere {
    fn is_shared(&self) -> bool {
        false
    }

    fn was_alone(&self) -> bool {
        true
    }

    async fn number(&self) -> Result<u64, ServiceError> {
        unreachable!()
    }

    async fn release(&self, _: EventId) -> Result<(), ServiceError> {
        Ok(())
    }

    async fn claim(&self, _: EventId, _: SystemTime) -> Result<bool, ServiceError> {
        unreachable!()
    }

    async fn commit(&self, _: Commit) -> Result<Committed, ServiceError> {
        unreachable!()
    }

    async fn begin(&self, _: Intent) -> Result<Beginning, ServiceError> {
        unreachable!()
    }

    async fn leave_open(&self, _: Intent, _: String) -> Result<(), ServiceError> {
        unreachable!()
    }

    async fn shown(&self, _: EventId) -> Result<(), ServiceError> {
        unreachable!()
    }

    async fn open_intents(&self, _: LeftOpen) -> Result<Vec<OpenIntent>, ServiceError> {
        unreachable!()
    }

    async fn close_intent(&self, _: EventId, _: Option<Arc<Receipt>>) -> Result<bool, ServiceError> {
        unreachable!()
    }

    async fn call_again(&self, _: EventId, _: SystemTime) -> Result<(), ServiceError> {
        unreachable!()
    }

    async fn commit_receipts(&self, _: Vec<crate::executor::ReceiptCommit>) -> Result<bool, ServiceError> {
        unreachable!()
    }

    async fn keep_answer(&self, _: ReceiptId, _: &str, _: SystemTime) -> Result<(), ServiceError> {
        unreachable!()
    }
}

#[async_trait]
impl CooldownStore for Nowhere {
    async fn waiting(&self, _: EventId, _: &[CooldownKey], _: SystemTime) -> Result<Option<Wait>, ServiceError> {
        unreachable!()
    }
}

struct AtTheBeginning;

impl Clock for AtTheBeginning {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }
}

async fn nothing(_: candor_core::contract::NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::default())
}

fn module(name: &str, services: &str) -> NativeModule {
    let manifest = format!(
        "[module]\nname = \"{name}\"\nsummary = \"About {name}\"\nservices = [{services}]\n\
         [commands.\"/{name}\"]\ndescription = \"Nothing\"\nhandler = \"nothing\"\n"
    );
    NativeModule::new(name, &manifest).handler("nothing", nothing)
}

/// An executor with this deadline for handlers.
fn executor(modules: Vec<NativeModule>, deadline: Duration) -> Executor {
    let checked = check(crate::builtin::module(), modules, Vec::new());
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    let services = HostServices { records: Some(Arc::new(InMemory::default())), ..HostServices::default() };
    let registry = Arc::new(InForce::new(Arc::new(Registry::build(checked))));
    let calls = ModuleCalls { registry, services: Arc::new(services), deadline };
    let sealer = Sealer::new(&SigningKey::new([0; 32]));
    Executor::new(Arc::new(calls), Arc::new(Nowhere), Arc::new(AtTheBeginning), sealer)
}

/// A deadline that no module misses unless it never answers.
const PATIENT: Duration = Duration::from_secs(60);

fn caller(id: u64) -> Caller {
    Caller::new(UserId(id), "somebody")
}

fn background(module: &str, entries: &[&str]) -> Background {
    Background { title: format!("About {module}"), entries: entries.iter().map(|&entry| entry.to_owned()).collect() }
}

#[tokio::test]
async fn each_module_that_has_something_to_say_is_heard_and_bounded() {
    let modules = vec![
        module("silent", ""),
        module("empty", "\"prompt\"").background(async |_| Ok(Vec::new())),
        module("names", "\"prompt\"").background(async |call: Call| Ok(vec![format!("id {}", call.caller.id)])),
        module("endless", "\"prompt\"").background(async |_| Ok((0..1_000).map(|n: u32| n.to_string()).collect())),
    ];
    let executor = executor(modules, PATIENT);
    let first_fifty: Vec<_> = (0..50).map(|n| n.to_string()).collect();
    let first_fifty: Vec<_> = first_fifty.iter().map(String::as_str).collect();
    let expected = [background("endless", &first_fifty), background("names", &["id 7"])];
    assert_eq!(executor.calls.background(&caller(7), HERE, &Rules::default(), UNIX_EPOCH).await, expected);
}

#[tokio::test]
async fn what_was_not_asked_for_is_not_granted_and_another_person_is_not_seen() {
    let records = "\"records\", \"prompt\"";
    let own = async |call: Call| {
        let records = call.services.caller_records()?;
        records.add(&call.caller.id.0.into(), 10).await?;
        Ok(records.list().await?.into_iter().map(|(id, body)| format!("{id}: {body}")).collect())
    };
    let modules = vec![module("greedy", "\"prompt\"").background(own), module("own", records).background(own)];
    let executor = executor(modules, PATIENT);
    let told =
        async |person, place| executor.calls.background(&caller(person), place, &Rules::default(), UNIX_EPOCH).await;
    assert_eq!(told(7, HERE).await, [background("own", &["1: 7"])]);
    assert_eq!(told(8, HERE).await, [background("own", &["1: 8"])]);
    assert_eq!(told(7, HERE).await, [background("own", &["1: 7", "2: 7"])]);
    assert_eq!(told(7, Place::Console).await, [background("own", &["1: 7"])]);
}

#[tokio::test]
async fn a_module_that_fails_or_hangs_takes_nothing_from_the_others() {
    let modules = vec![
        module("broken", "\"prompt\"").background(async |_| Err(std::io::Error::other("broken").into())),
        module("crash", "\"prompt\"").background(async |_| panic!("crash")),
        module("hangs", "\"prompt\"").background(async |_| std::future::pending().await),
        module("refuses", "\"prompt\"").background(async |_| Err(CommandError::tell("no"))),
        module("well", "\"prompt\"").background(async |_| Ok(vec!["fine".to_owned()])),
    ];
    let executor = executor(modules, Duration::from_millis(20));
    let told = executor.calls.background(&caller(7), HERE, &Rules::default(), UNIX_EPOCH).await;
    assert_eq!(told, [background("well", &["fine"])]);
}

#[test]
fn to_tell_the_chat_model_something_the_manifest_has_to_ask_for_it() {
    let module = module("sly", "").background(async |_| Ok(Vec::new()));
    let checked = check(crate::builtin::module(), vec![module], Vec::new());
    let told: Vec<_> = checked.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(told, ["the manifest does not ask for the service `prompt`"]);
    assert_eq!(ServiceName::Prompt.name(), "prompt");
}

#[tokio::test(start_paused = true)]
async fn receipts_are_read_once_those_on_their_way_are_stored() {
    let flights = Flights::default();
    let on_its_way = flights.store_later().unwrap();
    assert!(timeout(Duration::from_secs(60), flights.stored()).await.is_err());
    drop(on_its_way);
    flights.stored().await;
}
