//! The command line from the outside: exit codes and what the operator reads.

use std::net::TcpListener;
use std::process::Output;

use discord_twin::Twin;

use crate::support::bot::{Bot, Folder};
use crate::support::said::{assert_says, said};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn check_is_clean_on_defaults_and_says_so_to_people_and_programs() {
    let folder = Folder::empty();
    let output = folder.run(&["check"]);
    let report = text(&output.stdout);
    assert!(report.starts_with("  /clear "), "{report}");
    assert!(report.contains("  /tasks ") && report.contains(" add | list | done | remove\n"), "{report}");
    assert!(report.ends_with("\n\n0 errors, 0 warnings in 5 modules; registered 29, reachable 29\n"), "{report}");
    assert_eq!(code(&output), 0);

    let output = folder.run(&["check", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    assert_eq!((report["registered"].as_u64(), report["reachable"].as_u64()), (Some(29), Some(29)));
    // A check touches nothing.
    assert!(!folder.path().join("data").exists());
}

#[test]
fn every_problem_is_reported_at_once_and_the_bot_does_not_start() {
    let folder = Folder::with("[status]\nfle = \"x\"\n[commands]\ndeadline_s = \"soon\"\n");
    let weather = folder.path().join("modules/weather");
    std::fs::create_dir_all(&weather).unwrap();
    let manifest = "[module]\nname = \"weather\"\nsummary = \"Weather\"\n[commands.status]\ndescription = \"x\"\nhandler = \"y\"\n";
    std::fs::write(weather.join("module.toml"), manifest).unwrap();

    let output = folder.run(&["check"]);
    let report = text(&output.stdout);
    for wanted in [
        "error[config-unknown-key]",
        "config.toml:2:1",
        "error[config-wrong-type]",
        "error[command-missing-slash]",
        "modules/weather/module.toml:4:11",
        "[commands.\"/status\"]",
    ] {
        assert!(report.contains(wanted), "{wanted} is not in\n{report}");
    }
    assert_eq!(code(&output), 78);

    let started = folder.run(&["console"]);
    assert_eq!(code(&started), 78);
    assert!(text(&started.stderr).contains("error[command-missing-slash]"));
    assert!(!folder.path().join("data").exists(), "nothing was started");
}

#[test]
fn quarantine_starts_without_the_bad_module_and_says_whose_commands_are_missing() {
    let folder = Folder::with("[modules]\non_violation = \"quarantine\"\n");
    let weather = folder.path().join("modules/weather");
    std::fs::create_dir_all(&weather).unwrap();
    let manifest = "[module]\nname = \"weather\"\nsummary = \"Weather\"\n[commands.\"/forecast\"]\ndescription = \"x\"\nhandler = \"y\"\n";
    std::fs::write(weather.join("module.toml"), manifest).unwrap();
    let output = folder.console("/forecast\n/status\n");
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{output:?}");
    assert_says(&said, said!("command-unavailable", command = "/forecast"));
    assert!(said.contains("✓ /status"), "{said}");
    assert!(text(&output.stderr).contains("handler-not-found"));
}

#[test]
fn what_is_set_up_wrong_ends_with_78_and_says_what_to_do() {
    let folder = Folder::with("");
    let output = folder.run(&["run"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stderr).contains("no Discord token: put it into a file"), "{}", text(&output.stderr));

    let output = folder.run(&["--config", "nowhere.toml", "check"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stdout).contains("config-unreadable"), "{}", text(&output.stdout));

    let output = folder.run(&["chek"]);
    assert_eq!(code(&output), 78);
    assert!(text(&output.stderr).contains("check"));
}

#[test]
fn a_database_that_cannot_be_used_is_named_and_left_alone() {
    let folder = Folder::with("");
    std::fs::create_dir_all(folder.path().join("data")).unwrap();
    let database = folder.path().join("data/candor.db");
    std::fs::write(&database, "this is not a database, it is a letter").unwrap();
    let output = folder.run(&["console"]);
    assert_eq!(code(&output), 78, "{output:?}");
    assert!(text(&output.stderr).contains("data/candor.db"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&database).unwrap(), "this is not a database, it is a letter");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_and_an_unreachable_proxy_end_with_69() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let folder = Folder::with(&format!("[admin]\nlisten = \"{address}\"\n"));
    let twin = Twin::start().await.unwrap();
    let mut bot = Bot::start(&folder, &twin.url());
    assert_eq!(bot.wait().code(), Some(69));
    bot.hears(&["cannot listen on", &address.to_string(), "[admin] listen"]);

    let folder = Folder::with("");
    let mut bot = Bot::start(&folder, &format!("http://{address}"));
    assert_eq!(bot.wait().code(), Some(69));
    bot.hears(&["does not answer GET /gateway"]);
    drop(taken);
}

#[test]
fn health_without_a_running_bot_is_69() {
    // Bound and dropped: nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = Folder::with(&format!("[admin]\nlisten = \"{free}\"\n"));
    let output = folder.run(&["health"]);
    assert_eq!(code(&output), 69);
    assert!(text(&output.stderr).contains("no answer from"), "{}", text(&output.stderr));
}

#[test]
fn help_names_the_commands_the_environment_and_the_exit_codes() {
    let output = Folder::empty().run(&["--help"]);
    let help = text(&output.stdout);
    for wanted in
        ["console", "run", "check", "receipts", "health", "DISCORD_TOKEN_FILE", "DISCORD_PROXY", "RUST_LOG", "78"]
    {
        assert!(help.contains(wanted), "{wanted} is not in\n{help}");
    }
    assert_eq!(code(&output), 0);
}
