//! The router's rules, one line per case.

mod fixture;
mod properties;

use serde_json::{Value, json};

use super::{Ignored, Route, UnknownKind, classify};
use crate::inbound::{Addressed, Asked, Author, CommandType, Inbound, Message};
use fixture::{catalog, chosen, interaction, message};

/// A route on one line.
fn shown(route: &Route) -> String {
    let near = |near: &[String]| near.join(", ");
    match route {
        Route::Command(command) => {
            format!("command {} {}", command.path, Value::Object(command.arguments.clone()))
        }
        Route::UnknownCommand(unknown) => match &unknown.kind {
            UnknownKind::Command => format!("unknown {} near [{}]", unknown.received, near(&unknown.near)),
            UnknownKind::Subcommand => format!("no subcommand {} of [{}]", unknown.received, near(&unknown.near)),
            UnknownKind::ContextMenuCommand => format!("no entry {}", unknown.received),
            UnknownKind::Stale { problem } => format!("stale {}: {problem}", unknown.received),
        },
        Route::Malformed(malformed) => format!("malformed {}: {}", malformed.path, malformed.problem),
        Route::Modal(form) => format!("form {} for {}", form.path, form.missing.join(", ")),
        Route::Unavailable(unavailable) => format!("unavailable {} of {}", unavailable.shown(), unavailable.module),
        Route::Chat(words) => format!("chat {}", words.as_str()),
        Route::Ignore(ignored) => format!("ignore {ignored:?}"),
    }
}

fn typed(text: &str) -> Route {
    classify(&Inbound::Message(message(text)), &catalog(false))
}

