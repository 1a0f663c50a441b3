//! Modals on Discord: longer inputs that were not given are asked for, and what is sent in runs like any command.

use discord_twin::{Interaction, Message, Recorded, USER_ID};
use serde_json::{Value, json};

use crate::discord::connected::{Connected, connect};
use crate::support::bot::PATIENCE;
use crate::support::said::{assert_says, said};

/// The form that an interaction opens.
async fn form(connected: &Connected, interaction: Interaction) -> Recorded {
    let sent = connected.twin.interact(interaction);
    let form = connected.twin.callback_to(&sent, PATIENCE).await.unwrap();
    assert_eq!(form.body["type"], json!(9), "{form:#?}");
    form
}

fn id(form: &Recorded) -> &str {
    form.body["data"]["custom_id"].as_str().unwrap()
}

fn inputs(form: &Recorded) -> Vec<Value> {
    form.body["data"]["components"].as_array().unwrap().iter().map(|row| row["components"][0].clone()).collect()
}

fn add() -> Interaction {
    Interaction::slash("tasks").subcommand("add")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_title_is_asked_for_and_runs_once_sent_in() {
    let connected = connect("").await;
    let form = form(&connected, add()).await;
    assert_eq!(form.body["data"]["title"], "/tasks add");
    let input = &inputs(&form)[0];
    let looks = (&input["custom_id"], &input["label"], &input["max_length"], &input["required"]);
    assert_eq!(looks, (&json!("title"), &json!("What is to be done"), &json!(200), &json!(true)));

    let stranger = connected.answer(Interaction::modal(id(&form), &[("title", "milk")]).by(USER_ID + 1)).await;
    let foreign = said!("control-foreign", command = "/tasks add");
    assert_eq!((stranger.text(), stranger.is_ephemeral()), (foreign, true));
    let long = connected.answer(Interaction::modal(id(&form), &[("title", &"x".repeat(201))])).await;
    let problem = format!("`title` {}", said!("misfit-too-long", max = 200, length = 201));
    assert_says(long.text(), said!("modal-misfit", command = "/tasks add", problem = problem));
    assert!(long.is_ephemeral());
    // A form that lacks what it asked for does not lead to another: Discord opens none.
    let empty = connected.answer(Interaction::modal(id(&form), &[])).await;
    let problem = said!("argument-missing", option = "title");
    assert_says(empty.text(), said!("modal-misfit", command = "/tasks add", problem = problem));

    let added = connected.answer(Interaction::modal(id(&form), &[("title", "buy milk")])).await;
    assert_eq!(added.body["type"], json!(4));
    assert!(
        added.text().contains("Added task 1: buy milk") && added.text().contains("✓ /tasks add"),
        "{}",
        added.text()
    );
    let list = connected.answer(Interaction::slash("tasks").subcommand("list")).await;
    assert!(list.text().contains("1 open"), "only what was sent in well ran: {}", list.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_given_comes_along_or_stands_in_the_form() {
    let connected = connect("").await;
    let write = |path: &str| Interaction::slash("files").subcommand("write").option("path", path);
    let short = form(&connected, write("a.txt")).await;
    assert_eq!(inputs(&short).len(), 1);
    let written = connected.answer(Interaction::modal(id(&short), &[("content", "hello\nthere")])).await;
    assert!(written.text().contains("Created the file `a.txt`"), "{}", written.text());

    let path = format!("{}.txt", "p".repeat(60));
    let long = form(&connected, write(&path)).await;
    let [shown, content] = &*inputs(&long) else { panic!("{long:#?}") };
    assert_eq!((&shown["custom_id"], &shown["value"]), (&json!("path"), &json!(path)));
    assert_eq!(
        (&content["custom_id"], &content["style"], &content["max_length"]),
        (&json!("content"), &json!(2), &json!(4_000))
    );
    let written = connected.answer(Interaction::modal(id(&long), &[("path", &path), ("content", "x")])).await;
    assert!(written.text().contains("Created the file"), "{}", written.text());

    let memory = form(&connected, Interaction::slash("memory").subcommand("save").option("kind", "task")).await;
    let saved = connected.answer(Interaction::modal(id(&memory), &[("content", "the cat is called Mia")])).await;
    assert!(saved.text().contains("Saved memory 1 (task): the cat") && saved.is_ephemeral(), "{}", saved.text());
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_opens_for_those_who_may_and_only_if_nothing_else_is_wrong() {
    let blocked = USER_ID + 1;
    let connected = connect(&format!("[access]\nblocked = [{blocked}]\n")).await;
    let refused = connected.answer(add().by(blocked)).await;
    assert_eq!(refused.text(), said!("denied-blocked", command = "/tasks add"));
    let stale = connected.answer(add().option("nosuch", "x")).await;
    assert_says(stale.text(), said!("argument-not-taken", typed = "nosuch"));
    // Typed text has no form: it is told how the command is written.
    let typed = connected.reply(Message::to_bot("/tasks add")).await;
    assert!(typed.text().contains("`/tasks add title: <text>`"), "{}", typed.text());
    assert_eq!(connected.twin.refused(), []);
}
