//! The commands as people use them, with records in memory.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::*;
use candor_core::contract::{HostServices, Records as _, ServiceName};
use candor_core::inbound::{Caller, ChannelId, GuildId, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::reply::Control;
use candor_core::testing::{self, InMemory, said};

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// The module, its records, and somebody who uses it.
struct Tasks(Arc<InMemory>);

impl Tasks {
    fn empty() -> Self {
        Self(Arc::default())
    }

    async fn with(titles: &[&str]) -> Self {
        let tasks = Self::empty();
        for title in titles {
            tasks.add(title).await;
        }
        tasks
    }

    fn call(&self, place: Place) -> Call {
        let host = HostServices { records: Some(self.0.clone()), ..HostServices::default() };
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        testing::call("tasks", &host, &[ServiceName::Records], Caller::new(UserId(7), "Ann"), place, now)
    }

    async fn add(&self, title: &str) -> String {
        said(add(NewTask { title: title.to_owned() }, self.call(HERE)).await)
    }

    async fn list(&self) -> String {
        said(list(TaskPage { page: None }, self.call(HERE)).await)
    }

    async fn page(&self, page: u32) -> Reply {
        list(TaskPage { page: Some(page) }, self.call(HERE)).await.unwrap()
    }

    async fn done(&self, id: RecordId) -> String {
        said(done(TaskNumber { id }, self.call(HERE)).await)
    }

    async fn remove(&self, id: RecordId) -> String {
        said(remove(TaskNumber { id }, self.call(HERE)).await)
    }
}

#[tokio::test]
async fn a_task_is_added_listed_done_and_removed() {
    let tasks = Tasks::empty();
    assert_eq!(tasks.list().await, "Tasks\n0 open\nNothing is open. `/tasks add` adds a task.");
    assert_eq!(tasks.add("buy milk").await, "Added task 1: buy milk");
    assert_eq!(tasks.add("walk the dog").await, "Added task 2: walk the dog");
    assert_eq!(tasks.list().await, "Tasks\n2 open\n1 · buy milk\n2 · walk the dog");
    assert_eq!(tasks.done(1).await, "Done: task 1, buy milk");
    assert_eq!(tasks.list().await, "Tasks\n1 open\n2 · walk the dog\nDone: 1 (1)");
    assert_eq!(tasks.remove(2).await, "Removed task 2: walk the dog");
    assert_eq!(tasks.list().await, "Tasks\n0 open\nNothing is open. `/tasks add` adds a task.\nDone: 1 (1)");
}

#[tokio::test]
async fn a_task_is_its_title_and_when_it_was_added_and_one_that_still_names_its_author_works() {
    let tasks = Tasks::with(&["buy milk"]).await;
    let expected = json!({"title": "buy milk", "done": false, "added_at": 1_800_000_000_u64});
    assert_eq!(tasks.0.get("tasks", "guild:1", 1).await.unwrap(), Some(expected));
    let older = json!({"title": "tea", "done": false, "added_by": 7, "added_at": 1_800_000_000_u64});
    tasks.0.add("tasks", "guild:1", &older, 9).await.unwrap();
    assert_eq!(tasks.done(2).await, "Done: task 2, tea");
}

#[tokio::test]
async fn what_cannot_be_done_is_said_with_a_way_on() {
    let tasks = Tasks::with(&["buy milk"]).await;
    tasks.done(1).await;
    assert_eq!(tasks.done(1).await, "! Task 1 was done already: buy milk. `/tasks list` shows what is open.");
    assert_eq!(tasks.done(9).await, "! There is no task 9 here. `/tasks list` shows what is open.");
    assert_eq!(tasks.remove(9).await, "! There is no task 9 here. `/tasks list` shows what is open.");
    for nothing in ["  ", "\n\t", "\u{200b}\u{202e}"] {
        let answer = tasks.add(nothing).await;
        assert_eq!(answer, "! A task needs a title, and this one contains nothing readable.", "{nothing:?}");
    }
}

#[tokio::test]
async fn titles_are_shown_in_one_harmless_line() {
    let cases = [
        ("  buy\n\n  milk  ", "buy milk"),
        ("`code` **bold** ||hidden||", "\\`code\\` \\*\\*bold\\*\\* \\|\\|hidden\\|\\|"),
        ("[free](https://evil.example/a_b)", "\\[free](https://evil.example/a_b)"),
        ("a\u{202e}b\u{200b}c", "abc"),
        ("<@42> buys milk", "<@42> buys milk"),
        ("ran /backup by hand", "ran /backup by hand"),
        ("-# generated · no command ran", "-# generated · no command ran"),
    ];
    for (title, shown) in cases {
        assert_eq!(Tasks::empty().add(title).await, format!("Added task 1: {shown}"));
    }
}

#[tokio::test]
async fn a_full_list_says_how_to_make_room() {
    let tasks = Tasks::empty();
    for number in 1..=TASKS_MAX {
        assert!(tasks.add("again").await.starts_with("Added"), "{number}");
    }
    assert_eq!(
        tasks.add("one too many").await,
        "! The list is full: it has 500 tasks, done ones included, so nothing was added. `/tasks list` shows their \
         numbers and `/tasks remove` makes room."
    );
    tasks.remove(1).await;
    assert_eq!(tasks.add("fits now").await, "Added task 501: fits now");
}

#[tokio::test]
async fn a_long_list_comes_in_pages_that_fit_one_embed() {
    // Every character of a title may need an escape.
    let long = "*".repeat(200);
    let tasks = Tasks::with(&vec![long.as_str(); 20]).await;
    let list = tasks.list().await;
    let page = |page, command| say!(Language::ENGLISH, "page-of", page = page, pages = "3", command = command);
    assert!(list.ends_with(&format!("\n{}", page("1", "/tasks list page: 2"))), "{list}");
    assert_eq!(list.lines().filter(|line| line.contains(" · ")).count(), 8);
    assert!(list.chars().count() < 3_450, "{}", list.chars().count());
    // A page beyond the end is the last page.
    let last = tasks.page(9).await;
    assert!(last.text.starts_with("17 · ") && last.text.ends_with(&page("3", "/tasks list page: 2")), "{}", last.text);
    let [row] = last.controls.as_slice() else { panic!("{:?}", last.controls) };
    let calls: Vec<_> = row.iter().map(|button| matches!(button, Control::Button { call: Some(_), .. })).collect();
    assert_eq!(calls, [true, false]);

    for id in 1..=12 {
        tasks.done(id).await;
    }
    let list = tasks.list().await;
    assert!(list.ends_with("\nDone: 12 (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"), "one page is enough now: {list}");
    assert_eq!(tasks.page(1).await.controls, Vec::<Vec<Control>>::new());
}

#[tokio::test]
async fn each_server_has_its_own_list() {
    let tasks = Tasks::with(&["buy milk"]).await;
    let other_channel = Place::Guild { guild: GuildId(1), channel: ChannelId(9) };
    let other_server = Place::Guild { guild: GuildId(9), channel: ChannelId(2) };
    assert!(said(list(TaskPage { page: None }, tasks.call(other_channel)).await).contains("buy milk"));
    assert!(!said(list(TaskPage { page: None }, tasks.call(other_server)).await).contains("buy milk"));
}

#[tokio::test]
async fn numbers_are_suggested_by_their_beginning_or_by_a_word() {
    let tasks = Tasks::with(&["buy Milk", "walk the dog", "milk the cow"]).await;
    tasks.done(1).await;
    let labels = |found: Vec<Suggestion>| found.into_iter().map(|suggestion| suggestion.label).collect::<Vec<_>>();

    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("", &["2 · walk the dog", "3 · milk the cow"], &["2 · walk the dog", "3 · milk the cow", "1 · ✓ buy Milk"]),
        ("mILK", &["3 · milk the cow"], &["3 · milk the cow", "1 · ✓ buy Milk"]),
        ("2", &["2 · walk the dog"], &["2 · walk the dog"]),
        ("1", &[], &["1 · ✓ buy Milk"]),
        ("cat", &[], &[]),
    ];
    for (typed, open, any) in cases {
        assert_eq!(labels(suggest_open(typed.to_owned(), tasks.call(HERE)).await), open, "{typed}");
        assert_eq!(labels(suggest_any(typed.to_owned(), tasks.call(HERE)).await), any, "{typed}");
    }
}

#[tokio::test]
async fn suggestions_are_numbers_within_discords_limits() {
    let long = "ü".repeat(200);
    let tasks = Tasks::with(&vec![long.as_str(); 30]).await;
    let found = suggest_open(String::new(), tasks.call(HERE)).await;
    assert_eq!(found.len(), 25);
    assert_eq!(found[0], Suggestion { label: format!("1 · {}…", "ü".repeat(95)), value: json!(1) });
}

#[tokio::test]
async fn whoever_reads_german_is_answered_in_german() {
    let tasks = Tasks::with(&["milk"]).await;
    let german = || {
        let mut call = tasks.call(HERE);
        call.caller.language = Language::of_locale("de").unwrap();
        call
    };
    assert_eq!(said(list(TaskPage { page: None }, german()).await), "Aufgaben\n1 offen\n1 · milk");
    assert_eq!(said(done(TaskNumber { id: 1 }, german()).await), "Erledigt: Aufgabe 1, milk");
    assert_eq!(
        said(remove(TaskNumber { id: 2 }, german()).await),
        "! Hier gibt es keine Aufgabe 2. `/tasks list` zeigt, was offen ist."
    );
}
