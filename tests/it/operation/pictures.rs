//! The pictures of the README: the bot still replies as they show it. `docs/pictures/make.py` makes them.

use std::time::{SystemTime, UNIX_EPOCH};

use discord_twin::{Recorded, Scenario, Twin};
use serde_json::{Value, json};

use crate::discord::connected::connect_in;
use crate::support::bot::Folder;
use crate::support::scripted_model::{Script, ScriptedModel};

/// What people said, and what the bot replied when the pictures were made.
const REPLIES: &str = include_str!("../../../docs/pictures/replies.json");
const SCENARIO: &str = include_str!("../../../docs/pictures/scenario.jsonl");
const SETTINGS: &str = include_str!("../../../docs/pictures/config.toml");
const METRICS: &str = include_str!("../../../docs/pictures/metrics.json");
/// Invented answers; that to words is what the chat model says to the bot, too.
const INVENTED: &str = include_str!("../../../docs/pictures/invented.json");

const PICTURES: [(&str, &[u8]); 2] = [
    ("docs/pictures/candor-light.png", include_bytes!("../../../docs/pictures/candor-light.png")),
    ("docs/pictures/candor-dark.png", include_bytes!("../../../docs/pictures/candor-dark.png")),
];

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What a person sees of a request; nothing, if it is none that shows anything.
fn shown(request: &Recorded) -> Option<Value> {
    let shows = request.method == "POST" && (request.is_callback() || request.path.ends_with("/messages"));
    let message = request.message();
    let rows = message["components"].as_array().into_iter().flatten();
    let buttons = rows.flat_map(|row| row["components"].as_array().into_iter().flatten());
    let labels: Vec<_> = buttons.map(|button| &button["label"]).collect();
    let content = message["content"].as_str().unwrap_or_default();
    shows.then(|| json!({ "content": content, "embeds": message["embeds"], "buttons": labels }))
}

/// The text of replies without what differs from one time to the next: the hour, and how long a command took.
fn lasting(replies: &Value) -> Value {
    let text = serde_json::to_string_pretty(replies).unwrap().replace("under 1 ms", "1 ms");
    let mut kept = String::new();
    for c in text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }) {
        if c != '0' || !kept.ends_with('0') {
            kept.push(c);
        }
    }
    serde_json::from_str(&kept).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_replies_as_the_pictures_show() {
    let invented = json_of(INVENTED);
    let words = invented["add milk to our list"].as_str().unwrap();
    let model = ScriptedModel::start(vec![Script::says(words)]).await;
    let folder = Folder::with(&SETTINGS.replace("{model}", model.base_url()));
    let mut metrics = json_of(METRICS);
    metrics["generated_at"] = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().into();
    std::fs::create_dir(folder.path().join("live")).unwrap();
    std::fs::write(folder.path().join("live/metrics.json"), metrics.to_string()).unwrap();

    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let played = connected.twin.play(&Scenario::read(SCENARIO).unwrap()).await;
    played.unwrap_or_else(|failed| panic!("{failed:?}; log:\n{}", connected.bot.log()));

    let mut pictured = json_of(REPLIES);
    for reply in pictured.as_array_mut().unwrap() {
        // What a person said comes from the scenario.
        let asked = reply.as_object_mut().unwrap().remove("asked").unwrap();
        assert!(SCENARIO.contains(asked.as_str().unwrap().trim_start_matches('/')), "{asked}");
        assert!(invented[asked.as_str().unwrap()].is_string(), "{asked}");
    }
    let now: Value = connected.twin.requests().iter().filter_map(shown).collect();
    let old = "the bot says something else by now: make the pictures anew with docs/pictures/make.py";
    assert_eq!(lasting(&now), lasting(&pictured), "{old}");
}

#[test]
fn the_pictures_are_those_of_the_replies_and_the_page_has_both_themes() {
    let readme = include_str!("../../../README.md");
    for (file, picture) in PICTURES {
        assert!(readme.contains(&format!("\"{file}\"")), "the README does not show {file}");
        assert!(picture.len() < 200_000, "{file} has {} bytes", picture.len());
        // The script puts the replies into each picture that shows them.
        let has_them = picture.windows(REPLIES.len()).any(|part| part == REPLIES.as_bytes());
        assert!(has_them, "{file} shows other replies than replies.json: make it anew with docs/pictures/make.py");
    }
    assert!(readme.contains("(prefers-color-scheme: dark)"));
}

#[test]
fn what_lasts_of_a_reply_is_all_but_its_numbers() {
    let shown = json!(["✓ /status · as of 12:03:04 UTC (2 s ago) · under 1 ms · receipt 3EYDH"]);
    let later = json!(["✓ /status · as of 9:10:59 UTC (11 s ago) · 12 ms · receipt 3EYDH"]);
    assert_eq!(lasting(&shown), lasting(&later));
    assert_ne!(lasting(&shown), lasting(&json!(["✓ /status · as of 9:10:59 UTC (11 s ago)"])));
}
