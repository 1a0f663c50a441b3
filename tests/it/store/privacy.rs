//! What is kept of one person is shown and erased, whole, and nothing of anybody else.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::chat::{append, keep, shared, summaries};
use super::commands::ledger::Bot;
use super::trial::{commit, intent};
use super::{NOW, Trial, on_every_engine};
use candor_core::access::{CooldownKey, CooldownKind};
use candor_core::agent::{
    ConversationKey, Conversations as _, Day, Spending as _, Spoken, Subject, Summaries as _, Tokens, Turns as _,
};
use candor_core::contract::{
    AllowedBy, Change, ChannelMessage, DueCalls as _, LaterCall, Outgoing, RecordChange, Records as _, personal_scope,
};
use candor_core::execution::Left;
use candor_core::inbound::{
    CallMethod, Caller, ChannelId, CommandPath, CommandType, EventId, GuildId, Interaction, Place, UserId,
};
use candor_core::record::{CallRecord, Origin, ReceiptId, ReplyButton, TurnId, TurnRecord};
use candor_core::reply::Reply;
use candor_core::testing::{chat, ran};
use candor_engine::executor::{Committed, Ledger as _, StagedChange};
use candor_engine::{LeftOpen, PersonalKind, ReceiptBook as _};
use candor_engine::{LiveMessage, Person, PersonalStore as _};
use candor_store::Database;

on_every_engine!(
    everything_of_a_person_is_erased_and_nothing_of_another,
    no_number_of_an_erased_record_comes_back,
    places_are_a_persons_own_where_nobody_else_was,
    a_forgotten_memory_takes_its_words_out_of_what_else_is_kept_of_its_person,
    a_record_is_forgotten_with_the_receipt_of_the_command_or_not_at_all,
    receipts_whose_arguments_cannot_be_taken_out_are_counted,
    the_arguments_of_runs_under_way_are_taken_out_with_those_of_receipts,
    clearing_a_conversation_takes_the_words_of_its_turns_out,
    an_old_receipt_takes_its_answer_along,
    what_chat_used_today_stays_until_the_day_is_over,
);

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const THERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(3) };

/// Tables with nothing of anybody: what is in them belongs to the bot, or is no more than the id of an event.
const NOBODYS: [&str; 14] = [
    "claims",
    "sequences",
    "secrets",
    "checkpoints",
    "samples",
    "sample_layouts",
    "registrations",
    // Ids of messages, while a reply is written.
    "open_replies",
    // What one process does at a time.
    "leases",
    // Sessions of the bot's shards.
    "sessions",
    // Times alone.
    "logins",
    "refusals",
    // The versions of the store's own format.
    "_sqlx_migrations",
    "candor_steps",
];

/// Somebody who uses the bot in a server and in direct messages.
struct Somebody {
    user: UserId,
    /// The first of their events. Each of their texts is `words of` some event.
    events: u64,
    direct: Place,
}

const ANN: Somebody = Somebody { user: UserId(7_000), events: 1_000, direct: Place::Direct { channel: ChannelId(70) } };
const BEN: Somebody = Somebody { user: UserId(8_000), events: 2_000, direct: Place::Direct { channel: ChannelId(80) } };

fn record(words: &str) -> TurnRecord {
    TurnRecord {
        calls: vec![CallRecord {
            tool: "note".to_owned(),
            arguments: json!({ "text": words }).to_string(),
            receipt: Some("7F3K5".to_owned()),
            ..CallRecord::default()
        }],
        said: format!("I noted: {words}"),
        ..TurnRecord::default()
    }
}

