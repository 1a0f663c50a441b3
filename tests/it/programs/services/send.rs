//! Modules that send messages, outside of Discord: what the check says of their channels, and that the console shows a
//! message and does not send it.

use std::fs;

use crate::programs::modules::{folder, stdout};
use crate::support::bot::Folder;

const NEWS: &str = r#"
[module]
name = "news"
summary = "Tells what is new"
kind = "exec"
services = ["send"]

[run]
program = "news.sh"

[commands."/news"]
description = "Tell what is new"
probe = {}
"#;

/// Answers with the channels that it is told of, and sends to the first one.
const PROGRAM: &str = r#"#!/bin/sh
read -r line
case "$line" in *'"probe":true'*) echo probed; exit ;; esac
channels=${line#*\"send_to\":\[}
channels=${channels%%\]*}
printf '%s' "{\"text\":\"Told.\",\"send\":[{\"channel\":${channels%%,*},\"title\":\"News\",\"text\":\"milk\\nis in\"}]}"
"#;

const CHANNEL: u64 = 1_122_334_455_667_788_990;

fn news(config: &str) -> Folder {
    let folder = folder(&[("news/module.toml", NEWS), ("news/news.sh", PROGRAM)]);
    fs::write(folder.path().join("config.toml"), config).unwrap();
    folder
}

#[test]
fn the_console_and_a_trial_show_what_would_be_sent_and_where() {
    let folder = news(&format!("[modules.send_to]\nnews = [{CHANNEL}]\n"));
    let shown = format!("Would be sent to channel {CHANNEL}: News milk is in");
    for said in [stdout(&folder.console("/news\n")), stdout(&folder.run(&["try", "/news"]))] {
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&shown.replace('\n', " ")) && words.contains("✓ /news"), "{said}");
    }
    let database = rusqlite::Connection::open(folder.path().join("data/candor.db")).unwrap();
    let kept = database.query_row("SELECT count(*) FROM outbox", (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(kept, 0, "a bot that starts later would send it");
}

#[test]
fn the_check_says_which_channels_do_not_fit_and_what_to_type() {
    let cases = [
        ("no-channel", String::new(), 0),
        ("no-module", format!("[modules.send_to]\nnewz = [{CHANNEL}]\n"), 78),
        ("sends-nothing", format!("[modules.send_to]\nnews = [{CHANNEL}]\ntasks = [{CHANNEL}]\n"), 78),
        ("no-id", "[modules.send_to]\nnews = [\"general\"]\n".to_owned(), 78),
        ("short-id", "[modules.send_to]\nnews = [5]\n".to_owned(), 78),
        ("no-list", format!("[modules.send_to]\nnews = {CHANNEL}\n"), 78),
    ];
    for (name, config, code) in cases {
        let checked = news(&config).run(&["check"]);
        assert_eq!(checked.status.code(), Some(code), "{name}: {}", stdout(&checked));
        let said = stdout(&checked);
        // Without the table of commands.
        let found = said.split("\n\n  /").next().unwrap();
        insta::assert_snapshot!(format!("send-{name}"), found);
    }
}
