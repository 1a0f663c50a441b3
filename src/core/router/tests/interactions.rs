//! Interactions: slash commands and context-menu commands.

use serde_json::{Value, json};

use super::fixture::{catalog, chosen, interaction, shown};
use crate::inbound::CommandType;
use crate::language::{Language, say};
use crate::router::classify;

const EN: Language = Language::ENGLISH;

#[test]
fn an_interaction_is_a_command_or_refused() {
    let cases: [(&[&str], Value, &str); 16] = [
        (&["status"], json!({}), "command /status {}"),
        (&["status"], json!({"metric": "cpu"}), r#"command /status {"metric":"cpu"}"#),
        (&["tasks", "done"], json!({"task": 3}), r#"command /tasks done {"task":3}"#),
        (&["restart"], json!({}), "command /restart {}"),
        (&["staus"], json!({}), "unknown /staus near [/status]"),
        (&["/status"], json!({}), "unknown //status near [/status]"),
        (&[], json!({}), "unknown / near []"),
        (&["search"], json!({"words": "x"}), "for chat alone /search"),
        (&["weather"], json!({}), "unavailable /weather of clouds"),
        (&["tasks", "import"], json!({}), "unavailable /tasks import of fixture"),
        (&["club", "list"], json!({}), "command /club list {}"),
        (
            &["club", "member", "add"],
            json!({"person": {"id": "5", "name": "Ada"}}),
            r#"command /club member add {"person":{"id":"5","name":"Ada"}}"#,
        ),
        (&["club", "guest", "add"], json!({}), "no subcommand /club guest add of [/club list, /club member]"),
        (
            &["club", "member", "ban"],
            json!({}),
            "no subcommand /club member ban of [/club member add, /club member drop, /club member badge]",
        ),
        (&["tasks", "x"], json!({}), "no subcommand /tasks x of [/tasks add, /tasks list, /tasks done]"),
        (&["tasks", "list", "x"], json!({}), "no subcommand /tasks list x of [/tasks add, /tasks list, /tasks done]"),
    ];
    for (path, arguments, expected) in cases {
        assert_eq!(picked(path, arguments), expected, "{path:?}");
    }
}

#[test]
fn an_interaction_that_the_command_does_not_take_is_stale() {
    let cases: [(&[&str], Value, String); 8] = [
        (&["club", "member", "add"], json!({"person": "5"}), format!("`person` {}", say!(EN, "misfit-user"))),
        (
            &["club", "member", "add"],
            json!({"person": {"id": "5"}, "fee": 7}),
            format!("`fee` {}", say!(EN, "misfit-choice", known = "`5`, `10`")),
        ),
        (&["club", "member"], json!({}), say!(EN, "argument-subcommand")),
        (&["tasks"], json!({}), say!(EN, "argument-subcommand")),
        (&["status", "history"], json!({}), say!(EN, "argument-no-subcommands")),
        (&["status"], json!({"`@all": "x"}), say!(EN, "argument-not-taken", typed = "＠all")),
        (&["tasks", "add"], json!({}), say!(EN, "argument-missing", option = "title")),
        (&["tasks", "done"], json!({"task": "3"}), format!("`task` {}", say!(EN, "misfit-integer"))),
    ];
    for (path, arguments, problem) in cases {
        assert_eq!(picked(path, arguments), format!("stale /{}: {problem}", path.join(" ")));
    }
}

/// The route of a slash command with these arguments, an object.
fn picked(path: &[&str], arguments: Value) -> String {
    let Value::Object(arguments) = arguments else { unreachable!("every case has an object") };
    shown(&classify(&interaction(path, arguments), &catalog(false)))
}

#[test]
fn a_context_menu_command_is_a_command_or_refused() {
    let ada = json!({"id": "5"});
    let words = json!({"id": "6", "channel": "7", "author": {"id": "5"}, "content": "hello"});
    let no_message = format!("stale Report: `message` {}", say!(EN, "misfit-message"));
    let nothing = format!("stale Report: {}", say!(EN, "argument-missing", option = "message"));
    let cases = [
        (CommandType::UserMenu, "Show profile", Some(&ada), r#"command Show profile {"person":{"id":"5"}}"#),
        (
            CommandType::MessageMenu,
            "Report",
            Some(&words),
            r#"command Report {"message":{"id":"6","channel":"7","author":{"id":"5"},"content":"hello"}}"#,
        ),
        (CommandType::MessageMenu, "Report", Some(&ada), no_message.as_str()),
        (CommandType::MessageMenu, "Report", None, nothing.as_str()),
        // The other menu has no such command, and a slash command is none.
        (CommandType::MessageMenu, "Show profile", Some(&words), "no context-menu command Show profile"),
        (CommandType::UserMenu, "status", Some(&ada), "no context-menu command status"),
        (CommandType::UserMenu, "", Some(&ada), "no context-menu command "),
        (CommandType::UserMenu, "Cloud", Some(&ada), "unavailable Cloud of clouds"),
        (CommandType::MessageMenu, "Cloud", Some(&words), "no context-menu command Cloud"),
    ];
    for (menu, name, target, expected) in cases {
        let route = classify(&chosen(menu, name, target.cloned()), &catalog(false));
        assert_eq!(shown(&route), expected, "{menu:?} {name}");
    }
}