#[test]
fn a_message_that_reads_as_a_slash_is_a_command_or_refused() {
    let cases = [
        ("/status", "command /status {}"),
        ("/status cpu", r#"command /status {"metric":"cpu"}"#),
        ("/status metric: cpu", r#"command /status {"metric":"cpu"}"#),
        ("/status\ncpu", r#"command /status {"metric":"cpu"}"#),
        ("/tasks add buy milk", r#"command /tasks add {"title":"buy milk"}"#),
        ("/tasks\u{a0}done  3", r#"command /tasks done {"task":3}"#),
        ("/measure unit: bits exact: yes share: 0.5", r#"command /measure {"unit":"bits","exact":true,"share":0.5}"#),
        ("/größe", "command /größe {}"),
        ("/gro\u{308}ße", "command /größe {}"),
        ("/sta\u{200b}tus", "command /status {}"),
        ("/tasks li\u{200b}st", "command /tasks list {}"),
        ("   \u{200b}／status", "command /status {}"),
        ("\u{338}status", "command /status {}"),
        ("<@42> /status", "command /status {}"),
        ("<@43> <@&7> /status", "command /status {}"),
        ("<@!42> /status", "command /status {}"),
        ("`/status`", "command /status {}"),
        ("```\n/status\n```", "command /status {}"),
        ("> what is it?\n/status", "command /status {}"),
        ("> /status", "command /status {}"),
        ("</tasks list:5>", "command /tasks list {}"),
        // The access check decides who may use it: the command exists.
        ("/restart", "command /restart {}"),
        ("/staus", "unknown /staus near [/status]"),
        ("/statusx", "unknown /statusx near [/status]"),
        ("/status@candor", "unknown /status@candor near [/status]"),
        ("/Status", "unknown /Status near [/status]"),
        ("/ＳＴＡＴＵＳ", "unknown /ＳＴＡＴＵＳ near [/status]"),
        ("//status", "unknown //status near [/status]"),
        ("/ x", "unknown / x near []"),
        ("/", "unknown / near []"),
        ("/\u{200b}", "unknown /\u{200b} near []"),
        ("/home/x is full", "unknown /home/x near []"),
        ("<@!42> /x", "unknown /x near []"),
        ("/restar", "unknown /restar near []"),
        ("/tasks history", "no subcommand /tasks history of [/tasks add, /tasks list, /tasks done]"),
        ("/secrets steal", "no subcommand /secrets steal of []"),
        ("/tasks", "malformed /tasks: it needs a subcommand"),
        ("/tasks add", "malformed /tasks add: it needs `title`"),
        ("/tasks done milk", "malformed /tasks done: `task` must be a whole number"),
        ("/tasks list all", "malformed /tasks list: it takes nothing, so `all` cannot stand behind it"),
        ("/help me", "malformed /help: it takes nothing, so `me` cannot stand behind it"),
        ("/measure unit: bits unit: bits", "malformed /measure: `unit` is given twice"),
        ("/weather", "unavailable /weather of clouds"),
        ("/weather tomorrow", "unavailable /weather of clouds"),
        ("/club list", "command /club list {}"),
        (
            "/club member add <@5>",
            r#"malformed /club member add: `<＠5>` stands before the name of any option; it takes `person`, `fee`"#,
        ),
        ("/club member add person: <@!5>", r#"command /club member add {"person":{"id":"5"}}"#),
        ("/club member add person: <@5> fee: half", r#"command /club member add {"person":{"id":"5"},"fee":5}"#),
        ("/club member add person: <@5> fee: 10", r#"command /club member add {"person":{"id":"5"},"fee":10}"#),
        ("/club member add person: <@5> fee: 7", "malformed /club member add: `fee` must be one of `5`, `10`"),
        ("/club member add person: Ada", "malformed /club member add: `person` must be a user"),
        ("/club member drop <@&9>", r#"command /club member drop {"whom":{"type":"role","id":"9"}}"#),
        ("/club member drop <@9>", r#"command /club member drop {"whom":{"type":"user","id":"9"}}"#),
        ("/club mem\u{200b}ber\n drop  <@9>", r#"command /club member drop {"whom":{"type":"user","id":"9"}}"#),
        (
            "/club member badge me.png",
            "malformed /club member badge: `picture` cannot be typed: choose the command in the picker to attach a file",
        ),
        ("/club", "malformed /club: it needs a subcommand"),
        ("/club member", "malformed /club member: it needs a subcommand"),
        ("/club add", "no subcommand /club add of [/club list, /club member]"),
        (
            "/club member ban",
            "no subcommand /club member ban of [/club member add, /club member drop, /club member badge]",
        ),
        // A context-menu command is no slash command.
        ("/Report", "unknown /Report near []"),
        ("/Cloud", "unknown /Cloud near []"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&typed(text)), expected, "{text:?}");
    }
}

#[test]
fn any_other_message_to_the_bot_is_chat() {
    let cases = [
        ("what's our status?", "chat what's our status?"),
        ("status", "chat status"),
        ("look in /home/x", "chat look in /home/x"),
        ("run `/status` please", "chat run `/status` please"),
        ("1/2 of it", "chat 1/2 of it"),
        ("<@42> hello", "chat hello"),
        ("> /status\nwhat is that?", "chat > /status\nwhat is that?"),
        ("<@43> what of /status?", "chat <@43> what of /status?"),
        ("<@42>", "ignore Empty"),
        ("\u{200b}", "ignore Empty"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&typed(text)), expected, "{text:?}");
    }
}

#[test]
fn a_message_that_is_not_a_persons_word_to_the_bot_is_ignored() {
    let cases = [
        (Author::Bot, Addressed::Mention, Ignored::FromBot),
        (Author::Itself, Addressed::ChatChannel, Ignored::FromBot),
        (Author::Webhook, Addressed::Mention, Ignored::FromWebhook),
        (Author::Person, Addressed::No, Ignored::NotAddressed),
    ];
    for (author, addressed, expected) in cases {
        for text in ["/status", "hello"] {
            let inbound = Inbound::Message(Message { author, addressed, ..message(text) });
            assert_eq!(classify(&inbound, &catalog(true)), Route::Ignore(expected), "{author:?} {text}");
        }
    }
    for addressed in [Addressed::Mention, Addressed::Direct, Addressed::Reply, Addressed::ChatChannel] {
        let inbound = Inbound::Message(Message { addressed, ..message("/status") });
        assert_eq!(shown(&classify(&inbound, &catalog(false))), "command /status {}", "{addressed:?}");
    }
}

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
fn an_entry_of_a_menu_is_a_command_or_refused() {
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

#[test]
fn a_command_without_its_subcommand_says_what_there_is() {
    let usage = |text: &str| match typed(text) {
        Route::Malformed(malformed) => malformed.usage,
        other => panic!("{other:?}"),
    };
    assert_eq!(usage("/club"), ["/club list", "/club member add|drop|badge"]);
    assert_eq!(
        usage("/club member"),
        [
            "/club member add person: <user> [fee: 5|10]",
            "/club member drop whom: <user or role>",
            "/club member badge picture: <file>",
        ]
    );
}

#[test]
fn near_names_are_those_the_caller_may_use() {
    let near = |text: &str, operator| shown(&classify(&Inbound::Message(message(text)), &catalog(operator)));
    assert_eq!(near("/restar", true), "unknown /restar near [/restart]");
    assert_eq!(near("/restar", false), "unknown /restar near []");
    assert_eq!(near("/secrets x", true), "no subcommand /secrets x of [/secrets show, /secrets turn]");
    assert_eq!(near("/secrets x", false), "no subcommand /secrets x of []");
}

#[test]
fn an_unknown_command_knows_how_it_was_asked_for() {
    let asked = |route: Route| match route {
        Route::UnknownCommand(unknown) => Some(unknown.asked),
        _ => None,
    };
    assert_eq!(asked(typed("/x")), Some(Asked::Typed));
    assert_eq!(asked(typed("/tasks x")), Some(Asked::Typed));
    assert_eq!(asked(classify(&interaction(&["x"], Default::default()), &catalog(false))), Some(Asked::Picked));
    assert_eq!(asked(classify(&interaction(&["tasks"], Default::default()), &catalog(false))), Some(Asked::Picked));
}

#[test]
fn the_callers_catalog_is_made_only_where_a_name_is_unknown_and_then_once() {
    use std::cell::Cell;

    use crate::registry::{LazyNames, Names as _};

    let all = catalog(false);
    let registry = all.registry();
    let cases = [
        ("/status", 0),
        ("/tasks add title: milk", 0),
        ("hello", 0),
        ("", 0),
        ("/club", 1),
        ("/staus", 1),
        ("/tasks nothing", 1),
    ];
    for (text, expected) in cases {
        let n_made = Cell::new(0);
        let names = LazyNames::new(registry, || {
            n_made.set(n_made.get() + 1);
            all.clone()
        });
        assert_eq!(classify(&Inbound::Message(message(text)), &names), typed(text));
        assert_eq!(n_made.get(), expected, "{text}");
    }
}
