//! Each server has a set of commands of its own: without what its administrators switched off.

use discord_twin::{Fault, GUILD_ID, Interaction, Options, Recorded, Twin};
use serde_json::Value;

use crate::discord::connected::{Connected, connect_in, connect_to};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::registered::{asked, sync};
use crate::support::said::said;

/// A second server.
const OTHER: u64 = GUILD_ID + 10;
const MANAGE_GUILD: u64 = 1 << 5;
const EACH: &str = "[discord]\nregister = \"servers\"\n[chat]\nserver_settings = [\"commands\"]\n";

async fn twin_of_two() -> Twin {
    Twin::start_with(Options { guilds: vec![GUILD_ID, OTHER], ..Options::default() }).await.unwrap()
}

/// A bot in two servers, each of which has its set.
async fn connect_each() -> Connected {
    let connected = connect_to(twin_of_two().await, EACH).await;
    connected.bot.hears(&["registered: a set of commands for each server"]);
    connected.bot.hears(&["commands of the servers at Discord", "servers=2", "behind=0"]);
    connected.bot.hears(&["commands at Discord", "rejected=0", "put_off=0"]);
    connected
}

/// What a server offers by itself.
fn offered(twin: &Twin, guild: u64) -> Vec<String> {
    let guild = Value::from(guild.to_string());
    let here = twin.commands().into_iter().filter(|command| command["guild_id"] == guild);
    here.map(|command| command["name"].as_str().unwrap().to_owned()).collect()
}

/// What is registered for everywhere else.
fn globally(twin: &Twin) -> Vec<Value> {
    twin.commands().into_iter().filter(|command| command["guild_id"].is_null()).collect()
}

fn has(twin: &Twin, guild: u64, name: &str) -> bool {
    offered(twin, guild).iter().any(|known| known == name)
}

/// The requests about the commands of servers.
fn of_servers(twin: &Twin) -> Vec<Recorded> {
    asked(twin).into_iter().filter(|request| request.path.contains("/guilds/")).collect()
}

async fn becomes(connected: &Connected, what: &str, is_so: impl Fn(&Twin) -> bool) {
    let twin = &connected.twin;
    let found = twin.wait_until(PATIENCE, || is_so(twin).then_some(())).await;
    assert!(found.is_some(), "{what} never became so:\n{}", connected.bot.log());
}

async fn settings(connected: &Connected, subcommand: &str, options: &[(&str, &str)]) -> Recorded {
    let mut asked = Interaction::slash("settings").subcommand(subcommand).permissions(MANAGE_GUILD);
    for (name, value) in options {
        asked = asked.option(name, *value);
    }
    connected.answer(asked).await
}

