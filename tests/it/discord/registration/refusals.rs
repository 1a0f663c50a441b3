//! Commands that Discord refuses are reported, and the others are registered.

use discord_twin::{APPLICATION_ID, Fault, GUILD_ID, Interaction, Twin};
use serde_json::json;

use crate::discord::connected::{Connected, connect, connect_to};
use crate::support::bot::Bot;
use crate::support::registered::{in_place, standing, standing_in, twin_with, writes};
use crate::support::said::{assert_says, receipt};

/// Discord's refusal of a command because of its description.
fn too_long(method: &str) -> Fault {
    let reason =
        json!({"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]});
    let body = json!({"code": 50035, "message": "Invalid Form Body", "errors": {"description": reason}});
    Fault::new(method, "/applications").status(400).body(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_discord_refuses_is_named_and_the_others_are_registered() {
    let n_all = in_place().await.len();
    let twin = Twin::start().await.unwrap();
    // The whole set, then alone the first of it, `/alerts`: the registry is ordered by name.
    twin.fail_next(too_long("PUT"));
    twin.fail_next(too_long("POST"));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["does not accept the commands as a whole"]);
    connected.bot.hears(&["Discord does not accept this command", "/alerts", "description: Must be between 1 and 100"]);
    let line = connected.bot.hears(&["registered command", "/alerts", "rejected"]);
    assert!(line.contains("not created: ") && line.contains("description: Must be between 1 and 100"), "{line}");
    connected.bot.hears(&["commands at Discord", &format!("created={}", n_all - 1), "rejected=1"]);
    assert_eq!(connected.twin.commands().len(), n_all - 1);
    // And the bot answers.
    assert_says(connected.answer(Interaction::slash("status")).await.text(), receipt());

    // The next start asks for the one that is missing, and for nothing else.
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let before = writes(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", "created=1", "rejected=0"]);
    assert_eq!(writes(&twin)[before..], ["POST"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_change_leaves_the_command_that_stands() {
    let mut commands = in_place().await;
    let alerts = commands.iter_mut().find(|command| command["name"] == "alerts").unwrap();
    alerts["description"] = json!("old");
    alerts["default_member_permissions"] = json!("8");
    let twin = twin_with(commands).await;
    let before = twin.commands();
    twin.fail_next(too_long("PATCH"));
    let connected = connect_to(twin, "").await;
    let line = connected.bot.hears(&["registered command", "/alerts", "rejected"]);
    assert!(line.contains("not updated: ") && line.contains("description: Must be between"), "{line}");
    connected.bot.hears(&["commands at Discord", "created=0", "updated=0", "removed=0", "rejected=1"]);
    assert_eq!(connected.twin.commands(), before, "with its id, its version and its permissions");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_names_the_line_of_the_manifest() {
    let manifest = include_str!("../../../../modules/status/module.toml");
    let line = 1 + manifest.lines().position(|line| line == "[commands.\"/status\"]").unwrap();
    let mut commands = in_place().await;
    commands.iter_mut().filter(|it| it["name"] == "status").for_each(|it| it["description"] = json!("old"));
    let twin = twin_with(commands).await;
    twin.fail_next(too_long("PATCH"));
    let connected = connect_to(twin, "").await;
    let wanted = format!("modules/status/module.toml:{line}: description: Must be between 1 and 100 in length.");
    connected.bot.hears(&["Discord does not accept this command", "/status", &wanted]);
    connected.bot.hears(&["registered command", "/status", "rejected", &format!("not updated: {wanted}")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_that_tell_of_somebody_else_at_work_are_answered_by_reading_again() {
    // A create of what stands by now, and a change of what is gone by now.
    let mut commands = in_place().await;
    let id = standing_in(&commands, "alerts")["id"].clone();
    commands.iter_mut().filter(|it| it["name"] == "alerts").for_each(|it| it["description"] = json!("old"));
    let twin = twin_with(commands).await;
    twin.fail_next(Fault::new("PATCH", "/applications").status(404).code(10_063, "Unknown application command"));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "updated=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PATCH", "PATCH"]);
    assert_eq!(standing(&connected.twin, "alerts")["id"], id);

    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord", "rejected=0"]);
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let mut commands = twin.commands();
    commands.retain(|command| command["name"] != "alerts");
    let twin = twin_with(commands).await;
    twin.fail_next(Fault::new("POST", "/applications").status(400).code(40_041, "A command with that name exists"));
    let bot = Bot::start(&folder, &twin.url());
    // It does not stand after all, so nothing may be said to have been changed.
    bot.hears(&["registered command", "/alerts", "rejected", "not created: status 400, code 40041"]);
    assert_eq!(writes(&twin), ["POST"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_command_keeps_its_old_name_while_discord_refuses_the_new_one() {
    let full = || Fault::new("POST", "/applications").status(400).code(30_032, "Maximum number reached (100)");
    // Refused alone, and refused so that the whole set would be exchanged for the next one.
    for (missing, faults, writes_wanted) in [
        (&["status"][..], vec![too_long("POST")], &["POST"][..]),
        (&["alerts", "status"], vec![too_long("POST"), full()], &["POST", "POST"]),
    ] {
        let mut commands = in_place().await;
        commands.retain(|command| !missing.contains(&command["name"].as_str().unwrap()));
        commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
        let twin = twin_with(commands).await;
        let before = twin.commands();
        faults.into_iter().for_each(|fault| twin.fail_next(fault));
        let connected = connect_to(twin, "").await;
        connected.bot.hears(&["registered command", "/gone", "put-off", "not removed: what is new comes first"]);
        assert_eq!(writes(&connected.twin), writes_wanted, "{missing:?}");
        assert_eq!(connected.twin.commands(), before, "{missing:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_refused_command_keeps_only_its_own_double() {
    let twin = twin_with(in_place().await).await;
    // The whole set, then alone the first of it, `/alerts`.
    twin.fail_next(too_long("PUT"));
    twin.fail_next(too_long("POST"));
    let connected = connect_to(twin, &format!("[discord]\nguild = \"{GUILD_ID}\"\n")).await;
    connected.bot.hears(&["Discord does not accept this command", "/alerts"]);
    connected.bot.hears(&["not removed from the other scope", "/alerts", "not in place where it belongs"]);
    connected.bot.hears(&["stay in the other scope and may show twice", "commands=1"]);
    let commands = connected.twin.commands();
    let (elsewhere, here): (Vec<_>, Vec<_>) = commands.into_iter().partition(|command| command["guild_id"].is_null());
    assert_eq!(elsewhere.iter().map(|command| &command["name"]).collect::<Vec<_>>(), ["alerts"]);
    assert!(!here.is_empty() && here.iter().all(|command| command["name"] != "alerts"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_that_fails_never_stops_the_bot() {
    let twin = Twin::start().await.unwrap();
    let path = format!("/applications/{APPLICATION_ID}/commands");
    twin.fail_next(Fault::new("GET", &path).status(500).times(20));
    let connected = connect_to(twin, "").await;
    // One line for all of them.
    connected.bot.hears(&["not up to date", "status 500", "trying again in 2 s"]);
    assert!(!connected.bot.log().contains("registered command"), "{}", connected.bot.log());
    connected.bot.hears(&["commands at Discord", "created=0", "unchanged=0"]);
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("✓ /status"));
    // Once Discord answers again, so does the registration.
    connected.twin.clear_faults();
    connected.bot.hears(&["commands at Discord", "unchanged=0", "put_off=0"]);
    assert!(connected.twin.commands().iter().any(|command| command["name"] == "status"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_scope_is_told_with_the_address_that_adds_it() {
    let twin = Twin::start().await.unwrap();
    let path = format!("/applications/{APPLICATION_ID}/commands");
    twin.fail_next(Fault::new("GET", &path).status(403).code(50_001, "Missing Access"));
    let connected = connect_to(twin, "").await;
    let address = format!("oauth2/authorize?client_id={APPLICATION_ID}&scope=bot+applications.commands");
    connected.bot.hears(&["not up to date", &address, "trying again at the next start"]);
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("✓ /status"));
}
