//! Names of commands in prose, and which of them exist.

use super::unknown_commands;
use crate::agent::fixture::catalog_of;
use crate::contract::{
    Choice, Command, CommandKind, Group, Leaf, Localized, OptionKind, OptionSpec, Owner, Subcommand,
};
use crate::registry::Catalog;

fn text(choices: &[&str]) -> OptionKind {
    let choices = choices.iter().map(|&value| Choice::new(value.to_owned(), value.to_owned())).collect();
    OptionKind::String { min_length: None, max_length: None, choices }
}

fn leaf(options: &[(&str, OptionKind, bool)]) -> Leaf {
    let options = options.iter().map(|(name, kind, required)| {
        OptionSpec::new((*name).to_owned(), "An option".to_owned(), kind.clone(), *required)
    });
    Leaf::new("unused", options.collect(), None)
}

fn command(name: &str, kind: CommandKind) -> Command {
    let (name, description) = (name.to_owned(), "A command".to_owned());
    Command::new(name, description, Owner::Builtin, kind)
}

fn catalog() -> Catalog {
    let subcommand = |name: &str, leaf: Leaf| Subcommand::new(name.to_owned(), "A part".to_owned(), leaf);
    let integer = OptionKind::Integer { min: None, max: None, choices: Vec::new() };
    let mut hidden = command("reload", CommandKind::Leaf(leaf(&[])));
    hidden.operators_only = true;
    let commands = vec![
        command("status", CommandKind::Leaf(leaf(&[("metric", text(&[]), false)]))),
        command("help", CommandKind::Leaf(leaf(&[("command", text(&[]), false)]))),
        command("clear", CommandKind::Leaf(leaf(&[]))),
        command("mode", CommandKind::Leaf(leaf(&[("to", text(&["day", "night"]), false)]))),
        command("roll", CommandKind::Leaf(leaf(&[("sides", integer.clone(), false)]))),
        command(
            "tasks",
            CommandKind::of_subcommands(vec![
                subcommand("add", leaf(&[("title", text(&[]), true)])),
                subcommand("done", leaf(&[("number", integer, true), ("note", text(&[]), false)])),
                subcommand("list", leaf(&[])),
            ]),
        ),
        command(
            "club",
            CommandKind::Parent {
                subcommands: vec![subcommand("list", leaf(&[]))],
                groups: vec![Group {
                    name: "member".to_owned(),
                    description: "A part".to_owned(),
                    subcommands: vec![
                        subcommand("add", leaf(&[("name", text(&[]), true)])),
                        subcommand("drop", leaf(&[])),
                    ],
                    localized: Localized::default(),
                    written_at: None,
                }],
            },
        ),
        hidden,
    ];
    catalog_of(commands)
}

const KNOWN: &[&str] = &["how much CPU does it use?", "memory.used_bytes 12"];

#[test]
fn commands_that_exist_may_be_named_in_every_way_they_are_written() {
    let catalog = catalog();
    let replies = [
        "",
        "Hello!",
        "Use /status, /tasks or /help.",
        "Use /tasks to see them, and /status history is what you asked for.",
        "/Status shows it. (/clear) \"/help\" </status:123> </tasks add:123>",
        "**/status** *(live)* _/status_ __/tasks list__ *`/help`*",
        "`/status` `/status cpu` `/status metric: disk` `/status metric:<text>` `/status [metric]`",
        "`/status memory.used_bytes`",
        "`/help status` `/help tasks` `/help list`",
        "`/mode night` `/mode to: day` `/roll 6` `/roll sides: 6`",
        "`/tasks` `/tasks list` `/tasks add buy milk` `/tasks add title: \"buy milk\"` `/tasks add <title>`",
        "`/tasks add|list` `/tasks <subcommand>` `/tasks ...` `/tasks done number: 3 note: well` `/tasks done number: <n>`",
        "`/tasks done note: well` `/status - live metrics` **/status: live metrics**",
        "**/status shows your live metrics** \"/status to see it\"",
        "`/club` `/club list` `/club member` `/club member add Ada` `/club member add name: Ada` `/club member drop`",
        "`/club member <subcommand>` `/club member add|drop` `/club list|member` **/club member add** `/help member`",
        // Paths and other slashes.
        "and/or, 1/2, km/h, 3 / 4, 8 /10, //x, / x, /",
        "https://example.org/foo, www.x.org/foo, a/foo, ./foo, ~/foo, C:/foo",
        "/home/x, /foo/bar, /etc, /etc.conf, /tmp and `/usr/bin/env`, `/var`, `/foo.txt`",
        "<b>bold</b> <br/> `</div>` `//comment` `/* comment */` `/^a/` `/S`",
        "```\n/home/x\n// comment\n/status cpu\nls /foo\n```",
        // Denied.
        "There is no `/weather` command.",
        "There's no such command as /weather.",
        "/weather does not exist, but /status does.",
        "`/weather` isn't a command here.",
        "I don’t have a /weather command.",
    ];
    for reply in replies {
        assert_eq!(unknown_commands(reply, &catalog, KNOWN), Vec::<String>::new(), "{reply}");
    }
}

#[test]
fn commands_that_do_not_exist_are_found_as_written() {
    let catalog = catalog();
    let cases: [(&str, &[&str]); 28] = [
        ("Use /weather.", &["/weather"]),
        ("/weather", &["/weather"]),
        ("(/weather) or \"/alerts\"", &["/weather", "/alerts"]),
        ("Try `/weather Berlin`!", &["/weather"]),
        ("**/weather**", &["/weather"]),
        ("</weather:123>", &["/weather"]),
        ("/Weather_map and /a-b", &["/Weather_map", "/a-b"]),
        ("/statusx", &["/statusx"]),
        ("/reload is for operators", &["/reload"]),
        ("See `/status history`.", &["/status history"]),
        ("See `/status alerts now`.", &["/status alerts"]),
        ("See `/status period: week`.", &["/status period"]),
        ("**/status history**", &["/status history"]),
        ("_/status history_", &["/status history"]),
        ("Type \"/status history\" or “/status alerts”.", &["/status history", "/status alerts"]),
        ("```\n/status history\n```", &["/status history"]),
        ("`/tasks remove`", &["/tasks remove"]),
        ("`/tasks remove 3` `/tasks add|remove`", &["/tasks remove", "/tasks add|remove"]),
        ("`/tasks list all`", &["/tasks list all"]),
        ("`/tasks done 3`", &["/tasks done 3"]),
        ("`/club add`", &["/club add"]),
        ("`/club member ban` `/club member ban Ada`", &["/club member ban"]),
        ("`/club member drop everybody`", &["/club member drop everybody"]),
        ("`/clear everything`", &["/clear everything"]),
        ("`/mode noon` `/roll dice`", &["/mode noon", "/roll dice"]),
        ("If /status doesn't work, try /restart.", &["/restart"]),
        ("/a /b /a `/c` /d /e /f", &["/a", "/b", "/c", "/d", "/e"]),
        ("**/foo and /bar**", &["/foo", "/bar"]),
    ];
    for (reply, expected) in cases {
        assert_eq!(unknown_commands(reply, &catalog, KNOWN), expected, "{reply}");
    }
}

#[test]
fn a_word_that_somebody_said_may_stand_behind_a_command() {
    assert_eq!(unknown_commands("`/status history`", &catalog(), &["Show me its History!"]), Vec::<String>::new());
    assert_eq!(unknown_commands("`/status history`", &catalog(), &["prehistory"]), ["/status history"]);
}
