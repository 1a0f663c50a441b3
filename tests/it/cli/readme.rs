//! Every command that the README shows is run here, or by the step of `.ci/run` that is named.

use std::collections::BTreeSet;
use std::process::Stdio;

use discord_twin::Twin;

use crate::support::bot::{Bot, Folder, PATIENCE};

const README: &str = include_str!("../../../README.md");

/// The lines of the README's shell blocks.
fn commands() -> Vec<&'static str> {
    let blocks = README.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    // A block may be a part of a list.
    blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// The bot's arguments in a line that runs it.
fn arguments(line: &str) -> Option<Vec<&str>> {
    line.split_once("cargo run -- ").map(|(_, arguments)| arguments.split(' ').collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_shown_works() {
    for line in commands() {
        let folder = Folder::with("");
        match (line, arguments(line).as_deref()) {
            // The line that runs this test.
            ("cargo test", _) => {}
            // Needs a container engine: `.ci/container` builds and runs the same image.
            ("docker compose up --build", _) => {}
            // Beside it, for the file of the secret; that container has one.
            ("sudo chown 65532:65532 discord_token.txt" | "sudo chmod 400 discord_token.txt", _) => {}
            // The twin as a program; the next line of the README connects to it.
            ("cargo run -p discord-twin --features cli -- --listen 127.0.0.1:4000", _) => {}
            (_, Some(["run"])) => {
                let twin = Twin::start().await.unwrap();
                std::fs::write(folder.path().join("discord_token.txt"), "test.token\n").unwrap();
                let mut command = folder.candor(&["run"]);
                let (variables, _) = line.split_once(" cargo").unwrap();
                for variable in variables.split(' ') {
                    let (name, value) = variable.split_once('=').unwrap();
                    command.env(name, value);
                }
                // The README's port may be taken on this machine, and Discord itself cannot be reached from a test.
                let bot = Bot::start_with(command.env("DISCORD_PROXY", twin.url()));
                assert!(twin.wait_ready(PATIENCE).await, "{line}:\n{}", bot.log());
            }
            // Nothing stands at the twin yet, so there is a difference.
            (_, Some(arguments @ ["sync", "--plan"])) => {
                let twin = Twin::start().await.unwrap();
                std::fs::write(folder.path().join("discord_token.txt"), "test.token\n").unwrap();
                let mut command = folder.candor(arguments);
                let (name, value) = line.split_once(" cargo").unwrap().0.split_once('=').unwrap();
                command.env(name, value).env("DISCORD_PROXY", twin.url());
                let output = tokio::task::block_in_place(|| command.output().unwrap());
                assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
            }
            // A copy of what is there, and a copy put back.
            (_, Some(arguments @ ["backup" | "restore", file])) => {
                for before in [&["console", "-c", "/status"][..], &["backup", file][..]] {
                    if before != arguments {
                        assert!(folder.run(before).status.success(), "{before:?}");
                    }
                }
                let output = folder.run(arguments);
                assert!(output.status.success(), "{line}: {output:?}");
            }
            // Something ran before.
            (_, Some(arguments @ ["receipts", ..])) => {
                assert!(folder.run(&["console", "-c", "/status"]).status.success());
                let output = folder.run(arguments);
                assert!(output.status.success(), "{line}: {output:?}");
            }
            (_, Some(arguments)) => {
                let output = folder.candor(arguments).stdin(Stdio::null()).output().unwrap();
                assert!(output.status.success(), "{line}: {output:?}");
            }
            (unknown, None) => panic!("the README shows `{unknown}`, and nothing runs it"),
        }
    }
}

#[test]
fn the_first_page_has_one_command_that_runs_it_and_one_that_tests_it() {
    let first = ["cargo run -- console", "cargo run -- console -c /status", "cargo test"];
    assert_eq!(commands()[..3], first);
}

/// The names of the commands that a manifest declares, with their slash or as entries of a context menu.
fn declared(manifest: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(manifest).unwrap();
    let keys = ["commands", "menus"].into_iter().filter_map(|kind| table.get(kind)?.as_table());
    keys.flat_map(|entries| entries.keys().cloned()).collect()
}

#[test]
fn every_command_is_in_the_list() {
    let (_, behind) = README.split_once("\n## Commands\n").unwrap();
    let (list, _) = behind.split_once("\n## ").unwrap();
    let rows = list.lines().filter_map(|line| line.strip_prefix("| `/"));
    let listed: BTreeSet<_> =
        rows.filter_map(|row| row.split(['`', ' ']).next()).map(|name| format!("/{name}")).collect();

    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = ["status", "alerts", "tasks", "remind", "memory", "files", "inspect", "feed", "poll"]
        .map(|name| format!("modules/{name}"));
    let manifests = modules
        .into_iter()
        .chain(["src/engine/builtin".to_owned()])
        .map(|folder| std::fs::read_to_string(root.join(folder).join("module.toml")).unwrap());
    let (commands, menus): (BTreeSet<_>, BTreeSet<_>) =
        manifests.flat_map(|text| declared(&text)).partition(|name| name.starts_with('/'));
    assert_eq!(listed, commands);
    for menu in menus {
        assert!(list.contains(&format!("*{menu}*")), "{menu}");
    }
}