/// Has the store keep something of this person in every table.
async fn fill(bot: &Bot, of: &Somebody) {
    use candor_engine::LiveMessages as _;
    let (store, Somebody { user, events, direct }) = (&bot.store, of);
    let words = |n: u64| format!("words of {}", events + n);
    for (n, (origin, place)) in
        (0..).zip([(Origin::Person, HERE), (Origin::Model, HERE), (Origin::Refresh, HERE), (Origin::Person, *direct)])
    {
        let receipt = bot.run_for(origin, events + n, *user, place, "note").await.unwrap();
        store.keep_answer(receipt.id(), &words(n), NOW).await.unwrap();
    }
    // By its manifest, and by what a guild set.
    let cooldowns = [CooldownKind::User, CooldownKind::Member(GuildId(1))].map(|kind| {
        let key = CooldownKey { kind, id: user.0, command: "/note".to_owned() };
        (key, Duration::from_hours(1))
    });
    let mut begun = intent(EventId(events + 10), cooldowns.into(), NOW);
    (begun.begun.caller, begun.begun.arguments) = (*user, json!({ "text": words(10) }).to_string());
    store.begin(begun).await.unwrap();
    for place in [HERE, *direct] {
        let key = ConversationKey::new(place, *user);
        append(store, &key, &chat(&words(20)), &words(21), NOW).await;
        store.choose_model(&key, "small").await.unwrap();
        let turn = keep(store, *user, place, NOW, &record(&words(22))).await;
        candor_core::agent::Turns::shown(&**store, turn, &[events + turn.0]).await.unwrap();
        assert!(store.claim_button(turn, ReplyButton::GoOn).await.unwrap());
    }
    let stretches = shared::begun(store, HERE, &[*user]).await;
    let spoken = Spoken::new(&Caller::new(*user, "somebody"), &chat(&words(23)));
    assert!(store.append_spoken(&stretches, &[spoken], &words(24), NOW).await.unwrap());
    // In channels of their own: a summary that others share goes as a whole.
    let channel = Place::Guild { guild: GuildId(1), channel: ChannelId(events + 60) };
    let (own, whole) = (ConversationKey::new(channel, *user), ConversationKey::shared(channel));
    for n in 60..62 {
        append(store, &own, &chat(&words(n)), &words(n), NOW).await;
        store.keep_messages(&own, &[events + n]).await.unwrap();
        let stretches = shared::begun(store, channel, &[*user]).await;
        let spoken = Spoken::new(&Caller::new(*user, "somebody"), &chat(&words(n)));
        assert!(store.append_spoken(&stretches, &[spoken], &words(n), NOW).await.unwrap());
    }
    assert!(summaries::summarise(store, &own, &words(62)).await);
    assert!(summaries::summarise(store, &whole, &words(63)).await);
    for scope in [personal_scope("guild:1", *user), personal_scope(&direct.scope(), *user), direct.scope()] {
        store.add("memory", &scope, &json!({ "content": words(30) }), 9).await.unwrap();
    }
    // Of the newest day of all a person's stays. The bot's own has nothing of anybody.
    let (day, next) = (Day::of(NOW), Day::of(NOW + Duration::from_hours(24)));
    store.add_tokens(day, &[Subject::Person(*user)], Tokens { counted: 1, estimated: 0 }).await.unwrap();
    store.add_tokens(next, &[Subject::Bot], Tokens::default()).await.unwrap();
    let interaction = Interaction {
        method: CallMethod::Picked,
        command_type: CommandType::Slash,
        id: EventId(events + 40),
        caller: Caller::new(*user, "somebody"),
        place: Place::Guild { guild: GuildId(1), channel: ChannelId(*events) },
        path: vec!["status".to_owned()],
        arguments: Map::from_iter([("metric".to_owned(), json!(words(40)))]),
        target: None,
        sent: NOW,
    };
    store.remember(&LiveMessage { message: events + 41, interaction }).await.unwrap();
    let later = LaterCall {
        module: "remind".to_owned(),
        caller: Caller::new(*user, "somebody"),
        place: HERE,
        path: CommandPath::new("remind", Some("add")),
        arguments: Map::from_iter([("text".to_owned(), json!(words(50)))]),
        due: NOW,
    };
    store.call_later(&later).await.unwrap();
    let message = ChannelMessage::of(Reply::text(words(60))).unwrap();
    let message =
        Outgoing { module: "news".to_owned(), channel: ChannelId(5), allowed_by: AllowedBy::Operator, message };
    let mut begun = intent(EventId(events + 60), Vec::new(), NOW).begun;
    (begun.caller, begun.place) = (*user, HERE);
    begun.arguments = json!({ "text": words(60) }).to_string();
    let (receipt, _) = begun.interrupted(Left::Nothing);
    let sent = commit(events + 60, receipt, vec![StagedChange::Message(Box::new(message))]);
    assert_eq!(store.commit(sent).await.unwrap(), Committed::Committed);
}

/// Every table, and its rows as text.
type Dump = BTreeMap<String, Vec<String>>;

async fn erase(store: &Database, user: UserId) {
    let person = store.person(user).await.unwrap();
    for kind in PersonalKind::ALL {
        while store.erase_part(&person, kind).await.unwrap() != 0 {}
    }
}

/// All that is kept of a person, by kind.
async fn all(store: &Database, user: UserId) -> Vec<(PersonalKind, Vec<Value>)> {
    let person = store.person(user).await.unwrap();
    let mut all = Vec::new();
    for kind in PersonalKind::ALL {
        let mut found: Vec<Value> = Vec::new();
        let mut visit = |entry| {
            found.push(entry);
            true
        };
        store.each_of(&person, kind, &mut visit).await.unwrap();
        assert_eq!(store.count_of(&person, kind).await.unwrap(), found.len() as u64, "{kind:?}");
        all.push((kind, found));
    }
    all
}

