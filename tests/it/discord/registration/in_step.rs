//! Only commands that differ are written.

use discord_twin::{APPLICATION_ID, Fault, GUILD_ID, Interaction, Twin};
use serde_json::{Value, json};

use crate::discord::connected::{Connected, connect, connect_to};
use crate::support::bot::{Bot, Folder, PATIENCE};
use crate::support::registered::{asked, in_place, standing, twin_with, writes};
use crate::support::said::said;
use candor_core::contract::REPLY_MENUS;
use candor_core::inbound::GuildId;
use candor_core::registration::{Scope, SyncMemory as _};
use candor_store::Database;

fn n(commands: &[Value]) -> String {
    format!("={}", commands.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_registration_is_logged_as_a_total_and_an_unchanged_restart_writes_nothing() {
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord", "unchanged=0", "rejected=0"]);
    // The table of the start has each of them.
    assert!(!connected.bot.log().contains("registered command"), "{}", connected.bot.log());
    let registered = connected.twin.commands();
    connected.bot.hears(&["commands at Discord", &format!("created{}", n(&registered))]);
    assert_eq!(writes(&connected.twin), ["PUT"], "the first start is one request");
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());

    // Another start against the same Discord: nothing differs, nothing is written.
    let bot = Bot::start(&folder, &twin.url());
    bot.hears(&["commands at Discord", &format!("unchanged{}", n(&registered)), "created=0"]);
    assert!(!bot.log().contains("registered command"), "{}", bot.log());
    assert_eq!(writes(&twin), ["PUT"]);
    assert_eq!(twin.commands(), registered);
    let read = asked(&twin).into_iter().filter(|request| request.method == "GET");
    assert!(read.into_iter().all(|request| request.query.is_some_and(|it| it.contains("with_localizations=true"))));
    assert_eq!(twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_chat_model_is_registered_with_one_alone() {
    let names = |twin: &Twin| {
        let commands = twin.commands();
        commands.iter().map(|command| command["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let of_chat = [&["clear", "context", "model", "thread", "usage"][..], &REPLY_MENUS].concat();
    let connected = connect("[model]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"one\"]\n").await;
    connected.bot.hears(&["commands at Discord", "rejected=0"]);
    let all = names(&connected.twin);
    assert!(of_chat.iter().all(|name| all.iter().any(|known| known == name)), "{all:?}");

    // The model is taken out of the settings: what stands at Discord goes, and what is chosen before that says why.
    let Connected { bot, twin, .. } = connected;
    assert!(bot.stop().success());
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["left out: no chat model"]);
    connected.bot.hears(&["commands at Discord", &format!("removed={}", of_chat.len()), "rejected=0"]);
    let left = names(&connected.twin);
    assert_eq!((left.len() + of_chat.len(), left.iter().any(|name| of_chat.contains(&&**name))), (all.len(), false));
    for command in ["clear", "model"] {
        let answer = connected.answer(Interaction::slash(command)).await;
        assert_eq!(answer.text(), said!("command-of-chat", command = format!("/{command}")));
    }
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
async fn a_command_that_was_removed_meanwhile_is_created_soon() {
    let mut commands = in_place().await;
    let mut read_before = commands.clone();
    read_before.iter_mut().filter(|it| it["name"] == "calculate").for_each(|it| it["description"] = json!("old"));
    commands.retain(|command| command["name"] != "calculate");
    let twin = twin_with(commands).await;
    let path = format!("/applications/{APPLICATION_ID}/commands");
    twin.fail_next(Fault::new("GET", &path).status(200).body(Value::Array(read_before)));
    let connected = connect_to(twin, "").await;
    connected.bot.hears(&["not up to date", "/calculate was removed in the meantime", "trying again in 2 s"]);
    connected.bot.hears(&["commands at Discord", "created=1", "rejected=0"]);
    assert_eq!(writes(&connected.twin), ["PATCH", "POST"]);
    assert_eq!(standing(&connected.twin, "calculate")["name"], "calculate");
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn held_05_an_older_process_never_deletes_the_commands_of_a_newer_one() {
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord", "rejected=0"]);
    // A newer process, with a store of its own, takes over: it has a command more.
    let newer = json!({ "name": "newer", "description": "Only the newer one knows it", "type": 1 });
    newer_writes(&connected.twin, &newer).await;
    let before = connected.twin.commands();
    let written = writes(&connected.twin);
    connected.answer(Interaction::slash("newer")).await;
    connected.bot.hears(&["another process registered another set of commands"]);
    assert_eq!(connected.twin.commands(), before);
    assert_eq!(writes(&connected.twin), written);
}

/// The same where the newer one has no command more, and other words for one of them.
#[tokio::test(flavor = "multi_thread")]
async fn held_05_an_older_process_takes_back_no_description_of_a_newer_one() {
    let connected = connect("").await;
    connected.bot.hears(&["commands at Discord", "rejected=0"]);
    let newer = json!({ "name": "help", "description": "What the newer one says", "type": 1 });
    newer_writes(&connected.twin, &newer).await;
    let written = writes(&connected.twin);
    // Somebody still sees a command that is gone, and has the older one look again.
    connected.answer(Interaction::slash("long-gone")).await;
    connected.bot.hears(&["another process registered another set of commands"]);
    assert_eq!(standing(&connected.twin, "help")["description"], "What the newer one says");
    assert_eq!(writes(&connected.twin), written);
}

/// A request of another process with the same token.
async fn newer_writes(twin: &Twin, command: &Value) {
    let path = format!("{}/api/v10/applications/{APPLICATION_ID}/commands", twin.url());
    let request = reqwest::Client::new().post(&path).header("authorization", "Bot other").json(command);
    assert!(request.send().await.unwrap().status().is_success());
}

/// The same with two processes on one store, as in a rolling update.
#[tokio::test(flavor = "multi_thread")]
async fn held_05_of_two_processes_on_one_store_the_older_leaves_what_the_newer_registered() {
    const MANIFEST: &str = "[module]\nname = \"newer\"\nsummary = \"Newer\"\nkind = \"text\"\n\
                            [commands.\"/newer\"]\ndescription = \"Only the newer one has it\"\nreply = \"Newer.\"\n";
    let older = connect("").await;
    older.bot.hears(&["commands at Discord", "rejected=0"]);
    let store = older.folder.path().join("data/candor.db");
    let newer = Folder::with(&format!("[store]\npath = {store:?}\n"));
    let module = newer.path().join("modules/newer");
    std::fs::create_dir_all(&module).unwrap();
    std::fs::write(module.join("module.toml"), MANIFEST).unwrap();
    let bot = Bot::start(&newer, &older.twin.url());
    bot.hears(&["commands at Discord", "created=1", "removed=0", "rejected=0"]);
    let (before, written) = (older.twin.commands(), writes(&older.twin));
    assert_eq!(standing(&older.twin, "newer")["description"], "Only the newer one has it");
    older.twin.interact(Interaction::slash("newer"));
    older.bot.hears(&["another process registered another set of commands"]);
    assert_eq!((older.twin.commands(), writes(&older.twin)), (before, written));
    // Both answer it, and the second one is too late.
    older._log.may_hold_refused();
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
        let changes = asked(&twin).split_off(before).into_iter().filter(|it| it.method != "GET");
        let of_server: Vec<_> = changes.map(|it| (it.method, it.path.contains("/guilds/"))).collect();
        let put = |is_of_server| ("PUT".to_owned(), is_of_server);
        assert_eq!(of_server, [put(false), put(true)], "each is one request, and what is new comes first");
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