async fn switch_off(connected: &Connected, what: &str) -> Recorded {
    settings(connected, "set", &[("name", "commands"), ("value", what)]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_switched_off_leaves_this_servers_picker_and_no_other_and_comes_back() {
    let connected = connect_each().await;
    let twin = &connected.twin;
    let all = offered(twin, GUILD_ID);
    assert!(["status", "tasks", "settings"].iter().all(|name| has(twin, GUILD_ID, name)), "{all:?}");

    let answer = switch_off(&connected, "/status, memory, /tasks add").await;
    assert!(answer.text().contains(&said!("settings-picker-follows")), "{}", answer.text());
    becomes(&connected, "switched off", |twin| !has(twin, GUILD_ID, "status")).await;
    let here = Value::from(GUILD_ID.to_string());
    let tasks = twin.commands().into_iter().find(|it| it["name"] == "tasks" && it["guild_id"] == here);
    let left: Vec<_> = tasks.unwrap()["options"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert!(!left.contains(&Value::from("add")) && left.contains(&Value::from("list")), "{left:?}");
    assert!(!has(twin, GUILD_ID, "memory"));
    assert_eq!(offered(twin, OTHER), all);
    // Who still sees it is refused.
    let refused = connected.answer(Interaction::slash("status")).await;
    assert!(!refused.text().contains("✓ /status"), "{}", refused.text());

    settings(&connected, "undo", &[]).await;
    becomes(&connected, "on again by undo", |twin| offered(twin, GUILD_ID).len() == all.len()).await;
    switch_off(&connected, "/status").await;
    becomes(&connected, "off again", |twin| !has(twin, GUILD_ID, "status")).await;
    settings(&connected, "clear", &[("name", "commands")]).await;
    becomes(&connected, "on again", |twin| has(twin, GUILD_ID, "status")).await;
    assert_eq!(offered(twin, OTHER), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_with_unchanged_sets_asks_nothing_of_any_server() {
    let connected = connect_each().await;
    switch_off(&connected, "/status").await;
    becomes(&connected, "switched off", |twin| !has(twin, GUILD_ID, "status")).await;
    connected.bot.hears(&["commands of a server at Discord", "removed=1"]);
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let before = of_servers(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands of the servers at Discord", "servers=2", "behind=0"]);
    bot.hears(&["commands at Discord", "created=0", "updated=0", "removed=0", "put_off=0"]);
    assert!(bot.stop().success());
    assert_eq!(of_servers(&twin).len(), before);
    assert!(!has(&twin, GUILD_ID, "status") && has(&twin, OTHER, "status"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_is_shown_twice_and_what_works_in_servers_alone_is_only_there() {
    let connected = connect_each().await;
    let twin = &connected.twin;
    let everywhere = globally(twin);
    assert!(everywhere.iter().any(|command| command["name"] == "status"));
    for command in &everywhere {
        let contexts = command["contexts"].as_array().unwrap();
        assert!(!contexts.is_empty() && !contexts.contains(&Value::from(0)), "{command}");
    }
    assert!(everywhere.iter().all(|command| command["name"] != "settings"));
    assert!(has(twin, GUILD_ID, "settings"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_joined_gets_its_set_and_one_that_is_left_gets_nothing() {
    let connected = connect_each().await;
    let (third, all) = (OTHER + 1, offered(&connected.twin, OTHER));
    connected.twin.join(third);
    becomes(&connected, "joined", |twin| offered(twin, third) == all).await;
    connected.bot.hears(&["commands of a server at Discord", &format!("guild.id={third}")]);
    let before = of_servers(&connected.twin).len();
    connected.twin.leave(third);
    connected.bot.hears(&["the bot left a server", &format!("guild.id={third}")]);
    // What the store says of the time before does not count.
    connected.twin.join(third);
    becomes(&connected, "joined again", |twin| offered(twin, third) == all).await;
    let new = of_servers(&connected.twin).split_off(before);
    let methods: Vec<_> = new.iter().map(|request| request.method.as_str()).collect();
    assert_eq!(methods, ["GET", "PUT"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_change_of_the_mode_nobody_is_without_commands_and_nothing_is_left_over() {
    let connected = connect_to(twin_of_two().await, "").await;
    connected.bot.hears(&["commands at Discord", "rejected=0"]);
    let Connected { bot, twin, folder, .. } = connected;
    let everywhere = globally(&twin);
    assert!(bot.stop().success());

    let admin = "[admin]\nlisten = \"127.0.0.1:0\"\n";
    std::fs::write(folder.path().join("config.toml"), format!("{EACH}{admin}")).unwrap();
    let before = asked(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    let is_moved = || (globally(&twin).iter().all(|it| it["contexts"] == serde_json::json!([1]))).then_some(());
    assert!(twin.wait_until(PATIENCE, is_moved).await.is_some(), "{}", bot.log());
    let wanted = everywhere.len();
    assert_eq!((offered(&twin, GUILD_ID).len(), offered(&twin, OTHER).len()), (wanted, wanted));
    let requests = asked(&twin).split_off(before);
    let last_set = requests.iter().rposition(|it| it.method == "PUT" && it.path.contains("/guilds/")).unwrap();
    let first_loss = requests.iter().position(|it| matches!(it.method.as_str(), "PATCH" | "DELETE")).unwrap();
    assert!(last_set < first_loss, "{last_set} {first_loss}");
    assert!(bot.stop().success());

    std::fs::write(folder.path().join("config.toml"), admin).unwrap();
    let before = asked(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    let is_back = || (offered(&twin, GUILD_ID).is_empty() && offered(&twin, OTHER).is_empty()).then_some(());
    assert!(twin.wait_until(PATIENCE, is_back).await.is_some(), "{}", bot.log());
    assert_eq!(globally(&twin).len(), wanted);
    let requests = asked(&twin).split_off(before);
    let is_write = |request: &&Recorded| request.method != "GET";
    let first = requests.iter().find(is_write).unwrap();
    assert!(!first.path.contains("/guilds/"), "{first:?}");
    assert!(bot.stop().success());
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_discord_holds_up_is_said_to_the_administrator_and_not_asked_again_by_a_restart() {
    let connected = connect_each().await;
    let path = format!("/applications/{}/guilds/{GUILD_ID}/commands", discord_twin::APPLICATION_ID);
    connected.twin.fail_next(Fault::rate_limited("DELETE", &path, 3_600.0));
    switch_off(&connected, "/status").await;
    connected.bot.hears(&["the commands of a server at Discord are not up to date", "left alone for 3600 s"]);
    // What is set counts all the same.
    let refused = connected.answer(Interaction::slash("status")).await;
    assert!(!refused.text().contains("✓ /status"), "{}", refused.text());
    let page = settings(&connected, "show", &[]).await;
    let shown = page.message()["embeds"][0]["fields"].to_string();
    assert!(shown.contains("takes no more changes of it before"), "{shown}");
    let answer = switch_off(&connected, "/tasks").await;
    assert!(answer.text().contains("takes no more changes of it before"), "{}", answer.text());
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let before = of_servers(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["the commands of a server at Discord are not up to date", "wants to be left alone until 20"]);
    assert_eq!(of_servers(&twin).len(), before);
    assert!(has(&twin, GUILD_ID, "status"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_process_leaves_what_a_newer_one_registered_in_a_server() {
    let connected = connect_each().await;
    let url = format!(
        "{}/api/v10/applications/{}/guilds/{GUILD_ID}/commands",
        connected.twin.url(),
        discord_twin::APPLICATION_ID
    );
    let newer = serde_json::json!({ "name": "newer", "description": "Only the newer one knows it", "type": 1 });
    let request = reqwest::Client::new().post(&url).header("authorization", "Bot other").json(&newer);
    assert!(request.send().await.unwrap().status().is_success());
    switch_off(&connected, "/status").await;
    connected.bot.hears(&["another process registered another set of commands in this server"]);
    assert!(has(&connected.twin, GUILD_ID, "newer") && has(&connected.twin, GUILD_ID, "status"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_shows_and_carries_out_the_same() {
    let twin = twin_of_two().await;
    let folder = Folder::with(EACH);
    let plan = sync(&folder, &twin, &["--plan"]);
    let text = String::from_utf8_lossy(&plan.stdout).into_owned();
    assert_eq!(plan.status.code(), Some(2), "{text}");
    assert!(text.contains("global, for direct messages") && text.contains("servers: 2, with differences: 2"), "{text}");
    assert!(twin.commands().is_empty());
    assert!(sync(&folder, &twin, &[]).status.success());
    assert_eq!(offered(&twin, GUILD_ID), offered(&twin, OTHER));
    let plan = sync(&folder, &twin, &["--plan"]);
    let text = String::from_utf8_lossy(&plan.stdout).into_owned();
    assert_eq!((plan.status.code(), text.contains("servers: 2, with differences: 0")), (Some(0), true), "{text}");
    // The bot finds everything in place.
    let before = of_servers(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands of the servers at Discord", "servers=2", "behind=0"]);
    assert_eq!(of_servers(&twin).len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_brings_a_new_command_to_every_server_that_did_not_switch_it_off() {
    let manifest = |commands: &[&str]| {
        let head = "[module]\nname = \"notices\"\nsummary = \"Notices\"\nkind = \"text\"\n".to_owned();
        commands.iter().fold(head, |text, name| {
            format!("{text}[commands.\"/{name}\"]\ndescription = \"One of them\"\nreply = \"Yes.\"\n")
        })
    };
    let folder = Folder::with(EACH);
    let file = folder.path().join("modules/notices/module.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, manifest(&["older"])).unwrap();
    let connected = connect_in(folder, twin_of_two().await).await;
    connected.bot.hears(&["commands of the servers at Discord", "servers=2", "behind=0"]);
    switch_off(&connected, "/status").await;
    becomes(&connected, "switched off", |twin| !has(twin, GUILD_ID, "status")).await;

    std::fs::write(&file, manifest(&["older", "newer"])).unwrap();
    becomes(&connected, "new", |twin| has(twin, GUILD_ID, "newer") && has(twin, OTHER, "newer")).await;
    becomes(&connected, "in direct messages", |twin| globally(twin).iter().any(|it| it["name"] == "newer")).await;
    assert!(!has(&connected.twin, GUILD_ID, "status"));
    std::fs::write(&file, manifest(&["older"])).unwrap();
    becomes(&connected, "gone", |twin| twin.commands().iter().all(|it| it["name"] != "newer")).await;
    assert!(!has(&connected.twin, GUILD_ID, "status") && has(&connected.twin, OTHER, "status"));
}