async fn everything_of_a_person_is_erased_and_nothing_of_another(trial: Trial) {
    let bot = Bot::new(&trial).await;
    fill(&bot, &BEN).await;
    let bens: Dump = trial.dump().await;
    let kept_of_ben = all(&bot.store, BEN.user).await;
    let shown = format!("{kept_of_ben:?}");
    // What others said too is in a summary that they share.
    assert!(shown.contains("words of 2062") && !shown.contains("words of 2063"), "{shown}");
    fill(&bot, &ANN).await;
    let both = trial.dump().await;
    for (kind, found) in all(&bot.store, ANN.user).await {
        assert_eq!(found.is_empty(), kind == PersonalKind::Files, "{kind:?} is not shown");
    }

    erase(&bot.store, ANN.user).await;
    let left = trial.dump().await;
    for (table, rows) in &left {
        let is_bens = |row: &&String| bens[table].contains(row);
        let of_ann: Vec<_> = rows.iter().filter(|row| !is_bens(row)).collect();
        assert!(!rows.iter().any(|row| row.contains("words of 10")), "{table} has words of Ann: {rows:?}");
        match table.as_str() {
            // Hashes and signatures: any digits may stand in them.
            "heads" | "receipt_keys" => continue,
            table if NOBODYS.contains(&table) => {
                assert!(!rows.iter().any(|row| row.contains("7000")), "{table} knows Ann: {rows:?}");
                continue;
            }
            // The row of a run that is under way stays until it ends.
            "receipts" | "intents" => assert_eq!(rows.len(), both[table].len(), "{table}: what ran stays"),
            // The largest number that was hers, without her.
            "record_scopes" => assert!(!of_ann.iter().any(|row| row.contains("7000")), "{table} knows Ann: {of_ann:?}"),
            // A stretch of a conversation that all in a channel share is nobody's.
            "conversations" => assert!(!of_ann.iter().any(|row| row.contains("7000")), "{table} knows Ann: {of_ann:?}"),
            _ => assert!(of_ann.is_empty(), "{table} has something of Ann: {of_ann:?}"),
        }
        assert!(both[table].len() > bens[table].len(), "this test fills {table} with nothing: how is it erased?");
        assert!(bens[table].iter().all(|row| rows.contains(row)), "something of Ben is gone from {table}");
    }
    assert_eq!(bot.store.verify_chain().await.unwrap(), None);
    assert_eq!(all(&bot.store, BEN.user).await, kept_of_ben);
    for (kind, found) in all(&bot.store, ANN.user).await {
        match kind {
            PersonalKind::Receipts => assert!(found.iter().all(|entry| entry["arguments"].is_null()), "{found:?}"),
            PersonalKind::Runs => assert_eq!(found[0]["arguments"], json!("taken out")),
            _ => assert_eq!(found, [] as [Value; 0], "{kind:?}"),
        }
    }
}

async fn no_number_of_an_erased_record_comes_back(trial: Trial) {
    let store = trial.open().await;
    let (anns, bens) = (personal_scope("guild:1", ANN.user), personal_scope("guild:1", BEN.user));
    let add = async |scope: &str| store.add("memory", scope, &json!("milk"), 9).await.unwrap();
    for expected in 1..=3 {
        assert_eq!(add(&anns).await, expected);
    }
    assert_eq!(add(&bens).await, 1);
    erase(&store, ANN.user).await;
    assert_eq!((add(&anns).await, add(&bens).await), (4, 2));
    erase(&store, BEN.user).await;
    erase(&store, ANN.user).await;
    assert_eq!((add(&anns).await, add(&bens).await), (5, 5));
}

async fn places_are_a_persons_own_where_nobody_else_was(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let (own, shared) = (ANN.direct, Place::Direct { channel: ChannelId(71) });
    for (event, user, place) in [(1, ANN.user, own), (2, ANN.user, shared), (3, BEN.user, shared), (4, ANN.user, HERE)]
    {
        bot.run_for(Origin::Person, event, user, place, "note").await.unwrap();
    }
    for (user, places) in [(ANN.user, vec![own]), (BEN.user, vec![]), (UserId(9), vec![])] {
        assert_eq!(bot.store.person(user).await.unwrap(), Person { user, places });
    }

    // Files and records of a place are kept for longer than what says who was there.
    let scope = own.scope();
    bot.store.add("tasks", &scope, &json!("milk"), 9).await.unwrap();
    trial.tamper(trial.empty_ledger()).await;
    assert_eq!(bot.store.person(ANN.user).await.unwrap().places, [own]);
    erase(&bot.store, ANN.user).await;
    assert_eq!(candor_core::contract::Records::list(&*bot.store, "tasks", &scope).await.unwrap(), []);
    assert_eq!(bot.store.person(ANN.user).await.unwrap().places, []);
}

