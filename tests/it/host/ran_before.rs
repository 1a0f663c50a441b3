//! A call of a turn that an earlier attempt at the same message already made: it is not made again, and nobody says that
//! it did not run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use async_trait::async_trait;
use candor::app::{App, Sources, examine};
use serde_json::Map;

use candor_core::agent::tools::{Completion, RawArguments, RawCall, Unattended};
use candor_core::agent::{Growth, Model, ModelFailure, Request};
use candor_core::contract::outside::Starting;
use candor_core::guild::Rules;
use candor_core::inbound::{
    Addressed, AuthorKind, Caller, CameWith, ChannelId, EventId, Inbound, Message, Place, UserId,
};
use candor_core::language::Language;
use candor_core::reply::{Mark, Provenance};

const MESSAGE: EventId = EventId(1);

/// Calls `/status`, and then says that all is well.
#[derive(Default)]
struct CallsOnce(AtomicUsize);

#[async_trait]
impl Model for CallsOnce {
    async fn complete(&self, _: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        growth.began();
        let is_first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
        let call = RawCall { id: None, name: "status".to_owned(), arguments: RawArguments::Object(Map::new()) };
        let calls = if is_first { vec![call] } else { Vec::new() };
        Ok(Completion { text: if is_first { String::new() } else { "All is well.".to_owned() }, calls, cut: None })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_made_before_is_marked_as_of_unknown_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("candor.db");
    let config = folder.path().join("config.toml");
    let settings = "[chat.access]\ndirect = \"everybody\"\n[host_metrics]\nenabled = false\n[admin]\nlisten = \"off\"\n\
                    [model]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"small\"]\ntools = \"native\"\n";
    std::fs::write(&config, format!("{settings}[store]\npath = '{}'\n", path.display())).unwrap();
    let sources = Sources { natives: candor_modules::all, config: Some(&config), running: None };
    let model = Arc::new(CallsOnce::default());
    let app = App::start_with(examine(sources, Starting::Serve).await, Some(model.clone()), None).await.unwrap();

    assert!(app.dispatcher.executor.claim(EventId::of_call(MESSAGE, 1)).await.unwrap());
    let said = Inbound::Message(Message {
        id: MESSAGE,
        caller: Caller::new(UserId(7), "ann"),
        author: AuthorKind::Person,
        place: Place::Direct { channel: ChannelId(5) },
        addressed: Addressed::Direct,
        bot: UserId(1),
        text: "how are you?".to_owned(),
        came_with: CameWith::default(),
        sent: SystemTime::now(),
    });
    let answer = app.dispatcher.answer(&said, &Rules::default(), &Unattended).await.unwrap();
    assert_eq!(model.0.load(Ordering::Relaxed), 2);
    let Provenance::Turn(facts) = &answer.provenance else { panic!("{answer:?}") };
    assert_eq!(facts.mark, Mark::default().unknown(["/status".to_owned()]));
    let fact = facts.mark.fact(Language::ENGLISH);
    assert!(fact.contains("/status") && !fact.contains("no command ran"), "{fact}");
    app.close().await;
}
