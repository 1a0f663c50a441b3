//! Modules that change while the bot runs: checked as a whole, in force as a whole or not at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use discord_twin::{Fault, Interaction, Twin};
use serde_json::json;

use crate::discord::connected::{Connected, connect_in};
use crate::discord::connection::{admin_address, answers};
use crate::programs::for_this_kernel;
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

    /// Asks again until this holds. The answer is the same all the time.
    async fn says_until(&self, command: &str, wanted: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds() {
            self.says(command, wanted).await;
            assert!(Instant::now() < end, "{}", self.bot.log());
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
    connected.bot.hears(&["reload failed; the previous version stays in force"]);
    connected.bot.hears(&["error[command-missing-slash]"]);
    connected.says("rules", "Be kind.").await;
    assert!(connected.bot.log().contains("module.toml:4:"), "{}", connected.bot.log());

    // Once it is mended, it comes into force by itself.
    write(&connected.folder, &manifest("Be kind and brief."));
    connected.bot.hears(&["the modules are in force"]);
    connected.says("rules", "Be kind and brief.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn under_quarantine_a_module_that_breaks_keeps_its_version_and_says_so() {
    let folder = Folder::with("[admin]\nlisten = \"127.0.0.1:0\"\n[modules]\non_violation = \"quarantine\"\n");
    for module in ["notices", "motd"] {
        fs::create_dir_all(folder.path().join("modules").join(module)).unwrap();
    }
    write(&folder, &manifest("Be kind."));
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let address = admin_address(&connected.bot);
    connected.bot.hears(&["commands at Discord"]);
    connected.says("rules", "Be kind.").await;

    // Both of the two slips at once: no slash, and the handler's name in place of a table.
    write(
        &connected.folder,
        "[module]\nname = \"notices\"\nsummary = \"x\"\nkind = \"text\"\n[commands]\nrules = \"rules\"\n",
    );
    connected.bot.hears(&["WARN", "code=\"command-missing-slash\"", "modules/notices/module.toml", "line=6", "help="]);
    connected.bot.hears(&["WARN", "code=\"command-bare-handler\""]);
    connected.bot.hears(&["WARN", "not in force:", "the new version of notices (command-missing-slash, "]);
    connected.says("rules", "Be kind.").await;
    answers(address, "/metrics", true, "candor_reload_failed 1").await;
    answers(address, "/readyz", true, "the last reload of the modules failed").await;

    // A broken module that is new is unavailable, a good one comes into force, and the first still runs.
    let motd = manifest("Drink water.").replace("notices", "motd");
    let motd_at = connected.folder.path().join("modules/motd/module.toml");
    fs::write(&motd_at, motd.replace("/rules", "motd")).unwrap();
    connected.comes_to_say("motd", "is unavailable").await;
    fs::write(&motd_at, motd.replace("/rules", "/motd")).unwrap();
    connected.comes_to_say("motd", "Drink water.").await;
    connected.says("rules", "Be kind.").await;
    answers(address, "/metrics", true, "candor_reload_failed 1").await;

    write(&connected.folder, &manifest("Be brief."));
    connected.comes_to_say("rules", "Be brief.").await;
    answers(address, "/metrics", true, "candor_reload_failed 0").await;
    assert!(!connected.bot.log().contains("withdrawn"), "{}", connected.bot.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_reloads_and_does_not_end_the_process() {
    let connected = connected().await;
    hang_up(&connected);
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
    connected.bot.hears_nth(2, &["commands at Discord"]);
    connected.says("rules", "Be kind.").await;
    connected.says("motd", &unknown("motd")).await;
    connected._log.may_hold_refused();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_changes_settles_into_few_reloads_and_no_call_is_lost() {
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
    connected.comes_to_say("rules", "Be kind, 29.").await;
    let log = connected.bot.log();
    let n_reloads = log.matches("the modules are read again").count();
    assert!((1..20).contains(&n_reloads), "{n_reloads}:\n{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_kubernetes_swaps_comes_into_force() {
    let connected = connected().await;
    let module = connected.folder.path().join("modules/notices");
    fs::remove_file(module.join("module.toml")).unwrap();
    let version = |name: &str, reply: &str| {
        fs::create_dir(module.join(name)).unwrap();
        fs::write(module.join(name).join("module.toml"), manifest(reply)).unwrap();
        symlink(name, module.join("..data_tmp")).unwrap();
        fs::rename(module.join("..data_tmp"), module.join("..data")).unwrap();
    };
    version("..2026_11_27", "Be a map.");
    symlink("..data/module.toml", module.join("module.toml")).unwrap();
    connected.comes_to_say("rules", "Be a map.").await;
    version("..2026_11_28", "Be another.");
    fs::remove_dir_all(module.join("..2026_11_27")).unwrap();
    connected.comes_to_say("rules", "Be another.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_under_way_ends_as_it_began_though_its_command_is_gone() {
    let connected = connected().await;
    let module = connected.folder.path().join("modules/slow");
    fs::create_dir_all(&module).unwrap();
    let slow = "[module]\nname = \"slow\"\nsummary = \"Slow\"\nkind = \"exec\"\n[run]\nprogram = \"slow.sh\"\n\
                [commands.\"/slow\"]\ndescription = \"Take a while\"\nwrites = false\n";
    fs::write(
        module.join("slow.sh"),
        "#!/bin/sh\nread -r line\nuntil [ -e \"$HOME/go\" ]; do sleep 0.1; done\necho Done.\n",
    )
    .unwrap();
    fs::set_permissions(module.join("slow.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(module.join("module.toml"), for_this_kernel(slow)).unwrap();
    connected.bot.hears(&["reloaded", "/slow", "added"]);
    let work = connected.folder.path().join("data/modules/slow");
    fs::write(work.join("go"), "").unwrap();
    connected.says("slow", "Done.").await;

    fs::remove_file(work.join("go")).unwrap();
    let sent = connected.twin.interact(Interaction::slash("slow"));
    assert!(connected.twin.wait_until(PATIENCE, || connected.twin.replies_to(&sent).pop()).await.is_some(), "deferred");
    let other = slow.replace("/slow", "/other");
    fs::write(module.join("module.toml"), for_this_kernel(&other)).unwrap();
    connected.bot.hears(&["reloaded", "/slow", "removed"]);
    connected.says("slow", &unknown("slow")).await;
    fs::write(work.join("go"), "").unwrap();
    let answer = connected.twin.answer_to(&sent, PATIENCE).await.unwrap();
    assert!(answer.text().contains("Done.") && answer.text().contains("✓ /slow"), "{}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_asks_for_a_reload_and_is_told_what_changed_or_what_is_wrong() {
    let folder = Folder::with("[admin]\nlisten = \"127.0.0.1:0\"\n");
    fs::create_dir_all(folder.path().join("modules/notices")).unwrap();
    write(&folder, &manifest("Be kind."));
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let address = admin_address(&connected.bot);
    fs::write(connected.folder.path().join("asks.toml"), format!("admin.listen = \"{address}\"\n")).unwrap();
    let reload = || {
        let asked = connected.folder.run(&["--config", "asks.toml", "reload"]);
        (asked.status.code(), String::from_utf8(asked.stdout).unwrap())
    };
    assert_eq!(reload(), (Some(0), "Reloaded; no command changed.\n".to_owned()));

    write(&connected.folder, &manifest("Be kind.").replace("/rules", "rules"));
    let (code, told) = reload();
    assert_eq!(code, Some(78), "{told}");
    assert!(told.contains("error[command-missing-slash]") && told.contains("the previous version stays"), "{told}");
    // It is ready all the same, and says so with a note.
    answers(address, "/readyz", true, "the last reload of the modules failed").await;
    answers(address, "/metrics", true, "candor_reload_failed 1").await;

    write(&connected.folder, &manifest("Be kind.").replace("/rules", "/order"));
    let (code, told) = reload();
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("/order") && told.contains("/rules"), "{told}");
    answers(address, "/metrics", true, "candor_reload_failed 0").await;
    answers(address, "/readyz", true, r#""missing":[]"#).await;
}

/// A connected bot with `/try`, whose program is this script.
async fn with_program(script: &str) -> Connected {
    let folder = Folder::with("");
    let module = folder.path().join("modules/try");
    fs::create_dir_all(&module).unwrap();
    let manifest = "[module]\nname = \"try\"\nsummary = \"Tries\"\nkind = \"exec\"\n[run]\nprogram = \"try.sh\"\n\
                    [commands.\"/try\"]\ndescription = \"Try\"\nwrites = false\nprobe = { mode = \"probe\" }\n\
                    [commands.\"/try\".options.mode]\ndescription = \"How\"\n";
    fs::write(module.join("module.toml"), for_this_kernel(manifest)).unwrap();
    put(&folder, script);
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["commands at Discord"]);
    connected
}

/// Puts this script in the program's place, all at once.
fn put(folder: &Folder, script: &str) {
    let module = folder.path().join("modules/try");
    crate::programs::write_script(&module.join(".new"), script);
    fs::rename(module.join(".new"), module.join("try.sh")).unwrap();
}

fn link(folder: &Folder, to: &str) {
    let module = folder.path().join("modules/try");
    symlink(to, module.join(".new")).unwrap();
    fs::rename(module.join(".new"), module.join("try.sh")).unwrap();
}

/// The copies that programs are started from.
fn copies(folder: &Folder) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder.path().join("data/checked")).unwrap().map(|entry| entry.unwrap().path()).collect()
}

const GOOD: &str = "echo checked";
const BAD: &str = "read -r line; case $line in *probe*) exit 3;; esac; echo UNCHECKED";

#[tokio::test(flavor = "multi_thread")]
async fn what_was_checked_runs_until_something_else_is_whatever_stands_in_the_folder() {
    let connected = with_program(GOOD).await;
    let first = copies(&connected.folder);
    assert_eq!(first.len(), 1, "{first:?}");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let [folder, program, manifest] = [&*first[0], &*first[0].join("try.sh"), &*first[0].join("module.toml")].map(mode);
    assert_eq!((folder, program, manifest), (0o500, 0o500, 0o400));

    // Right after the change, and after a reload has failed because of it.
    let bot = &connected.bot;
    put(&connected.folder, BAD);
    connected.says("try", "checked").await;
    bot.hears(&["the probe of `/try` failed", "exit code 3"]);
    connected.says("try", "checked").await;
    link(&connected.folder, "/bin/false");
    connected.says("try", "checked").await;
    bot.hears(&["the probe of `/try` failed", "exit code 1"]);
    connected.says("try", "checked").await;
    fs::remove_file(connected.folder.path().join("modules/try/try.sh")).unwrap();
    bot.hears(&["there is no program"]);
    connected.says("try", "checked").await;

    // What passes its check comes into force, and the copies that nothing uses any more are removed.
    put(&connected.folder, "echo other");
    connected.comes_to_say("try", "other").await;
    connected.says_until("try", "other", || copies(&connected.folder).len() == 1).await;
    assert!(!first[0].exists());
    let second = copies(&connected.folder);
    // A module that is as it was keeps its copy.
    hang_up(&connected);
    let is_again = || 1 < bot.log().matches("the modules are in force").count();
    connected.says_until("try", "other", is_again).await;
    assert_eq!(copies(&connected.folder), second);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_storm_of_swaps_no_call_runs_what_was_not_checked() {
    let connected = with_program(GOOD).await;
    for _ in 0..15 {
        put(&connected.folder, BAD);
        hang_up(&connected);
        connected.says("try", "checked").await;
        link(&connected.folder, "/bin/false");
        connected.says("try", "checked").await;
        put(&connected.folder, GOOD);
        hang_up(&connected);
        connected.says("try", "checked").await;
    }
    put(&connected.folder, "echo at last");
    connected.comes_to_say("try", "at last").await;
    assert!(connected.bot.log().contains("reload failed"), "some reloads met the bad one");
}

fn hang_up(connected: &Connected) {
    let sent = std::process::Command::new("kill").args(["-HUP", &connected.bot.pid().to_string()]).status().unwrap();
    assert!(sent.success());
}
