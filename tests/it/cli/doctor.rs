//! `candor doctor` from the outside, beside a bot that runs and without one.

use std::net::TcpListener;
use std::process::Output;

use discord_twin::{APPLICATION_ID, Options, Twin};
use serde_json::Value;

use crate::support::bot::{Bot, Folder, PATIENCE};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn doctor(folder: &Folder, twin: &Twin, arguments: &[&str]) -> Output {
    let mut doctor = folder.candor(&[&["doctor"], arguments].concat());
    doctor.env("DISCORD_TOKEN", "not-a-real-token").env("DISCORD_PROXY", twin.url()).output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_that_works_is_found_to_work() {
    let twin = Twin::start().await.unwrap();
    // Bound and dropped: a port that is free.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = Folder::with(&format!("[admin]\nlisten = \"{free}\"\n"));
    let bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(PATIENCE).await, "{}", bot.log());
    bot.hears(&["commands at Discord"]);
    bot.hears(&["connected to Discord"]);
    let output = doctor(&folder, &twin, &[]);
    let report = text(&output.stdout);
    for line in [
        "ok: settings and modules: nothing is wrong",
        "ok: this machine: ",
        &format!("takes the token, and knows the bot as application {APPLICATION_ID}"),
        &format!("ok: the bot at {free} is ready"),
        "ok: commands: Discord offers those that are in force",
        "ok: clock: it agrees with Discord's",
        "ok: logins: ",
    ] {
        assert!(report.contains(line), "{line} is not in\n{report}");
    }
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{report}");
}

#[test]
fn why_discord_is_not_reached_is_said_with_the_host() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (proxy, expected) in [
        (format!("http://{closed}"), "no connection to 127.0.0.1: connection refused"),
        ("https://nowhere.invalid".to_owned(), "no connection to nowhere.invalid: DNS: "),
    ] {
        let folder = Folder::with("");
        let mut doctor = folder.candor(&["doctor"]);
        let output = doctor.env("DISCORD_TOKEN", "not-a-real-token").env("DISCORD_PROXY", &proxy).output().unwrap();
        let report = text(&output.stdout);
        assert!(report.contains(expected), "{report}");
        assert_eq!(output.status.code(), Some(69), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_done_is_said_and_the_exit_code_is_that_of_the_worst() {
    let twin = Twin::start_with(Options { session_starts: 5, ..Options::default() }).await.unwrap();
    // Nobody runs, the commands are not registered, few logins are left.
    let folder = Folder::with("[admin]\nlisten = \"127.0.0.1:9\"\n");
    let output = doctor(&folder, &twin, &["--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |level: &str| {
        let findings = report["findings"].as_array().unwrap().iter().filter(|found| found["level"] == level);
        findings.map(|found| found["what"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("\n")
    };
    assert!(of("problem").contains("no bot answers at 127.0.0.1:9: start it with `candor run`"), "{report:#}");
    assert!(of("warning").contains("logins: 5 of 5 are left"), "{report:#}");
    assert!(of("warning").contains("`candor sync --plan` shows the difference"), "{report:#}");
    assert_eq!(output.status.code(), Some(69), "{report:#}");

    drop(twin);
    let gone = Twin::start().await.unwrap();
    let url = gone.url();
    drop(gone);
    let mut command = folder.candor(&["doctor"]);
    let output = command.env("DISCORD_TOKEN", "not-a-real-token").env("DISCORD_PROXY", url).output().unwrap();
    assert!(text(&output.stdout).contains("problem: Discord: "), "{}", text(&output.stdout));

    let broken = Folder::with("[chat]\nhistory = \"many\"\n");
    let output = broken.candor(&["doctor"]).output().unwrap();
    assert!(text(&output.stdout).contains("problem: settings and modules: errors: 1;"), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(78));
}
