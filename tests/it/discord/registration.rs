//! Registration against the twin: what is written, what the log says, and what never happens to what stands.

use std::time::{Duration, SystemTime};

use discord_twin::{APPLICATION_ID, Fault, GUILD_ID, Interaction, Options, Rate, RateLimits, Recorded, Twin};
use serde_json::{Value, json};

use crate::discord::commands::{Connected, connect, connect_to};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::said::{assert_says, receipt};
use candor::edges::store::Database;
use candor_core::inbound::GuildId;
use candor_core::registration::{Scope, SyncMemory as _, day_of};

/// A twin at which these commands stand already.
pub(crate) async fn twin_with(commands: Vec<Value>) -> Twin {
    Twin::start_with(Options { commands, ..Options::default() }).await.unwrap()
}

/// The commands as they stand after a start that went well.
pub(crate) async fn in_place() -> Vec<Value> {
    let twin = Twin::start().await.unwrap();
    let output = sync(&Folder::with(""), &twin, &[]);
    assert!(output.status.success(), "{output:?}");
    twin.commands()
}

/// Runs `candor sync` against the twin.
pub(crate) fn sync(folder: &Folder, twin: &Twin, arguments: &[&str]) -> std::process::Output {
    let arguments = [&["sync"], arguments].concat();
    let mut command = folder.candor(&arguments);
    // The twin answers on the other threads of this runtime.
    tokio::task::block_in_place(|| {
        command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token").output().unwrap()
    })
}

/// Everything about commands that was asked for.
pub(crate) fn asked(twin: &Twin) -> Vec<Recorded> {
    twin.requests().into_iter().filter(|request| request.path.contains("/commands")).collect()
}

/// The methods of everything that was to be changed, oldest first.
pub(crate) fn writes(twin: &Twin) -> Vec<String> {
    asked(twin).into_iter().filter(|request| request.method != "GET").map(|request| request.method).collect()
}

/// What stands under this name.
pub(crate) fn standing(twin: &Twin, name: &str) -> Value {
    twin.commands().into_iter().find(|command| command["name"] == name).unwrap_or_default()
}

