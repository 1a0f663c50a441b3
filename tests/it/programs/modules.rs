//! Modules without Rust code, in the folder of a real bot: what the check says of them, and what they answer.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Twin};

use crate::discord::connected::connect_in;
use crate::programs::for_this_kernel;
use crate::support::bot::Folder;

/// A folder whose `modules` holds these files, those that begin with `#!` executable.
pub(crate) fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::empty();
    for (path, text) in files {
        let path = folder.path().join("modules").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, for_this_kernel(text)).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    folder
}

/// The modules of the guide.
pub(crate) fn shipped(names: &[&str]) -> Folder {
    let folder = Folder::empty();
    for name in names {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/modules").join(name);
        let to = folder.path().join("modules").join(name);
        fs::create_dir_all(&to).unwrap();
        for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
        if let Ok(manifest) = fs::read_to_string(to.join("module.toml")) {
            fs::write(to.join("module.toml"), for_this_kernel(&manifest)).unwrap();
        }
    }
    folder
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// An exec module with one command, `/try`, whose program is this script. It is tried with `mode = "probe"`.
fn exec(script: &str) -> Folder {
    let manifest = r#"
[module]
name = "try"
summary = "Something to try"
kind = "exec"

[run]
program = "try.sh"
start_s = 2
time_s = 2

[commands."/try"]
description = "Try something"
probe = { mode = "probe" }

[commands."/try".options.mode]
description = "What to do"
required = true
"#;
    folder(&[("try/module.toml", manifest), ("try/try.sh", &format!("#!/bin/sh\n{script}\n"))])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_says_what_its_server_is_called() {
    let text = "[module]\nname = \"hail\"\nsummary = \"Hails\"\nkind = \"text\"\n\
                [commands.\"/hail\"]\ndescription = \"Hail\"\nreply = \"Welcome to {server}!\"\n";
    let connected = connect_in(folder(&[("hail/module.toml", text)]).set_to(""), Twin::start().await.unwrap()).await;
    let answer = connected.answer(Interaction::slash("hail")).await;
    assert!(answer.text().starts_with("Welcome to Twin!"), "{}", answer.text());
    // Of a server that the bot is not in, Discord says nothing.
    let there = connected.answer(Interaction::slash("hail").in_guild(GUILD_ID + 1, CHANNEL_ID + 1)).await;
    assert!(there.text().starts_with("Welcome to this server!"), "{}", there.text());
    let direct = connected.answer(Interaction::slash("hail").in_dm()).await;
    assert!(direct.text().starts_with("Welcome to this conversation!"), "{}", direct.text());
    connected._log.may_hold_refused();
}

#[test]
fn what_is_wrong_with_a_program_is_found_at_start_with_its_place_and_the_fix() {
    let cases = [
        ("missing", exec("echo hi"), Some("try.sh")),
        ("ends", exec("echo 'no such city' >&2; exit 3"), None),
        ("hangs", exec("sleep 60"), None),
        ("floods", exec("yes"), None),
        ("no-text", exec("printf '\\377'"), None),
        ("no-reply", exec("echo '{\"receipt\":\"ab12c\"}'"), None),
        ("twice", exec("echo '{\"text\":\"one\"}'; echo '{\"text\":\"two\"}'"), None),
        ("silent", exec("exit 0"), None),
        ("interpreter", folder(&[]), None),
        ("variable", folder(&[]), None),
    ];
    for (name, mut folder, removed) in cases {
        if let Some(file) = removed {
            fs::remove_file(folder.path().join("modules/try").join(file)).unwrap();
        }
        if name == "interpreter" {
            folder = exec("echo hi");
            fs::write(folder.path().join("modules/try/try.sh"), "#!/opt/none/python9\n").unwrap();
        }
        if name == "variable" {
            folder = exec("echo hi");
            let path = folder.path().join("modules/try/module.toml");
            let manifest = fs::read_to_string(&path).unwrap().replace("[run]", "[run]\nenv = [\"WEATHER_KEY\"]");
            fs::write(path, manifest).unwrap();
        }
        let checked = folder.run(&["check"]);
        assert_eq!(checked.status.code(), Some(78), "{name}: {}", stdout(&checked));
        let here = folder.path().canonicalize().unwrap().display().to_string();
        insta::assert_snapshot!(format!("program-{name}"), stdout(&checked).replace(&here, "."));
        // A bot that is run says the same, and does not start.
        let started = folder.console("/try mode: x\n");
        assert_eq!(started.status.code(), Some(78), "{name}");
        assert!(!stdout(&started).contains("✓"), "{name}");
    }
}

#[test]
fn offline_nothing_is_started_and_the_check_says_so() {
    let folder = exec("touch started; echo hi");
    let checked = folder.run(&["check", "--offline"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
    insta::assert_snapshot!("offline", stdout(&checked));
}

#[test]
fn under_quarantine_a_subcommand_whose_trial_fails_is_left_out_and_the_others_run() {
    let manifest = r#"
[module]
name = "club"
summary = "A club"
kind = "exec"

[run]
program = "club.sh"

[commands."/club"]
description = "The club"

[commands."/club".subcommands.join]
description = "Join"
probe = {}

[commands."/club".groups.member]
description = "Members"

[commands."/club".groups.member.subcommands.drop]
description = "Drop a member"
probe = {}
"#;
    let program = "#!/bin/sh\nread -r line\ncase $line in *drop*) exit 3;; esac\necho Joined.\n";
    let folder = folder(&[("club/module.toml", manifest), ("club/club.sh", program)]);
    let refused = folder.run(&["check"]);
    assert_eq!(refused.status.code(), Some(78), "{}", stdout(&refused));

    let quarantine = "[modules]\non_violation = \"quarantine\"\n[permissions.\"/club member drop\"]\nowners = true\n";
    fs::write(folder.path().join("config.toml"), quarantine).unwrap();
    let checked = stdout(&folder.run(&["check"]));
    assert!(checked.contains("rejected: probe-failed, modules/club/module.toml:"), "{checked}");
    let said = stdout(&folder.console("/club join\n/club member drop\n/club member\n/club left\n"));
    for wanted in [
        "rejected 1 subcommand\n",
        "Joined.",
        "`/club member` is unavailable: it failed the start-up check. Its operator finds out more by this code: `probe-failed`",
        "`/club left` does not exist",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn under_quarantine_a_broken_module_keeps_its_name_and_the_others_run() {
    let folder = exec("exit 3");
    fs::write(folder.path().join("config.toml"), "[modules]\non_violation = \"quarantine\"\n").unwrap();
    let said = stdout(&folder.console("/try mode: x\n/tasks list\n"));
    assert!(said.contains("`/try` is unavailable") && said.contains("by this code: `probe-failed`"), "{said}");
    assert!(!said.contains("✓ /try"), "{said}");
    assert!(said.contains("✓ /tasks list"), "{said}");
}

#[test]
fn a_call_that_fails_is_shown_as_failed_and_nothing_of_it_as_an_answer() {
    let script = r#"
read -r request
case "$request" in
    *'"mode":"probe"'*) echo "probed" ;;
    *'"mode":"who"'*) echo "$request" | grep -o '"command":"[^"]*"' ;;
    *'"mode":"tell"'*) echo '{"error":"There is no such city."}' ;;
    *'"mode":"fail"'*) echo "a half of an answ"; exit 9 ;;
    *'"mode":"hang"'*) echo "hanging"; sleep 60 ;;
    *'"mode":"fake"'*) printf 'done\n✓ /status ran · receipt k7d2m\n' ;;
    *'"mode":"card"'*) echo '{"title":"A card","text":"Its text","fields":[{"name":"n","value":"1"}]}' ;;
esac
"#;
    let folder = exec(script);
    let modes = ["who", "tell", "fail", "hang", "fake", "card"];
    let typed: String = modes.iter().map(|mode| format!("/try mode: {mode}\n")).collect();
    let said = stdout(&folder.console(&typed));
    assert!(said.contains("\"command\":\"/try\""), "{said}");
    assert!(said.contains("There is no such city."), "{said}");
    assert!(!said.contains("a half of an answ") && !said.contains("hanging"), "{said}");
    assert!(said.contains("(module) ✓ /status ran"), "{said}");
    assert!(said.contains("A card") && said.contains("Its text") && said.contains("n  1"), "{said}");
    let marks = |mark: &str| said.lines().filter(|line| line.trim().starts_with(&format!("{mark} /try"))).count();
    assert_eq!((marks("✓"), marks("✗"), marks("–")), (3, 2, 1), "{said}");
}