/// The record of a turn as it is kept.
async fn turn(store: &Database, id: TurnId) -> TurnRecord {
    store.turn(id).await.unwrap().unwrap().record
}

/// Whether a receipt still has its arguments.
async fn has_arguments(store: &Database, id: ReceiptId) -> bool {
    store.find(id).await.unwrap().unwrap().has_arguments
}

async fn a_forgotten_memory_takes_its_words_out_of_what_else_is_kept_of_its_person(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let (store, scope) = (&bot.store, personal_scope("guild:1", ANN.user));
    let memory = json!({ "content": "Words of 1" });
    let (held, other) = (
        bot.run_for(Origin::Person, 1, ANN.user, THERE, "note").await.unwrap().id(),
        bot.run_for(Origin::Person, 10, ANN.user, HERE, "note").await.unwrap().id(),
    );
    for (id, answer) in [(held, "Saved."), (other, "You like the\nwords of 1.")] {
        store.keep_answer(id, answer, NOW).await.unwrap();
    }
    let mut turns = Vec::new();
    for (user, words) in [(ANN.user, "words of 1"), (ANN.user, "words of 12"), (BEN.user, "words of 1")] {
        turns.push(keep(store, user, HERE, NOW, &record(words)).await);
    }
    let id = store.add("memory", &scope, &memory, 9).await.unwrap();

    assert_eq!(store.forget("memory", &scope, id, "Words of 1").await.unwrap(), Some(memory));
    assert_eq!(store.forget("memory", &scope, id, "Words of 1").await.unwrap(), None);
    assert_eq!((has_arguments(store, held).await, has_arguments(store, other).await), (false, true));
    for id in [held, other] {
        assert_eq!(store.kept_answer(id).await.unwrap(), None);
    }
    assert_eq!(turn(store, turns[0]).await, record("words of 1").without_words());
    assert_eq!(turn(store, turns[1]).await, record("words of 12"));
    assert_eq!(turn(store, turns[2]).await, record("words of 1"), "another person's");
    assert_eq!(store.verify_chain().await.unwrap(), None);

    let shared = store.add("tasks", "guild:1", &json!("milk"), 9).await.unwrap();
    assert!(store.forget("tasks", "guild:1", shared, "milk").await.is_err(), "it is nobody's own");
    assert!(store.get("tasks", "guild:1", shared).await.unwrap().is_some());
}