/// Discord's refusal of a command because of its description.
fn too_long(method: &str) -> Fault {
    let reason =
        json!({"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]});
    let body = json!({"code": 50035, "message": "Invalid Form Body", "errors": {"description": reason}});
    Fault::new(method, "/applications").status(400).body(body)
}

fn n(commands: &[Value]) -> String {
    format!("={}", commands.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn registration_is_logged_a_line_a_command_and_an_unchanged_restart_writes_nothing() {
    let connected = connect("").await;
    let line = connected.bot.hears(&["registered command", "/status"]);
    for part in ["module=\"status\"", "handler.kind=\"native\"", "state=\"created\""] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
    let registered = connected.twin.commands();
    connected.bot.hears(&["commands at Discord", &format!("created{}", n(&registered))]);
    assert_eq!(writes(&connected.twin), ["PUT"], "the first start is one request");
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());

    // Another start against the same Discord: nothing differs, nothing is written.
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", &format!("unchanged{}", n(&registered)), "created=0"]);
    assert_eq!(writes(&twin), ["PUT"]);
    assert_eq!(twin.commands(), registered);
    let read = asked(&twin).into_iter().filter(|request| request.method == "GET");
    assert!(read.into_iter().all(|request| request.query.is_some_and(|it| it.contains("with_localizations=true"))));
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_description_is_one_patch_and_the_id_stays() {
    let mut commands = in_place().await;
    let status = commands.iter_mut().find(|command| command["name"] == "status").unwrap();
    let (id, text) = (status["id"].clone(), status["description"].clone());
    status["description"] = json!("old");
    status["nsfw"] = json!(true);
    let connected = connect_to(twin_with(commands).await, "").await;
    connected.bot.hears(&["commands at Discord", "created=0", "updated=1", "removed=0", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PATCH"]);
    let sent = asked(&connected.twin).into_iter().find(|request| request.method == "PATCH").unwrap();
    assert_eq!(sent.body, json!({"description": text, "nsfw": false}), "only what differs is sent");
    assert_eq!(standing(&connected.twin, "status")["id"], id);
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_new_comes_before_what_is_gone_and_the_entry_point_stays() {
    let mut commands = in_place().await;
    commands.retain(|command| command["name"] != "status");
    commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
    commands.push(json!({"id": "88", "type": 4, "name": "launch", "handler": 2}));
    let twin = twin_with(commands).await;
    let launch = standing(&twin, "launch");
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["registered command", "/gone", "state=\"removed\""]);
    connected.bot.hears(&["commands at Discord", "created=1", "updated=0", "removed=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["POST", "DELETE"]);
    assert_eq!((standing(&connected.twin, "launch"), standing(&connected.twin, "gone")), (launch, Value::Null));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_start_sends_the_entry_point_back_without_what_is_discords_own() {
    let twin = twin_with(vec![json!({"id": "88", "type": 4, "name": "launch", "handler": 2})]).await;
    let before = standing(&twin, "launch");
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
    let sent = asked(&connected.twin).into_iter().find(|request| request.method == "PUT").unwrap();
    let sent = sent.body.as_array().unwrap().iter().find(|command| command["type"] == 4).unwrap().clone();
    assert_eq!((&sent["name"], &sent["handler"]), (&json!("launch"), &json!(2)));
    for field in ["id", "application_id", "version", "guild_id"] {
        assert!(sent.get(field).is_none(), "{field} in {sent}");
    }
    assert_eq!(standing(&connected.twin, "launch"), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_discord_refuses_is_named_and_the_others_are_registered() {
    let n_all = in_place().await.len();
    let twin = Twin::start().await.unwrap();
    // The whole set, then alone the first of it, `/clear`: the registry is ordered by name.
    twin.fail_next(too_long("PUT"));
    twin.fail_next(too_long("POST"));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["does not take the commands as a whole"]);
    connected.bot.hears(&["Discord does not take this command", "/clear", "description: Must be between 1 and 100"]);
    let line = connected.bot.hears(&["registered command", "/clear", "rejected"]);
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
    let clear = commands.iter_mut().find(|command| command["name"] == "clear").unwrap();
    clear["description"] = json!("old");
    clear["default_member_permissions"] = json!("8");
    let twin = twin_with(commands).await;
    let before = twin.commands();
    twin.fail_next(too_long("PATCH"));
    let connected = connect_to(twin, "").await;
    let line = connected.bot.hears(&["registered command", "/clear", "rejected"]);
    assert!(line.contains("not updated: ") && line.contains("description: Must be between"), "{line}");
    connected.bot.hears(&["commands at Discord", "created=0", "updated=0", "removed=0", "rejected=1"]);
    assert_eq!(connected.twin.commands(), before, "with its id, its version and its permissions");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_names_the_line_of_the_manifest() {
    let manifest = include_str!("../../../modules/status/module.toml");
    let line = 1 + manifest.lines().position(|line| line == "[commands.\"/status\"]").unwrap();
    let mut commands = in_place().await;
    commands.iter_mut().filter(|it| it["name"] == "status").for_each(|it| it["description"] = json!("old"));
    let twin = twin_with(commands).await;
    twin.fail_next(too_long("PATCH"));
    let connected = connect_to(twin, "").await;
    let wanted = format!("modules/status/module.toml:{line}: description: Must be between 1 and 100 in length.");
    connected.bot.hears(&["Discord does not take this command", "/status", &wanted]);
    connected.bot.hears(&["registered command", "/status", "rejected", &format!("not updated: {wanted}")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_that_tell_of_somebody_else_at_work_are_answered_by_reading_again() {
    // A create of what stands by now, and a change of what is gone by now.
    let mut commands = in_place().await;
    let id = standing_in(&commands, "clear")["id"].clone();
    commands.iter_mut().filter(|it| it["name"] == "clear").for_each(|it| it["description"] = json!("old"));
    let twin = twin_with(commands).await;
    twin.fail_next(Fault::new("PATCH", "/applications").status(404).code(10_063, "Unknown application command"));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "updated=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PATCH", "PATCH"]);
    assert_eq!(standing(&connected.twin, "clear")["id"], id);

    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord", "rejected=0"]);
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let mut commands = twin.commands();
    commands.retain(|command| command["name"] != "clear");
    let twin = twin_with(commands).await;
    twin.fail_next(Fault::new("POST", "/applications").status(400).code(40_041, "A command with that name exists"));
    let bot = Bot::start(&folder, &twin.url());
    // It does not stand after all, so nothing may be said to have been changed.
    bot.hears(&["registered command", "/clear", "rejected", "not created: status 400, code 40041"]);
    assert_eq!(writes(&twin), ["POST"]);
}

fn standing_in<'a>(commands: &'a [Value], name: &str) -> &'a Value {
    commands.iter().find(|command| command["name"] == name).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn where_one_more_is_too_many_the_whole_set_is_exchanged() {
    let mut commands = in_place().await;
    let help = standing_in(&commands, "help").clone();
    commands.retain(|command| command["name"] != "status");
    commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
    let twin = twin_with(commands).await;
    let full = "Maximum number of application commands reached (100)";
    twin.fail_next(Fault::new("POST", "/applications").status(400).code(30_032, full));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "created=1", "removed=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["POST", "PUT"]);
    assert_eq!(standing(&connected.twin, "help")["id"], help["id"]);
    assert_eq!(standing(&connected.twin, "gone"), Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_command_keeps_its_old_name_while_discord_refuses_the_new_one() {
    let full = || Fault::new("POST", "/applications").status(400).code(30_032, "Maximum number reached (100)");
    // Refused alone, and refused so that the whole set would be exchanged for the next one.
    for (missing, faults, writes_wanted) in [
        (&["status"][..], vec![too_long("POST")], &["POST"][..]),
        (&["clear", "status"], vec![too_long("POST"), full()], &["POST", "POST"]),
    ] {
        let mut commands = in_place().await;
        commands.retain(|command| !missing.contains(&command["name"].as_str().unwrap()));
        commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
        let twin = twin_with(commands).await;
        let before = twin.commands();
        faults.into_iter().for_each(|fault| twin.fail_next(fault));
        let connected = connect_to(twin, "").await;
        connected.bot.hears(&["registered command", "/gone", "rejected", "not removed: what is new comes first"]);
        assert_eq!(writes(&connected.twin), writes_wanted, "{missing:?}");
        assert_eq!(connected.twin.commands(), before, "{missing:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_was_removed_meanwhile_is_created_soon() {
    let mut commands = in_place().await;
    let mut read_before = commands.clone();
    read_before.iter_mut().filter(|it| it["name"] == "clear").for_each(|it| it["description"] = json!("old"));
    commands.retain(|command| command["name"] != "clear");
    let twin = twin_with(commands).await;
    let path = format!("/applications/{APPLICATION_ID}/commands");
    twin.fail_next(Fault::new("GET", &path).status(200).body(Value::Array(read_before)));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date", "/clear was removed meanwhile", "trying again in 2 s"]);
    connected.bot.hears(&["commands at Discord", "created=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PATCH", "POST"]);
    assert_eq!(standing(&connected.twin, "clear")["name"], "clear");
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_single_changes_stay_within_discords_rate() {
    let mut commands = in_place().await;
    // Some to create, some to change and some to remove: more than five in one window.
    for (index, command) in commands.iter_mut().filter(|command| command["type"] == 1).take(8).enumerate() {
        match index % 2 {
            0 => command["name"] = json!(format!("gone-{index}")),
            _ => command["description"] = json!("old"),
        }
    }
    let rate_limits = RateLimits { command_writes: Rate::new(5, 1), ..RateLimits::strict() };
    let twin = Twin::start_with(Options { commands, rate_limits, ..Options::default() }).await.unwrap();
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "created=4", "updated=4", "removed=4", "rejected=0"]);
    assert_eq!(writes(&connected.twin).len(), 12);
    assert_eq!(connected.twin.n_invalid(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_refused_command_keeps_only_its_own_double() {
    let twin = twin_with(in_place().await).await;
    // The whole set, then alone the first of it, `/clear`.
    twin.fail_next(too_long("PUT"));
    twin.fail_next(too_long("POST"));
    let connected = connect_to(twin, &format!("[discord]\nguild = \"{GUILD_ID}\"\n")).await;
    connected.bot.hears(&["Discord does not take this command", "/clear"]);
    connected.bot.hears(&["not removed from the other scope", "/clear", "not in place where it belongs"]);
    connected.bot.hears(&["stay in the other scope and may show twice", "commands=1"]);
    let commands = connected.twin.commands();
    let (elsewhere, here): (Vec<_>, Vec<_>) = commands.into_iter().partition(|command| command["guild_id"].is_null());
    assert_eq!(elsewhere.iter().map(|command| &command["name"]).collect::<Vec<_>>(), ["clear"]);
    assert!(!here.is_empty() && here.iter().all(|command| command["name"] != "clear"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_days_creates_are_counted_over_restarts_and_never_overdrawn() {
    let folder = Folder::with("");
    let path = folder.path().join("data/candor.db");
    let store = Database::open_file(&path).await.unwrap();
    store.count_creates(APPLICATION_ID, Scope::Global, day_of(SystemTime::now()), 199).await.unwrap();
    store.close().await;
    let twin = Twin::start().await.unwrap();
    for _start in 0..2 {
        let bot = Bot::start(&folder, &twin.url());
        assert!(twin.wait_ready(PATIENCE).await);
        bot.hears(&["not up to date", "no more new commands today: 200 a day", "those that it has keep working"]);
        bot.hears(&["registered command", "/status", "rejected", "not created: no more new commands today"]);
        bot.hears(&["commands at Discord", "updated=0", "removed=0"]);
        // Waiting for the next day is no reason to stay.
        assert!(bot.stop().success());
        assert_eq!(writes(&twin), ["POST"], "one was left, and was used");
    }
    assert_eq!(twin.commands().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_discord_takes_no_more_today_changes_go_on_and_a_restart_does_not_ask_again() {
    let mut commands = in_place().await;
    commands.retain(|command| command["name"] != "status");
    commands.iter_mut().filter(|it| it["name"] == "help").for_each(|help| help["description"] = json!("old"));
    commands.push(json!({"id": "77", "type": 1, "name": "gone", "description": "old"}));
    let twin = twin_with(commands).await;
    let why = "Max number of daily application command creates has been reached (200)";
    twin.fail_next(Fault::new("POST", "/applications").status(400).code(30_034, why));
    let folder = Folder::with("");
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&[
        "not up to date",
        "no more new commands today",
        "those that it has keep working",
        "trying again at 20",
    ]);
    bot.hears(&["registered command", "/status", "rejected", "not created: no more new commands today"]);
    bot.hears(&["registered command", "/gone", "rejected", "not removed: what is new comes first"]);
    bot.hears(&["commands at Discord", "created=0", "updated=1", "removed=0", "rejected=2"]);
    assert_eq!(writes(&twin), ["POST", "PATCH"]);
    assert!(bot.stop().success());

    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", "created=0", "updated=0", "removed=0", "rejected=2"]);
    assert_eq!(writes(&twin), ["POST", "PATCH"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_rate_limit_is_remembered_and_a_restart_asks_nothing() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::rate_limited("PUT", "/applications", 3_600.0));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&[
        "not up to date",
        "left alone for 3600 s",
        "those that it has keep working",
        "trying again at 20",
    ]);
    connected.bot.hears(&["registered command", "/status", "rejected"]);
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("✓ /status"));
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let before = asked(&twin).len();
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["not up to date", "wants to be left alone until 20", "trying again at 20"]);
    assert_eq!(asked(&twin).len(), before, "not even read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_rate_limit_is_waited_for() {
    let twin = Twin::start().await.unwrap();
    twin.fail_next(Fault::rate_limited("PUT", "/applications", 0.05).times(2));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PUT", "PUT", "PUT"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_in_the_other_scope_are_removed_once_those_that_belong_stand() {
    let here = format!("[discord]\nguild = \"{GUILD_ID}\"\n");
    let in_guild = |command: &Value| !command["guild_id"].is_null();
    let connected = connect_to(Twin::start().await.unwrap(), &here).await;
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
    let commands = connected.twin.commands();
    assert!(!commands.is_empty() && commands.iter().all(in_guild));
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());

    // Without the setting they belong everywhere, and the bot knows of the server from READY and from its store.
    for _store in ["as it is", "lost"] {
        std::fs::write(folder.path().join("config.toml"), "[admin]\nlisten = \"127.0.0.1:0\"\n").unwrap();
        let before = asked(&twin).len();
        let bot = Bot::start(&folder, &twin.url());
        let is_moved = || (!twin.commands().iter().any(in_guild) && !twin.commands().is_empty()).then_some(());
        assert!(twin.wait_until(PATIENCE, is_moved).await.is_some(), "{}", bot.log());
        bot.hears(&["removed a command of this bot from the other scope", "/status", &format!("guild {GUILD_ID}")]);
        let methods: Vec<_> = asked(&twin).split_off(before).into_iter().map(|it| it.method).collect();
        let place = |wanted: &str| methods.iter().position(|method| method == wanted);
        assert!(place("PUT").unwrap() < place("DELETE").unwrap(), "{methods:?}");
        assert!(bot.stop().success());

        // And back again.
        let config = format!("{here}[admin]\nlisten = \"127.0.0.1:0\"\n");
        std::fs::write(folder.path().join("config.toml"), config).unwrap();
        let bot = Bot::start(&folder, &twin.url());
        let is_back = || (twin.commands().iter().all(in_guild) && !twin.commands().is_empty()).then_some(());
        assert!(twin.wait_until(PATIENCE, is_back).await.is_some(), "{}", bot.log());
        assert!(bot.stop().success());
        std::fs::remove_file(folder.path().join("data/candor.db")).unwrap();
    }
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_which_nothing_stands_is_looked_at_once() {
    let guild = format!("/guilds/{GUILD_ID}/");
    let connected = connect("").await;
    let looked = |twin: &Twin| asked(twin).iter().filter(|request| request.path.contains(&guild)).count();
    assert!(connected.twin.wait_until(PATIENCE, || (looked(&connected.twin) == 1).then_some(())).await.is_some());
    let Connected { bot, twin, folder, .. } = connected;
    let path = folder.path().join("data/candor.db");
    // Written down right after it was looked at.
    let end = tokio::time::Instant::now() + PATIENCE;
    loop {
        let store = Database::open_file(&path).await.unwrap();
        let known = store.remembered(APPLICATION_ID, Scope::Guild(GuildId(GUILD_ID))).await.unwrap();
        store.close().await;
        if known.fingerprint.is_some() {
            break;
        }
        assert!(tokio::time::Instant::now() < end, "never written down");
        tokio::task::yield_now().await;
    }
    assert!(bot.stop().success());
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", "created=0"]);
    assert!(twin.wait_ready(PATIENCE).await);
    bot.hears(&["INFO", "ready"]);
    assert!(bot.stop().success());
    assert_eq!(looked(&twin), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_that_fails_never_stops_the_bot() {
    let twin = Twin::start().await.unwrap();
    let path = format!("/applications/{APPLICATION_ID}/commands");
    twin.fail_next(Fault::new("GET", &path).status(500).times(20));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date", "trying again in 2 s"]);
    // The table does not wait for the last try.
    connected.bot.hears(&["registered command", "/status", "not sent: status 500"]);
    connected.bot.hears(&["commands at Discord", "created=0", "unchanged=0"]);
    assert!(connected.answer(Interaction::slash("status")).await.text().contains("✓ /status"));
    // Once Discord answers again, so does the registration.
    connected.twin.clear_faults();
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
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

/// The time of a test's own patience is not part of what it waits for.
#[tokio::test]
async fn a_store_from_yesterday_gives_a_new_day() {
    let folder = Folder::empty();
    let path = folder.path().join("candor.db");
    let store = Database::open_file(&path).await.unwrap();
    let now = SystemTime::now();
    store.count_creates(7, Scope::Global, day_of(now - Duration::from_hours(24)), 200).await.unwrap();
    let known = store.remembered(7, Scope::Global).await.unwrap();
    assert_eq!((known.creates_today(now), known.creates_left(now)), (0, 200));
    store.close().await;
}
