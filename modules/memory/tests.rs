//! The commands as people use them, with records in memory, and what the chat model is told.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::*;
use candor_core::contract::{HostServices, Records as _};
use candor_core::inbound::{Caller, ChannelId, GuildId, UserId};
use candor_core::language::{Language, say};
use candor_core::testing::{self, InMemory, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const ANN: u64 = 7;
const BEN: u64 = 8;

/// The state of a list in a server in which nothing is shared.
const UNTOLD: &str = "not told to the chat model here";

/// The module's records, and people who use it.
#[derive(Default)]
struct Bot(Arc<InMemory>);

impl Bot {
    fn call(&self, user: u64, place: Place) -> Call {
        let host = HostServices { records: Some(self.0.clone()), ..HostServices::default() };
        let asked = [ServiceName::Records, ServiceName::Prompt];
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        testing::call("memory", &host, &asked, Caller::new(UserId(user), "somebody"), place, now)
    }

    async fn save(&self, user: u64, content: &str, kind: Option<Kind>) -> String {
        said(save(NewMemory { content: content.to_owned(), kind }, self.call(user, HERE)).await)
    }

    async fn list(&self, user: u64, kind: Option<Kind>) -> String {
        said(list(MemoryPage { kind, page: None }, self.call(user, HERE)).await)
    }

    async fn forget(&self, user: u64, id: RecordId) -> String {
        said(forget(MemoryNumber { id }, self.call(user, HERE)).await)
    }

    async fn share(&self, user: u64, place: Place, on: bool) -> String {
        said(share(Sharing { on }, self.call(user, place)).await)
    }

    async fn told(&self, user: u64, place: Place) -> Vec<String> {
        background(self.call(user, place)).await.unwrap()
    }
}

fn forgot(id: RecordId) -> String {
    format!(
        "Forgot memory {id} (fact). Its words are also taken out of your receipts and of the records of your chat \
         turns; `/clear` forgets a conversation."
    )
}

#[tokio::test]
async fn a_memory_is_saved_listed_and_forgotten() {
    let bot = Bot::default();
    assert_eq!(
        bot.list(ANN, None).await,
        format!("Your memories\n0 memories · {UNTOLD}\nNothing is remembered about you here.")
    );
    assert_eq!(bot.save(ANN, "lives in Ulm", None).await, "Saved memory 1 (fact): lives in Ulm");
    assert_eq!(bot.save(ANN, "likes tea", Some(Kind::Preference)).await, "Saved memory 2 (preference): likes tea");
    assert_eq!(
        bot.list(ANN, None).await,
        format!("Your memories\n2 memories · {UNTOLD}\n2 (preference): likes tea\n1 (fact): lives in Ulm")
    );
    assert_eq!(
        bot.list(ANN, Some(Kind::Fact)).await,
        format!("Your memories\n1 memory · {UNTOLD}\n1 (fact): lives in Ulm")
    );
    assert_eq!(
        bot.list(ANN, Some(Kind::Task)).await,
        format!("Your memories\n0 memories · {UNTOLD}\nNothing of the kind task is remembered about you here.")
    );
    assert_eq!(bot.forget(ANN, 1).await, forgot(1));
    assert_eq!(bot.forget(ANN, 1).await, "! You have no memory 1 here. `/memory list` shows them.");
    assert_eq!(bot.list(ANN, None).await, format!("Your memories\n1 memory · {UNTOLD}\n2 (preference): likes tea"));
}

#[tokio::test]
async fn nobody_reads_or_forgets_another_persons_memories() {
    let bot = Bot::default();
    bot.save(ANN, "Ann's secret", None).await;
    bot.save(BEN, "Ben's secret", None).await;
    for user in [ANN, BEN] {
        bot.share(user, HERE, true).await;
    }

    assert_eq!(
        bot.list(BEN, None).await,
        "Your memories\n1 memory · told to the chat model here\n1 (fact): Ben's secret"
    );
    assert_eq!(bot.told(BEN, HERE).await, ["fact: Ben's secret"]);
    assert_eq!(suggest(String::new(), bot.call(BEN, HERE)).await.len(), 1);
    assert_eq!(bot.told(9, HERE).await, [] as [&str; 0]);

    // Numbers are per person: forgetting number 1 removes the caller's own.
    assert_eq!(bot.forget(BEN, 1).await, forgot(1));
    assert_eq!(bot.told(ANN, HERE).await, ["fact: Ann's secret"]);
}

#[tokio::test]
async fn a_memory_stays_in_the_community_where_it_was_saved() {
    let bot = Bot::default();
    bot.save(ANN, "here", None).await;
    bot.share(ANN, HERE, true).await;
    let other_channel = Place::Guild { guild: GuildId(1), channel: ChannelId(9) };
    let elsewhere = [
        Place::Guild { guild: GuildId(9), channel: ChannelId(2) },
        Place::Direct { channel: ChannelId(1) },
        Place::Console,
    ];
    assert_eq!(bot.told(ANN, other_channel).await, ["fact: here"]);
    for place in elsewhere {
        assert_eq!(bot.told(ANN, place).await, [] as [&str; 0], "{place:?}");
    }
}

#[tokio::test]
async fn in_a_server_the_model_is_told_memories_only_of_whoever_allowed_it_there() {
    let bot = Bot::default();
    let direct = Place::Direct { channel: ChannelId(5) };
    for place in [HERE, direct] {
        let call = bot.call(ANN, place);
        said(save(NewMemory { content: "likes tea".to_owned(), kind: None }, call).await);
    }
    bot.save(BEN, "likes coffee", None).await;
    let tea = ["fact: likes tea"];
    assert_eq!((bot.told(ANN, HERE).await, bot.told(ANN, direct).await), (vec![], tea.map(str::to_owned).to_vec()));

    for _twice in 0..2 {
        assert!(bot.share(ANN, HERE, true).await.starts_with("In this server the chat model is now told"));
        assert_eq!((bot.told(ANN, HERE).await, bot.told(BEN, HERE).await.len()), (tea.map(str::to_owned).to_vec(), 0));
    }
    assert_eq!(bot.list(ANN, None).await, "Your memories\n1 memory · told to the chat model here\n1 (fact): likes tea");
    assert_eq!(bot.forget(ANN, 2).await, "! You have no memory 2 here. `/memory list` shows them.", "it is no memory");

    assert!(bot.share(ANN, HERE, false).await.starts_with("In this server the chat model is told none"));
    assert_eq!(bot.told(ANN, HERE).await, [] as [&str; 0]);
    assert!(bot.share(ANN, direct, true).await.starts_with("! Here the chat model is told"));
}

#[tokio::test]
async fn what_is_kept_is_the_words_their_kind_and_the_time() {
    let bot = Bot::default();
    bot.save(ANN, "wrote a poem", Some(Kind::Journal)).await;
    let expected = json!({"content": "wrote a poem", "kind": "journal", "saved_at": 1_800_000_000_u64});
    assert_eq!(bot.0.get("memory", "guild:1/user:7", 1).await.unwrap(), Some(expected));
}

#[tokio::test]
async fn contents_are_one_harmless_line() {
    let cases = [
        ("  likes\n\n  tea  ", "likes tea"),
        ("`code` **bold** ||hidden||", "\\`code\\` \\*\\*bold\\*\\* \\|\\|hidden\\|\\|"),
        ("[free](https://evil.example)", "\\[free](https://evil.example)"),
        ("a\u{202e}b\u{200b}c", "abc"),
        ("✓ /status · receipt 7F3K2", "✓ /status · receipt 7F3K2"),
        ("ran /backup by hand", "ran /backup by hand"),
        ("calls <@42>", "calls <@42>"),
    ];
    for (content, shown) in cases {
        assert_eq!(Bot::default().save(ANN, content, None).await, format!("Saved memory 1 (fact): {shown}"));
    }
    for nothing in ["  ", "\n\t", "\u{200b}\u{202e}"] {
        let answer = Bot::default().save(ANN, nothing, None).await;
        assert_eq!(answer, "! It contains nothing readable, so nothing was saved.", "{nothing:?}");
    }
}

#[tokio::test]
async fn a_full_memory_says_how_to_make_room() {
    let bot = Bot::default();
    for number in 1..=MEMORIES_MAX {
        assert!(bot.save(ANN, "again", None).await.starts_with("Saved"), "{number}");
    }
    assert_eq!(
        bot.save(ANN, "one too many", None).await,
        "! You have 200 memories here, and that is the most, so nothing was saved. `/memory list` shows their numbers \
         and `/memory forget` makes room."
    );
    assert_eq!(bot.save(BEN, "has room", None).await, "Saved memory 1 (fact): has room");
    bot.forget(ANN, 1).await;
    assert_eq!(bot.save(ANN, "fits now", None).await, "Saved memory 201 (fact): fits now");
}

#[tokio::test]
async fn the_model_is_told_the_newest_fifty_newest_first() {
    let bot = Bot::default();
    for number in 1..=60 {
        bot.save(ANN, &format!("number {number}"), Some(Kind::Journal)).await;
    }
    bot.share(ANN, HERE, true).await;
    let expected: Vec<_> = (11..=60).rev().map(|number| format!("journal: number {number}")).collect();
    assert_eq!(bot.told(ANN, HERE).await, expected);
}

#[tokio::test]
async fn a_long_list_comes_in_pages_that_fit_one_embed_and_keep_to_their_kind() {
    let bot = Bot::default();
    for _ in 0..17 {
        bot.save(ANN, &"*".repeat(1_000), Some(Kind::Preference)).await;
    }
    let list = bot.list(ANN, None).await;
    assert!(list.chars().count() < 3_500, "{}", list.chars().count());
    let page = |page, command| say!(Language::ENGLISH, "page-of", page = page, pages = "3", command = command);
    assert!(list.ends_with(&format!("…\n{}", page("1", "/memory list page: 2"))), "{list}");
    let wanted = MemoryPage { kind: Some(Kind::Preference), page: Some(3) };
    let last = super::list(wanted, bot.call(ANN, HERE)).await.unwrap();
    assert!(last.text.starts_with("1 (preference): "), "{}", last.text);
    assert!(last.text.ends_with(&page("3", "/memory list kind: preference page: 2")), "{}", last.text);
    let Some(Control::Button { call: Some(previous), .. }) = last.controls.first().and_then(|row| row.first()) else {
        panic!("{:?}", last.controls)
    };
    assert_eq!(Value::Object(previous.arguments.clone()), json!({"kind": "preference", "page": 2}));
    let none = format!("Your memories\n0 memories · {UNTOLD}\nNothing of the kind fact is remembered about you here.");
    assert_eq!(bot.list(ANN, Some(Kind::Fact)).await, none);
}

#[tokio::test]
async fn a_kind_can_be_chosen_where_there_are_several() {
    let bot = Bot::default();
    bot.save(ANN, "likes tea", Some(Kind::Preference)).await;
    let controls = async |kind| {
        let reply = super::list(MemoryPage { kind, page: None }, bot.call(ANN, HERE)).await.unwrap();
        reply.controls.concat()
    };
    assert_eq!(controls(None).await, []);
    bot.save(ANN, "lives in Ulm", None).await;
    for kind in [None, Some(Kind::Fact), Some(Kind::Task)] {
        let controls = controls(kind).await;
        let [Control::Select { option, choices, call, .. }] = controls.as_slice() else { panic!("{controls:?}") };
        let kinds: Vec<_> = choices.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!((option.as_str(), kinds, call.arguments.len()), ("kind", vec!["fact", "preference"], 0));
    }
}

#[tokio::test]
async fn memories_are_suggested_by_number_or_word_within_discords_limits() {
    let bot = Bot::default();
    bot.save(ANN, "likes Tea", Some(Kind::Preference)).await;
    bot.save(ANN, "lives in Ulm", None).await;
    let labels = async |typed: &str| {
        let found = suggest(typed.to_owned(), bot.call(ANN, HERE)).await;
        found.into_iter().map(|suggestion| suggestion.label).collect::<Vec<_>>()
    };
    assert_eq!(labels("").await, ["2 · fact: lives in Ulm", "1 · preference: likes Tea"]);
    assert_eq!(labels("1").await, ["1 · preference: likes Tea"]);
    assert_eq!(labels("tEA").await, ["1 · preference: likes Tea"]);
    assert_eq!(labels("coffee").await, [] as [&str; 0]);

    for _ in 0..30 {
        bot.save(ANN, &"ü".repeat(200), None).await;
    }
    let found = suggest(String::new(), bot.call(ANN, HERE)).await;
    assert_eq!(found.len(), 25);
    assert_eq!(found[0], Suggestion { label: format!("32 · fact: {}…", "ü".repeat(88)), value: json!(32) });
}
