//! Buttons of a program: its own commands run at a press, those of others are shown and asked about first.

use std::time::Instant;

use discord_twin::{Interaction, Twin};
use serde_json::Value;

use crate::discord::connected::{Connected, connect_in};
use crate::programs::has;
use crate::programs::modules::folder;
use crate::support::bot::PATIENCE;
use crate::support::said::{assert_says, said};

const MANIFEST: &str = r#"
[module]
name = "trap"
summary = "Has buttons"
kind = "exec"

[run]
program = "trap.py"

[commands."/trap"]
description = "Show buttons"

[commands."/trap".options.button]
description = "Its label and its command, as JSON"
type = "string"
required = true

[commands."/own"]
description = "A command of the same module"
"#;

const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, sys
request = json.load(sys.stdin)
buttons = [json.loads(request["options"]["button"])] if request["command"] == "/trap" else []
print(json.dumps({"text": "pressed" if not buttons else "a trap", "buttons": buttons}))
"#;

/// The permission to manage a guild.
const MANAGE_GUILD: u64 = 1 << 5;

async fn trap() -> Connected {
    let folder = folder(&[("trap/module.toml", MANIFEST), ("trap/trap.py", PROGRAM)]);
    let folder = folder.set_to("[chat]\nserver_settings = [\"persona\"]\n");
    connect_in(folder, Twin::start().await.unwrap()).await
}

/// The message that an interaction got, its id, and the custom id of its only button.
async fn shown(connected: &Connected, interaction: Interaction) -> (u64, String, Value) {
    let sent = connected.twin.interact(interaction.permissions(MANAGE_GUILD));
    assert!(connected.twin.answer_to(&sent, PATIENCE).await.is_some(), "no answer; log:\n{}", connected.bot.log());
    let message = connected.twin.original_of(&sent).unwrap();
    let button = message["components"][0]["components"][0].clone();
    assert_eq!(message["components"][0]["components"].as_array().map(Vec::len), Some(1), "{message:#}");
    (message["id"].as_str().unwrap().parse().unwrap(), button["custom_id"].as_str().unwrap().to_owned(), message)
}

fn pressing(button: &str) -> Interaction {
    Interaction::slash("trap").option("button", button)
}

/// How often a command ran.
fn n_runs(connected: &Connected, command: &str) -> i64 {
    let database = rusqlite::Connection::open(connected.folder.path().join("data/candor.db")).unwrap();
    let runs = "SELECT count(*) FROM receipts WHERE command = ?1";
    database.query_row(runs, [command], |row| row.get(0)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_of_another_module_runs_only_once_its_words_were_shown() {
    if !has("python3", "a command of another module runs only once its words were shown") {
        return;
    }
    let connected = trap().await;
    for (button, command, words) in [
        (
            r#"{"label": "Thanks!", "command": "/settings set", "options": {"name": "persona", "value": "hi"}}"#,
            "/settings set",
            r#"/settings set name: "persona" value: "hi""#,
        ),
        (
            r#"{"label": "Next page", "command": "/files remove", "options": {"path": "a.txt", "confirm": true}}"#,
            "/files remove",
            r#"/files remove path: "a.txt" confirm: true"#,
        ),
        (
            r#"{"label": "More", "command": "/memory forget", "options": {"id": 1}, "danger": true}"#,
            "/memory forget",
            "/memory forget id: 1",
        ),
        (
            r#"{"label": "Go", "command": "/tasks add", "options": {"title": "milk"}}"#,
            "/tasks add",
            r#"/tasks add title: "milk""#,
        ),
        (r#"{"label": "Help", "command": "/help"}"#, "/help", "/help"),
    ] {
        let (message, button, _) = shown(&connected, pressing(button)).await;
        let (question, run, asked) = shown(&connected, Interaction::press(message, &button)).await;
        let text = asked["content"].as_str().unwrap();
        assert_eq!(text, format!("{}\n```\n{words}\n```", said!("question-button")));
        assert_eq!(asked["flags"].as_u64().map(|flags| flags & 64), Some(64), "for whoever pressed alone: {asked:#}");
        assert_eq!(asked["components"][0]["components"][0]["label"], said!("button-run-asked"));
        assert_eq!(n_runs(&connected, command), 0, "{command} was only shown");
        connected.answer(Interaction::press(question, &run).permissions(MANAGE_GUILD)).await;
        // A receipt of a run that changed nothing may be stored after its answer.
        let start = Instant::now();
        while n_runs(&connected, command) == 0 {
            assert!(start.elapsed() < PATIENCE, "{command} did not run; log:\n{}", connected.bot.log());
            tokio::task::yield_now().await;
        }
        // Of what a command refused, nothing was done: that can be pressed again.
        if command != "/files remove" && command != "/memory forget" {
            let again = connected.answer(Interaction::press(question, &run).permissions(MANAGE_GUILD)).await;
            assert_says(again.text(), said!("control-used", command = command));
            assert_eq!(n_runs(&connected, command), 1, "{command}");
        }
    }

    // Somebody else is neither asked nor has it run.
    let (message, button, _) = shown(&connected, pressing(r#"{"label": "Go", "command": "/help"}"#)).await;
    let stranger = connected.answer(Interaction::press(message, &button).by(discord_twin::USER_ID + 1)).await;
    assert_says(stranger.text(), said!("control-foreign", command = "/help"));
    // Its own command runs at once.
    let (message, button, _) = shown(&connected, pressing(r#"{"label": "Go", "command": "/own"}"#)).await;
    assert!(connected.answer(Interaction::press(message, &button)).await.text().contains("pressed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_for_no_command_fails_the_reply() {
    if !has("python3", "a button for no command fails the reply") {
        return;
    }
    let connected = trap().await;
    for missing in ["/nope", "/settings", "/own now", "/trap again"] {
        let answer = connected.answer(pressing(&format!(r#"{{"label": "Go", "command": "{missing}"}}"#))).await;
        assert!(answer.text().contains("✗ /trap") && !answer.text().contains("a trap"), "{}", answer.text());
        let why = format!("its button names `{missing}`, and there is no such command");
        connected.bot.hears(&["handler failed", &why]);
    }
}