async fn a_record_is_forgotten_with_the_receipt_of_the_command_or_not_at_all(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let (store, scope) = (&bot.store, personal_scope("guild:1", ANN.user));
    let held = bot.run_for(Origin::Person, 1, ANN.user, HERE, "note").await.unwrap().id();
    let id = store.add("memory", &scope, &json!("words of 1"), 9).await.unwrap();
    let forgotten = |number: u64, expected: &str| {
        let change = Change::Forget { expected: json!(expected), words: "words of 1".to_owned() };
        let change = RecordChange { module: "memory".to_owned(), scope: scope.clone(), id, change };
        commit(number, ran(number, "memory forget"), vec![StagedChange::Record(change)])
    };
    assert_eq!(store.commit(forgotten(900, "changed meanwhile")).await.unwrap(), Committed::Conflict);
    assert!(has_arguments(store, held).await);
    assert_eq!(store.commit(forgotten(901, "words of 1")).await.unwrap(), Committed::Committed);
    assert!(!has_arguments(store, held).await);
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

async fn receipts_whose_arguments_cannot_be_taken_out_are_counted(trial: Trial) {
    let bot = Bot::new(&trial).await;
    for event in 1..=3 {
        bot.run_for(Origin::Person, event, ANN.user, HERE, "note").await.unwrap();
    }
    // As an older version made it.
    trial.tamper("UPDATE receipts SET arguments_salt = NULL, arguments_digest = NULL WHERE position = 2").await;
    erase(&bot.store, ANN.user).await;
    let person = bot.store.person(ANN.user).await.unwrap();
    assert_eq!(bot.store.n_with_arguments(&person).await.unwrap(), 1);
    assert_eq!(trial.numbers("SELECT position FROM receipts WHERE arguments IS NOT NULL").await, [2]);
}

async fn the_arguments_of_runs_under_way_are_taken_out_with_those_of_receipts(trial: Trial) {
    let store = trial.open().await;
    let hour = Duration::from_hours(1);
    for (event, user, began) in [(1, ANN.user, NOW), (2, BEN.user, NOW), (3, ANN.user, NOW + hour)] {
        let mut begun = intent(EventId(event), Vec::new(), began);
        begun.begun.caller = user;
        store.begin(begun).await.unwrap();
    }
    // Beside it nobody is alone, and what is old is found.
    let other = trial.open().await;
    let arguments = async || {
        let open = other.open_intents(LeftOpen::all(NOW + hour * 2, Duration::ZERO)).await.unwrap();
        open.into_iter().map(|open| (open.begun.event.0, open.begun.arguments)).collect::<BTreeMap<_, _>>()
    };
    let cases = [
        (NOW, None, 0, vec!["{}"; 3]),
        (NOW + hour, Some(ANN.user), 1, vec!["\"taken out\"", "{}", "{}"]),
        (NOW + hour * 2, None, 2, vec!["\"taken out\""; 3]),
    ];
    for (before, user, n, left) in cases {
        assert_eq!(store.take_out_intended(before, user).await.unwrap(), n);
        assert_eq!(arguments().await.into_values().collect::<Vec<_>>(), left);
    }
}

async fn clearing_a_conversation_takes_the_words_of_its_turns_out(trial: Trial) {
    let bot = Bot::new(&trial).await;
    let store = &bot.store;
    // Who ran what, where, and whether its arguments stay.
    let cases = [
        (Origin::Model, ANN.user, HERE, false),
        (Origin::Person, ANN.user, HERE, true),
        (Origin::Model, ANN.user, THERE, true),
        (Origin::Model, BEN.user, HERE, true),
    ];
    let mut kept = Vec::new();
    for (event, (origin, user, place, _)) in (1..).zip(cases) {
        let id = bot.run_for(origin, event, user, place, "note").await.unwrap().id();
        store.keep_answer(id, "an answer", NOW).await.unwrap();
        append(store, &ConversationKey::new(place, user), &chat("a question"), "an answer", NOW).await;
        kept.push((id, keep(store, user, place, NOW, &record("a question")).await));
    }
    // One message and its answer, twice: the command of a person in the same conversation is no part of it.
    assert_eq!(store.clear(&ConversationKey::new(HERE, ANN.user)).await.unwrap(), 4);
    for ((id, number), (_, user, place, stays)) in kept.into_iter().zip(cases) {
        let is_cleared = (user, place) == (ANN.user, HERE);
        assert_eq!(has_arguments(store, id).await, stays);
        assert_eq!(store.kept_answer(id).await.unwrap().is_some(), stays);
        assert_eq!(turn(store, number).await.taken_out, is_cleared);
        assert_eq!(store.n_exchanges(&ConversationKey::new(place, user)).await.unwrap() == 0, is_cleared);
    }
    assert_eq!(store.verify_chain().await.unwrap(), None);
}

async fn an_old_receipt_takes_its_answer_along(trial: Trial) {
    use candor_store::ReceiptKind;
    let bot = Bot::new(&trial).await;
    let mut ids = Vec::new();
    for event in 1..=2 {
        ids.push(bot.run_for(Origin::Person, event, ANN.user, HERE, "note").await.unwrap().id());
    }
    for id in &ids {
        bot.store.keep_answer(*id, "an answer", NOW).await.unwrap();
    }
    let later = super::commands::ledger::noon() + Duration::from_hours(1);
    assert_eq!(bot.store.remove_receipts(ReceiptKind::Called, later, later).await.unwrap(), 1);
    let answers = [bot.store.kept_answer(ids[0]).await.unwrap(), bot.store.kept_answer(ids[1]).await.unwrap()];
    assert_eq!(answers, [None, Some("an answer".to_owned())]);
}

async fn what_chat_used_today_stays_until_the_day_is_over(trial: Trial) {
    let store = trial.open().await;
    let (day, next) = (Day::of(NOW), Day::of(NOW + Duration::from_hours(24)));
    let tokens = Tokens { counted: 9, estimated: 0 };
    for day in [day, next] {
        store.add_tokens(day, &[Subject::Person(ANN.user)], tokens).await.unwrap();
    }
    erase(&store, ANN.user).await;
    let mut left = Vec::new();
    for day in [day, next] {
        left.push(store.spent(day, Subject::Person(ANN.user)).await.unwrap().tokens);
    }
    assert_eq!(left, [Tokens::default(), tokens], "erasing renews no budget");
}
