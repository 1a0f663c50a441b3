//! Modules that change while the bot runs: checked as a whole, in force as a whole or not at all.

use std::fs;
use std::time::{Duration, Instant};

use discord_twin::{Fault, Interaction, Twin};
use serde_json::json;

use crate::discord::connected::{Connected, connect_in};
use crate::support::bot::{Folder, PATIENCE};
use crate::support::said::said;

fn manifest(reply: &str) -> String {
    format!(
        "[module]\nname = \"notices\"\nsummary = \"Notices\"\nkind = \"text\"\n\
         [commands.\"/rules\"]\ndescription = \"The rules\"\nreply = \"{reply}\"\n"
    )
}

fn unknown(command: &str) -> String {
    said!("unknown-command", command = format!("/{command}"))
}

/// A connected bot with a text module.
async fn connected() -> Connected {
    let folder = Folder::with("");
    fs::create_dir_all(folder.path().join("modules/notices")).unwrap();
    write(&folder, &manifest("Be kind."));
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["commands at Discord"]);
    connected
}

fn write(folder: &Folder, manifest: &str) {
    fs::write(folder.path().join("modules/notices/module.toml"), manifest).unwrap();
}

fn names(twin: &Twin) -> Vec<String> {
    twin.commands().iter().map(|command| command["name"].as_str().unwrap().to_owned()).collect()
}

impl Connected {
    async fn says(&self, command: &str, wanted: &str) {
        let answer = self.answer(Interaction::slash(command)).await;
        assert!(answer.text().contains(wanted), "{}", answer.text());
    }

    /// Asks again until this is the answer.
    async fn comes_to_say(&self, command: &str, wanted: &str) {
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.answer(Interaction::slash(command)).await;
            if answer.text().contains(wanted) {
                return;
            }
            assert!(Instant::now() < end, "{}\n{}", answer.text(), self.bot.log());
        }
    }

    async fn registers(&self, command: &str, is_there: bool) {
        let seen = self
            .twin
            .wait_until(PATIENCE, || (names(&self.twin).iter().any(|n| n == command) == is_there).then_some(()));
        assert!(seen.await.is_some(), "{:?}\n{}", names(&self.twin), self.bot.log());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_on_disk_comes_into_force_and_discord_follows() {
    let connected = connected().await;
    connected.says("rules", "Be kind.").await;

    let more = format!(
        "{}[commands.\"/motd\"]\ndescription = \"Of the day\"\nreply = \"Drink water.\"\n",
        manifest("Be brief.")
    );
    write(&connected.folder, &more);
    connected.bot.hears(&["reloaded", "/motd", "added"]);
    connected.says("rules", "Be brief.").await;
    connected.says("motd", "Drink water.").await;
    connected.registers("motd", true).await;

    fs::remove_dir_all(connected.folder.path().join("modules/notices")).unwrap();
    connected.bot.hears(&["reloaded", "/rules", "removed"]);
    connected.says("rules", &unknown("rules")).await;
    connected.registers("rules", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_that_the_operator_changes_comes_into_force() {
    let connected = connected().await;
    let with_setting = |reply: &str| format!("{}[settings.rules]\ndescription = \"The rules\"\n", manifest(reply));
    write(&connected.folder, &with_setting("Rules: {setting.rules}"));
    connected.bot.hears(&["the modules are in force"]);

    let config = connected.folder.path().join("config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let set =
        |rules: &str| fs::write(&config, format!("{before}\n[modules.settings.notices]\nrules = {rules}\n")).unwrap();
    set("\"Only cats.\"");
    connected.comes_to_say("rules", "Rules: Only cats.").await;
    set("7");
    connected.bot.hears(&["`modules.settings.notices.rules` takes a text"]);
    connected.says("rules", "Rules: Only cats.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_broken_changes_nothing_and_is_told() {
    let connected = connected().await;
    write(&connected.folder, "[module]\nname = \"notices\"\nkind = \"text\"\n[commands.\"rules\"]\nreply = \"x\"\n");
    connected.bot.hears(&["not reloaded, and what was in force stays"]);
    connected.bot.hears(&["error[command-missing-slash]"]);
    connected.says("rules", "Be kind.").await;
    assert!(connected.bot.log().contains("module.toml:4:"), "{}", connected.bot.log());

    // Once it is mended, it comes into force by itself.
    write(&connected.folder, &manifest("Be kind and brief."));
    connected.bot.hears(&["the modules are in force"]);
    connected.says("rules", "Be kind and brief.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_reloads_and_does_not_end_the_process() {
    let connected = connected().await;
    let hangup = || {
        let sent =
            std::process::Command::new("kill").args(["-HUP", &connected.bot.pid().to_string()]).status().unwrap();
        assert!(sent.success());
    };
    hangup();
    connected.bot.hears(&["the modules are read again", "SIGHUP"]);
    connected.bot.hears(&["the modules are in force", "n_changes=0"]);
    connected.says("rules", "Be kind.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_discord_refuses_is_taken_back() {
    let connected = connected().await;
    let reason =
        json!({"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]});
    let body = json!({"code": 50035, "message": "Invalid Form Body", "errors": {"description": reason}});
    connected.twin.fail_next(Fault::new("POST", "/applications").status(400).body(body));
    let more = format!(
        "{}[commands.\"/motd\"]\ndescription = \"Of the day\"\nreply = \"Drink water.\"\n",
        manifest("Be brief.")
    );
    write(&connected.folder, &more);
    connected.bot.hears(&["those from before the reload are in force again"]);
    connected.registers("motd", false).await;
    let gone =
        connected.twin.wait_until(PATIENCE, || connected.bot.log().matches("commands at Discord").nth(2).map(drop));
    assert!(gone.await.is_some(), "{}", connected.bot.log());
    connected.says("rules", "Be kind.").await;
    connected.says("motd", &unknown("motd")).await;
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_reloads_under_load_lose_nothing() {
    let connected = connected().await;
    let writing = async {
        for n in 0..30 {
            write(&connected.folder, &manifest(&format!("Be kind, {n}.")));
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let asking = async {
        for _ in 0..150 {
            connected.says("rules", "Be kind").await;
        }
    };
    tokio::join!(writing, asking);
    let last =
        connected.twin.wait_until(PATIENCE, || connected.bot.log().contains("the modules are in force").then_some(()));
    assert!(last.await.is_some());
    for _ in 0..100 {
        let answer = connected.answer(Interaction::slash("rules")).await;
        if answer.text().contains("Be kind, 29.") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the last change did not come into force:\n{}", connected.bot.log());
}
