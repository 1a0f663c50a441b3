//! Buttons under answers on Discord: whose they are, what they run, and what becomes of them in time.

use std::path::Path;

use discord_twin::{Interaction, Message, Recorded, Twin, USER_ID};
use serde_json::{Value, json};

use crate::discord::connected::{Connected, connect, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::{ANY, assert_says, said};
use candor_core::language::Language;

/// Eleven tasks: more than a page holds.
async fn with_tasks(connected: &Connected) {
    for number in 1..=11 {
        let add = Interaction::slash("tasks").subcommand("add").option("title", format!("number {number}"));
        connected.answer(add).await;
    }
}

fn list() -> Interaction {
    Interaction::slash("tasks").subcommand("list")
}

/// The custom ids of the buttons under an answer, with whether each can be pressed.
fn buttons(message: &Value) -> Vec<(String, bool)> {
    let rows = message["components"].as_array().cloned().unwrap_or_default();
    let buttons = rows.iter().flat_map(|row| row["components"].as_array().cloned().unwrap_or_default());
    buttons
        .map(|button| (button["custom_id"].as_str().unwrap().to_owned(), button["disabled"] != json!(true)))
        .collect()
}

/// The message that an interaction got, with its id.
async fn message(connected: &Connected, interaction: Interaction) -> (u64, Value) {
    let sent = connected.twin.interact(interaction);
    assert!(connected.twin.answer_to(&sent, PATIENCE).await.is_some(), "no answer; log:\n{}", connected.bot.log());
    let message = connected.twin.original_of(&sent).unwrap();
    (message["id"].as_str().unwrap().parse().unwrap(), message)
}

/// The button that leads on.
fn next(message: &Value) -> String {
    let [_, (next, true)] = &*buttons(message) else { panic!("{message:#}") };
    next.clone()
}

fn assert_refused(answer: &Recorded, text: String) {
    assert_eq!((answer.text(), answer.is_ephemeral()), (text, true));
    assert_eq!(answer.body["type"], json!(4), "the message with the button stays as it is");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_paged_in_place_by_signed_buttons() {
    let connected = connect("").await;
    with_tasks(&connected).await;
    let (id, first) = message(&connected, list()).await;
    let [(_, false), (next, true)] = &*buttons(&first) else { panic!("{first:#}") };
    assert!(!next.contains("tasks") && (40..=100).contains(&next.len()), "{next}");
    let description = |message: &Value| message["embeds"][0]["description"].as_str().unwrap().to_owned();
    let page = said!("page-of", page = 1, pages = 2, command = "/tasks list page: 2");
    assert!(description(&first).ends_with(&page), "{first:#}");

    let press = connected.twin.interact(Interaction::press(id, next));
    let update = connected.twin.callback_to(&press, PATIENCE).await.unwrap();
    assert_eq!(update.body["type"], json!(7));
    let second = connected.twin.message(id).unwrap();
    assert!(description(&second).starts_with("9 · number 9\n"), "{second:#}");
    assert!(update.text().contains("✓ /tasks list"), "what was pressed has a receipt: {}", update.text());
    let [(previous, true), (_, false)] = &*buttons(&second) else { panic!("{second:#}") };
    let back = connected.answer(Interaction::press(id, previous)).await;
    assert!(back.text().contains("1 · number 1"), "{}", back.text());

    // A page that is gone is the last one, however it is asked for.
    for number in 9..=11 {
        connected.answer(Interaction::slash("tasks").subcommand("remove").option("id", number)).await;
    }
    let again = connected.answer(Interaction::press(id, next)).await;
    assert!(again.text().contains("1 · number 1") && buttons(again.message()).is_empty(), "{}", again.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_lists_have_buttons_for_whoever_typed() {
    let connected = connect("").await;
    with_tasks(&connected).await;
    let reply = connected.reply(Message::to_bot("/tasks list page: 2")).await;
    let [(previous, true), (_, false)] = &*buttons(reply.message()) else { panic!("{reply:#?}") };
    let id = reply.message_id().unwrap();
    let stranger = connected.answer(Interaction::press(id, previous).by(USER_ID + 1)).await;
    assert_refused(&stranger, said!("control-foreign", command = "/tasks list"));
    let back = connected.answer(Interaction::press(id, previous)).await;
    assert_eq!(back.body["type"], json!(7));
    assert!(back.text().contains("1 · number 1"), "{}", back.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_and_memories_are_paged_for_their_person_alone() {
    let connected = connect("").await;
    with_tasks(&connected).await;
    let (id, first) = message(&connected, Interaction::slash("receipt").option("page", 1)).await;
    let page = said!("page-of", page = 1, pages = 2, command = "/receipt page: 2");
    assert_says(first["embeds"][0]["description"].as_str().unwrap(), page);
    let update = connected.answer(Interaction::press(id, &next(&first))).await;
    assert_eq!(update.body["type"], json!(7));
    assert_eq!(update.text().matches("`/tasks add`").count(), 1, "{}", update.text());
    let both = connected.answer(Interaction::slash("receipt").option("page", 1).option("id", "7F3K2")).await;
    assert_says(both.text(), said!("receipts-one-of"));
    let none = connected.answer(Interaction::slash("receipt").option("page", 1).by(USER_ID + 1)).await;
    assert_says(none.text(), said!("receipts-none"));

    for number in 1..=9 {
        let save = Interaction::slash("memory").subcommand("save").option("content", format!("memory {number}"));
        connected.answer(save).await;
    }
    let (id, first) = message(&connected, Interaction::slash("memory").subcommand("list")).await;
    let press = connected.twin.interact(Interaction::press(id, &next(&first)));
    let update = connected.twin.callback_to(&press, PATIENCE).await.unwrap();
    assert!(update.text().contains("1 (fact): memory 1"), "{}", update.text());
    // Slow to arrive, so the message waits as it is, and is changed when the answer is there.
    let late = connected.twin.interact(Interaction::press(id, &next(&first)).aged_ms(1_600));
    let waits = connected.twin.callback_to(&late, PATIENCE).await.unwrap();
    let edit = connected.twin.answer_to(&late, PATIENCE).await.unwrap();
    assert_eq!((&waits.body["type"], edit.method.as_str()), (&json!(6), "PATCH"), "{edit:#?}");
    assert!(edit.text().contains("1 (fact): memory 1") && edit.message_id() == Some(id), "{}", edit.text());
    // Under a message that all can read, what is for one person is not shown.
    let elsewhere = connected.answer(Interaction::button(&next(&first))).await;
    assert_eq!((&elsewhere.body["type"], elsewhere.is_ephemeral()), (&json!(4), true), "{elsewhere:#?}");
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_chosen_in_a_list_is_given_for_its_option() {
    let connected = connect("").await;
    for kind in ["fact", "task"] {
        let save = Interaction::slash("memory").subcommand("save").option("content", format!("a {kind}"));
        connected.answer(save.option("kind", kind)).await;
    }
    let (_, list) = message(&connected, Interaction::slash("memory").subcommand("list")).await;
    let list = &list["components"][0]["components"][0];
    let values: Vec<_> = list["options"].as_array().unwrap().iter().map(|choice| choice["value"].clone()).collect();
    assert_eq!(values, [json!("fact"), json!("task")]);
    let id = list["custom_id"].as_str().unwrap();
    let tasks = connected.answer(Interaction::select(id, &["task"])).await;
    assert!(tasks.text().contains("2 (task): a task") && !tasks.text().contains("a fact"), "{}", tasks.text());
    // The list says what may be chosen; a changed client may say anything.
    let made_up = connected.answer(Interaction::select(id, &["secret"])).await;
    let problem = format!("`kind` {}", said!("misfit-choice", known = ANY));
    assert_says(made_up.text(), said!("control-stale", command = "/memory list", problem = problem));
    let stranger = connected.answer(Interaction::select(id, &["task"]).by(USER_ID + 1)).await;
    assert_refused(&stranger, said!("control-foreign", command = "/memory list"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_ours_or_of_an_earlier_form_runs_nothing() {
    let connected = connect("").await;
    with_tasks(&connected).await;
    let (id, first) = message(&connected, list()).await;
    let next = next(&first);
    let stranger = connected.answer(Interaction::press(id, &next).by(USER_ID + 1)).await;
    assert_refused(&stranger, said!("control-foreign", command = "/tasks list"));

    // One character of the signature is another.
    let flip = |(n, character): (usize, char)| match (n, character) {
        (10, 'A') => 'B',
        (10, _) => 'A',
        _ => character,
    };
    let forged: String = next.chars().enumerate().map(flip).collect();
    let dead = buttons(&first)[0].0.clone();
    let unknown = || said!("control-unknown");
    let cases = [
        (Interaction::button(&forged), said!("control-forged")),
        (Interaction::button("old"), unknown()),
        (Interaction::button(&dead), unknown()),
        (Interaction::button("confirm:1-2:yes"), said!("control-outdated")),
        (Interaction::button("fix:7"), said!("control-outdated")),
        (Interaction::select("old", &["x"]), unknown()),
        (Interaction::modal("old", &[("title", "milk")]), unknown()),
        // A button's id as a form's.
        (Interaction::modal(&next, &[("title", "milk")]), unknown()),
    ];
    for (interaction, text) in cases {
        assert_refused(&connected.answer(interaction).await, text);
    }
    // In the language of the person's app.
    let german = connected.answer(Interaction::button("fix:7").locale("de")).await;
    assert_refused(&german, said!(in Language::of_locale("de").unwrap(), "control-outdated"));
    assert!(!connected.bot.log().contains(&next), "custom ids are in no log");
    assert_eq!(connected.twin.refused(), []);
}

/// A bot that ran once with these settings, and its second page's button; then it stopped.
async fn stopped_after_a_list() -> (Folder, Twin, u64, String) {
    let connected = connect("").await;
    with_tasks(&connected).await;
    let (id, first) = message(&connected, list()).await;
    let next = next(&first);
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    (folder, twin, id, next)
}

/// The same bot again, with other settings.
async fn started_again(folder: Folder, twin: Twin, config: &str) -> Connected {
    let config = format!("{config}\n[admin]\nlisten = \"127.0.0.1:0\"\n");
    std::fs::write(folder.path().join("config.toml"), config).unwrap();
    connect_in(folder, twin).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_works_after_a_restart() {
    let (folder, twin, id, next) = stopped_after_a_list().await;
    let connected = started_again(folder, twin, "").await;
    let update = connected.answer(Interaction::press(id, &next)).await;
    assert_eq!(update.body["type"], json!(7));
    assert!(update.text().contains("9 · number 9"), "{}", update.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_of_somebody_who_may_no_longer_runs_nothing() {
    let (folder, twin, id, next) = stopped_after_a_list().await;
    let connected = started_again(folder, twin, &format!("[access]\nblocked = [{USER_ID}]\n")).await;
    let refused = connected.answer(Interaction::press(id, &next)).await;
    assert_refused(&refused, said!("denied-blocked", command = "/tasks list"));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_of_a_command_that_is_gone_runs_nothing() {
    let (folder, twin, id, next) = stopped_after_a_list().await;
    let connected = started_again(folder, twin, "[modules]\ndisabled = [\"tasks\"]\n").await;
    let refused = connected.answer(Interaction::press(id, &next)).await;
    assert_refused(&refused, said!("control-gone", command = "/tasks list"));
    assert_eq!(connected.twin.refused(), []);
}

/// Named values of a command's options.
type Options = &'static [(&'static str, &'static str)];

/// What has a control that cannot be undone, or works once: its source, the command, with which options it is called, and
/// what makes something for it to take away.
const ONCE: [(&str, &str, Options, &str, Options); 2] = [
    (
        "modules/files/mod.rs",
        "/files remove",
        &[("path", "a.txt")],
        "/files write",
        &[("path", "a.txt"), ("content", "milk")],
    ),
    ("src/engine/builtin/privacy.rs", "/privacy erase", &[], "/memory save", &[("content", "likes milk")]),
];
/// Held by a test of its own, with the settings.
const ONCE_ELSEWHERE: [&str; 1] = ["src/engine/builtin/settings/changes.rs"];

fn sources(folder: &Path, found: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") && !path.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            if ["style: ControlStyle::Danger", "once: true", "Reply::ask("].iter().any(|control| text.contains(control))
            {
                let path = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
}

fn slash(path: &str, options: &[(&str, &str)]) -> Interaction {
    let (command, subcommand) = path.trim_start_matches('/').split_once(' ').unwrap();
    let called = Interaction::slash(command).subcommand(subcommand);
    options.iter().fold(called, |called, (name, value)| called.option(name, *value))
}

#[tokio::test(flavor = "multi_thread")]
async fn l1_every_control_that_cannot_be_undone_works_once() {
    let (root, mut found) = (Path::new(env!("CARGO_MANIFEST_DIR")), Vec::new());
    for folder in ["modules", "src/engine"] {
        sources(&root.join(folder), &mut found);
    }
    found.sort();
    let listed = ONCE.iter().map(|(source, ..)| *source).chain(ONCE_ELSEWHERE);
    assert_eq!(found, listed.collect::<Vec<_>>());

    let connected = connect("").await;
    for (_, command, options, made_by, made_with) in ONCE {
        let make = || slash(made_by, made_with);
        connected.answer(make()).await;
        let (id, question) = message(&connected, slash(command, options)).await;
        let [(button, true)] = &*buttons(&question) else { panic!("{command}: {question:#}") };
        let done = connected.answer(Interaction::press(id, button)).await;
        assert!(done.text().contains(&format!("✓ {command}")), "{command}: {}", done.text());
        // What it took away is there again, for a client that still shows the button.
        connected.answer(make()).await;
        let again = connected.answer(Interaction::press(id, button)).await;
        assert_refused(&again, said!("control-used", command = command));
    }
    for (list, left) in [("/memory list", "likes milk"), ("/files list", "a.txt")] {
        let shown = connected.answer(slash(list, &[])).await;
        assert!(shown.text().contains(left), "{list}: {}", shown.text());
    }
}
