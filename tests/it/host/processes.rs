//! Two processes on one database: a conversation has one turn at a time, whichever of them got the message.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Map;
use tempfile::TempDir;
use tokio_util::task::AbortOnDropHandle;

use crate::host::dispatch::{PATIENT, over};
use crate::support::postgres;
use crate::support::said::{assert_says, said};
use crate::support::typist::{Pages, typist};
use candor_core::access::Access;
use candor_core::agent::tools::Unattended;
use candor_core::agent::{ConversationKey, Conversations as _};
use candor_core::contract::check;
use candor_core::guild::Rules;
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, ChannelId, CommandType, EventId, GuildId, Inbound,
    Interaction, Message, Place, UserId,
};
use candor_core::registry::Registry;
use candor_core::reply::{Answer, Provenance};
use candor_engine::dispatch::Dispatcher;
use candor_engine::executor::Charts;
use candor_engine::{Leases as _, turn_lease};
use candor_store::{Address, Database};

const HERE: Place = Place::Guild { guild: GuildId(3), channel: ChannelId(4) };
const ANN: UserId = UserId(7);
const BEN: UserId = UserId(8);

/// Has a process answer what somebody says.
fn says(process: &Arc<Dispatcher>, event: u64, user: UserId, text: &str) -> AbortOnDropHandle<Answer> {
    let said = Inbound::Message(Message {
        id: EventId(event),
        caller: Caller::new(user, "somebody"),
        author: AuthorKind::Person,
        place: HERE,
        addressed: Addressed::Mention,
        bot: UserId(1),
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: SystemTime::now(),
    });
    answered(process, said)
}

/// Has a process answer a command that somebody chooses in the picker.
fn chooses(process: &Arc<Dispatcher>, event: u64, user: UserId, command: &str) -> AbortOnDropHandle<Answer> {
    let chosen = Inbound::Interaction(Interaction {
        method: CallMethod::Picked,
        command_type: CommandType::Slash,
        id: EventId(event),
        caller: Caller::new(user, "somebody"),
        place: HERE,
        path: vec![command.to_owned()],
        arguments: Map::new(),
        target: None,
        sent: SystemTime::now(),
    });
    answered(process, chosen)
}

fn answered(process: &Arc<Dispatcher>, inbound: Inbound) -> AbortOnDropHandle<Answer> {
    let process = process.clone();
    AbortOnDropHandle::new(tokio::spawn(async move {
        process.answer(&inbound, &Rules::default(), &Unattended).await.unwrap()
    }))
}

/// Two processes on one database and one model.
struct Pair {
    processes: [Arc<Dispatcher>; 2],
    stores: [Arc<Database>; 2],
    pages: Pages,
    _folder: TempDir,
}

/// None where there is no PostgreSQL.
async fn pair() -> Option<Pair> {
    let server = postgres::database().await?;
    let folder = tempfile::tempdir().unwrap();
    let address = folder.path().join("store.url");
    std::fs::write(&address, server).unwrap();
    let registry = Arc::new(Registry::build(check(candor_engine::builtin::module(), Vec::new(), Vec::new())));
    let (model, pages) = typist();
    let model = Arc::new(model);
    let open = async || Arc::new(Database::open_server(&Address::read(&address).unwrap()).await.unwrap());
    let stores = [open().await, open().await];
    let processes = stores.each_ref().map(|store| {
        let settings = (Access::default(), PATIENT, Charts::default());
        Arc::new(over(store.clone(), registry.clone(), Some(model.clone()), settings))
    });
    Some(Pair { processes, stores, pages, _folder: folder })
}

/// The notes under a reply that is not kept.
fn notes_of_what_is_not_kept(answer: &Answer) -> String {
    let Provenance::Turn(facts) = &answer.provenance else { panic!("{answer:?}") };
    assert_eq!(facts.turn, None);
    facts.notes.join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_has_one_turn_at_a_time_and_is_cleared_by_any_of_them() {
    let Some(Pair { processes, stores, mut pages, _folder }) = pair().await else { return };
    let one = says(&processes[0], 1, ANN, "one");
    let page = pages.next().await;
    assert_eq!(page.asked(), "one");
    let two = says(&processes[1], 2, ANN, "two");
    // Somebody else is not held up.
    let other = says(&processes[1], 3, BEN, "hello");
    let page_of_other = pages.next().await;
    assert_eq!(page_of_other.asked(), "hello");
    assert!(pages.is_idle());
    page.writes("First.");
    page.ends();
    assert_eq!(one.await.unwrap().reply.text, "First.");
    let page = pages.next().await;
    assert_eq!(page.asked(), "two");
    assert!(format!("{:?}", page.shown).contains("First."), "{:?}", page.shown);

    // A process that knows nothing of the turn clears its conversation.
    let cleared = chooses(&processes[0], 4, ANN, "clear").await.unwrap();
    assert_says(&cleared.reply.text, said!("clear-done", n = 2));
    // The model goes on and on: the turn ends all the same.
    page.writes("Second, ");
    let answer = two.await.unwrap();
    drop(page);
    assert_says(notes_of_what_is_not_kept(&answer), said!("note-cleared"));
    assert_eq!(stores[0].n_exchanges(&ConversationKey::new(HERE, ANN)).await.unwrap(), 0);

    page_of_other.writes("Hello.");
    page_of_other.ends();
    assert_eq!(other.await.unwrap().reply.text, "Hello.");
    assert_eq!(stores[0].n_exchanges(&ConversationKey::new(HERE, BEN)).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_ends_when_another_process_takes_its_conversation_over() {
    let Some(Pair { processes, stores, mut pages, _folder }) = pair().await else { return };
    let one = says(&processes[0], 1, ANN, "one");
    let page = pages.next().await;
    page.writes("First, ");
    // The first process gives no sign for longer than its lease lasts.
    let later = SystemTime::now() + Duration::from_mins(10);
    let lease = turn_lease(&ConversationKey::new(HERE, ANN));
    assert!(stores[1].take_lease(&lease, Duration::from_mins(10), later).await.unwrap());
    let answer = one.await.unwrap();
    let Provenance::Turn(facts) = &answer.provenance else { panic!("{answer:?}") };
    assert_says(facts.notes.join("\n"), said!("note-elsewhere"));
    drop(page);
}
