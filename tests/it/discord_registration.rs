//! Registration against the twin: what is written, what the log says, and what never happens to what stands.

use discord_twin::{Fault, Interaction, Options, Twin};
use serde_json::{Value, json};

use crate::bot::Bot;
use crate::discord::{Connected, connect, connect_to};

/// A twin at which these commands stand already.
async fn twin_with(commands: Vec<Value>) -> Twin {
    Twin::start_with(Options { commands, ..Options::default() }).await.unwrap()
}

/// Discord's refusal of a set because of the command at this place.
fn refusal_of(place: usize) -> Fault {
    let reason =
        json!({"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]});
    let body =
        json!({"code": 50035, "message": "Invalid Form Body", "errors": {place.to_string(): {"description": reason}}});
    Fault::new("PUT", "/applications").status(400).body(body)
}

/// The sets that were sent, oldest first.
fn writes(twin: &Twin) -> Vec<Value> {
    twin.requests().into_iter().filter(|request| request.method == "PUT").map(|request| request.body).collect()
}

/// What stands under this name.
fn standing(twin: &Twin, name: &str) -> Value {
    twin.commands().into_iter().find(|command| command["name"] == name).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn registration_is_logged_a_line_a_command_and_an_unchanged_restart_writes_nothing() {
    let connected = connect("").await;
    let line = connected.bot.hears(&["registered command", "/status"]);
    for part in ["module=\"status\"", "handler.kind=\"native\"", "options=\"[metric]\"", "state=\"created\""] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    connected.bot.hears(&["commands at Discord", "created=9", "rejected=0"]);
    let registered = connected.twin.commands();
    assert_eq!(registered.len(), 9);
    let Connected { bot, twin, folder } = connected;
    assert!(bot.stop().success());

    // Another start against the same Discord: nothing differs, nothing is written.
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", "unchanged=9", "created=0"]);
    let writes = twin.requests().iter().filter(|request| request.method == "PUT").count();
    assert_eq!(writes, 1);
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_discord_refuses_is_named_and_the_others_are_registered() {
    let twin = Twin::start().await.unwrap();
    // The registry is ordered by name: `/clear` is the first of the list.
    twin.fail_next(refusal_of(0));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["Discord does not take this command", "clear", "Must be between 1 and 100"]);
    let line = connected.bot.hears(&["registered command", "/clear", "rejected"]);
    assert!(line.contains("not created: description: Must be between 1 and 100"), "{line}");
    connected.bot.hears(&["commands at Discord", "created=8", "rejected=1"]);
    assert_eq!(connected.twin.commands().len(), 8);
    // And the bot answers.
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("receipt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_change_leaves_the_command_that_stands() {
    let old = json!({"id": "77", "type": 1, "name": "clear", "description": "old", "default_member_permissions": "8"});
    let twin = twin_with(vec![old]).await;
    let before = standing(&twin, "clear");
    twin.fail_next(refusal_of(0));
    let connected = connect_to(twin, "").await;
    let line = connected.bot.hears(&["registered command", "/clear", "rejected"]);
    assert!(line.contains("not updated: description: Must be between"), "{line}");
    connected.bot.hears(&["commands at Discord", "created=8", "updated=0", "removed=0", "rejected=1"]);
    assert_eq!(standing(&connected.twin, "clear"), before, "with its id, its version and its permissions");
    assert_eq!(connected.twin.commands().len(), 9);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_point_is_kept_and_sent_without_what_is_discords_own() {
    let twin = twin_with(vec![json!({"id": "88", "type": 4, "name": "launch", "handler": 2})]).await;
    let before = standing(&twin, "launch");
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "created=9", "rejected=0"]);
    let sent = writes(&connected.twin)[0][9].clone();
    assert_eq!((&sent["name"], &sent["handler"]), (&json!("launch"), &json!(2)));
    for field in ["id", "application_id", "version", "guild_id"] {
        assert!(sent.get(field).is_none(), "{field} in {sent}");
    }
    assert_eq!(standing(&connected.twin, "launch"), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_what_is_only_kept_is_not_answered_by_asking_again() {
    let twin = twin_with(vec![json!({"type": 4, "name": "launch", "handler": 2})]).await;
    twin.fail_next(refusal_of(9).times(50));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date", "/launch: description: Must be between", "trying again at the next start"]);
    connected.bot.hears(&["commands at Discord", "created=0", "rejected=9"]);
    assert_eq!(writes(&connected.twin).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_without_end_come_to_an_end() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(refusal_of(0).times(50));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date", "trying again at the next start"]);
    connected.bot.hears(&["commands at Discord", "created=0", "rejected=9"]);
    assert_eq!(writes(&connected.twin).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_no_more_may_be_created_today_the_log_says_what_stands_and_nothing_is_asked_again() {
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord", "created=9"]);
    let Connected { bot, twin, folder } = connected;
    assert!(bot.stop().success());
    let mut commands = twin.commands();
    commands.retain(|command| command["name"] != "status");
    commands.iter_mut().filter(|command| command["name"] == "help").for_each(|help| help["description"] = json!("old"));

    let twin = twin_with(commands).await;
    let before = twin.commands();
    let why = "Max number of daily application command creates has been reached (200)";
    twin.fail_next(Fault::new("PUT", "/applications").status(400).code(30_034, why).times(50));
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["takes no more new commands today", "those that it has keep working", "trying again in 24 h"]);
    for (name, state, reason) in [
        ("/status", "state=\"rejected\"", "not created: status 400, code 30034"),
        ("/help", "state=\"rejected\"", "not updated: status 400, code 30034"),
        ("/clear", "state=\"unchanged\"", ""),
    ] {
        bot.hears(&["registered command", name, state, reason]);
    }
    bot.hears(&["commands at Discord", "created=0", "updated=0", "unchanged=7", "rejected=2"]);
    assert_eq!(writes(&twin).len(), 1);
    assert_eq!(twin.commands(), before);
    // Waiting for the next day is no reason to stay.
    assert!(bot.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_that_fails_never_stops_the_bot() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::new("GET", "/applications/").status(500).times(20));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date", "trying again in 2 s"]);
    // The table does not wait for the last try.
    connected.bot.hears(&["registered command", "/status", "not sent: status 500"]);
    connected.bot.hears(&["commands at Discord", "rejected=9"]);
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("✓ /status"));
    // Once Discord answers again, so does the registration.
    connected.twin.clear_faults();
    connected.bot.hears(&["commands at Discord", "created=9"]);
}
