//! Interactions: slash commands and context-menu commands.

use serde_json::{Value, json};

use super::fixture::{catalog, chosen, interaction, shown};
use crate::inbound::CommandType;
use crate::router::classify;

#[test]
fn an_interaction_is_a_command_or_refused() {
    let cases: [(&[&str], Value, &str); 22] = [
        (&["status"], json!({}), "command /status {}"),
        (&["status"], json!({"metric": "cpu"}), r#"command /status {"metric":"cpu"}"#),
        (&["tasks", "done"], json!({"task": 3}), r#"command /tasks done {"task":3}"#),
        (&["restart"], json!({}), "command /restart {}"),
        (&["staus"], json!({}), "unknown /staus near [/status]"),
        (&["/status"], json!({}), "unknown //status near [/status]"),
        (&[], json!({}), "unknown / near []"),
        (&["weather"], json!({}), "unavailable /weather of clouds"),
        (&["club", "list"], json!({}), "command /club list {}"),
        (
            &["club", "member", "add"],
            json!({"person": {"id": "5", "name": "Ada"}}),
            r#"command /club member add {"person":{"id":"5","name":"Ada"}}"#,
        ),
        (&["club", "member", "add"], json!({"person": "5"}), "stale /club member add: `person` must be a user"),
        (
            &["club", "member", "add"],
            json!({"person": {"id": "5"}, "fee": 7}),
            "stale /club member add: `fee` must be one of `5`, `10`",
        ),
        (&["club", "member"], json!({}), "stale /club member: it needs a subcommand"),
        (&["club", "guest", "add"], json!({}), "no subcommand /club guest add of [/club list, /club member]"),
        (
            &["club", "member", "ban"],
            json!({}),
            "no subcommand /club member ban of [/club member add, /club member drop, /club member badge]",
        ),
        (&["tasks", "x"], json!({}), "no subcommand /tasks x of [/tasks add, /tasks list, /tasks done]"),
        (&["tasks", "list", "x"], json!({}), "no subcommand /tasks list x of [/tasks add, /tasks list, /tasks done]"),
        (&["tasks"], json!({}), "stale /tasks: it needs a subcommand"),
        (&["status", "history"], json!({}), "stale /status history: it has no subcommands"),
        (&["status"], json!({"`@all": "x"}), "stale /status: it takes no `＠all`"),
        (&["tasks", "add"], json!({}), "stale /tasks add: it needs `title`"),
        (&["tasks", "done"], json!({"task": "3"}), "stale /tasks done: `task` must be a whole number"),
    ];
    for (path, arguments, expected) in cases {
        let Value::Object(arguments) = arguments else { unreachable!("every case has an object") };
        assert_eq!(shown(&classify(&interaction(path, arguments), &catalog(false))), expected, "{path:?}");
    }
}

#[test]
fn a_context_menu_command_is_a_command_or_refused() {
    let ada = json!({"id": "5"});
    let words = json!({"id": "6", "channel": "7", "author": {"id": "5"}, "content": "hello"});
    let cases = [
        (CommandType::UserMenu, "Show profile", Some(&ada), r#"command Show profile {"person":{"id":"5"}}"#),
        (
            CommandType::MessageMenu,
            "Report",
            Some(&words),
            r#"command Report {"message":{"id":"6","channel":"7","author":{"id":"5"},"content":"hello"}}"#,
        ),
        (CommandType::MessageMenu, "Report", Some(&ada), "stale Report: `message` must be a message"),
        (CommandType::MessageMenu, "Report", None, "stale Report: it needs `message`"),
        // The other menu has no such command, and a slash command is none.
        (CommandType::MessageMenu, "Show profile", Some(&words), "no entry Show profile"),
        (CommandType::UserMenu, "status", Some(&ada), "no entry status"),
        (CommandType::UserMenu, "", Some(&ada), "no entry "),
        (CommandType::UserMenu, "Cloud", Some(&ada), "unavailable Cloud of clouds"),
        (CommandType::MessageMenu, "Cloud", Some(&words), "no entry Cloud"),
    ];
    for (menu, name, target, expected) in cases {
        let route = classify(&chosen(menu, name, target.cloned()), &catalog(false));
        assert_eq!(shown(&route), expected, "{menu:?} {name}");
    }
}
