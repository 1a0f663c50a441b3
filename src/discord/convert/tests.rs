//! Interactions as Discord sends them, converted.

use serde_json::{Value, json};

use super::{interaction, message};
use crate::payload::{self, Read, read_interaction};
use candor_core::inbound::{
    AuthorKind, CommandType, Inbound, Interaction, Member, Message, Permissions, RoleId, UserId,
};
use candor_core::language::Language;

fn user(id: &str, name: &str) -> Value {
    json!({ "id": id, "username": name, "discriminator": "0", "global_name": null, "avatar": null, "bot": false })
}

fn member(roles: &[&str], nick: Option<&str>) -> Value {
    json!({
        "roles": roles, "nick": nick, "joined_at": "2024-01-01T00:00:00+00:00", "deaf": false, "mute": false, "flags": 0,
        "permissions": "8192",
    })
}

fn of(data: Value) -> Interaction {
    let mut calling = member(&["71", "72"], None);
    calling["user"] = user("5", "alice");
    let event = json!({
        "id": "1100000000000000100", "application_id": "1", "type": 2, "data": data, "guild_id": "2", "channel_id": "3",
        "member": calling, "token": "t", "version": 1, "app_permissions": "8", "locale": "en-US", "entitlements": [],
        "attachment_size_limit": 10_485_760, "authorizing_integration_owners": {},
    });
    let text = event.to_string();
    let Some(Read::Command(command)) = read_interaction(&text) else { panic!("no command: {text}") };
    interaction(&command, Language::ENGLISH)
}

/// The value of one option of that type.
fn value(kind: u8, given: impl Into<Value>, resolved: Value) -> Value {
    let option = json!({ "name": "x", "type": kind, "value": given.into() });
    of(json!({ "id": "9", "name": "c", "type": 1, "options": [option], "resolved": resolved })).arguments["x"].clone()
}

#[test]
fn an_option_of_every_type_becomes_what_its_handler_takes() {
    let known = json!({
        "users": { "6": user("6", "bob"), "7": user("7", "eve") },
        "members": { "7": member(&[], Some("Evie")) },
        "roles": { "8": {
            "id": "8", "name": "crew", "color": 0, "colors": { "primary_color": 0 }, "hoist": false, "managed": false,
            "mentionable": true, "permissions": "0", "position": 1, "flags": 0,
        } },
        "channels": { "3": { "id": "3", "name": "general", "type": 0, "permissions": "0" } },
        "attachments": { "4": {
            "id": "4", "filename": "a.png", "size": 70, "url": "https://cdn.discordapp.com/a.png",
            "proxy_url": "https://media.discordapp.net/a.png", "content_type": "image/png",
        } },
    });
    let bob = json!({ "type": "user", "id": "6", "name": "bob", "bot": false });
    let cases = [
        (3, json!("text"), json!("text")),
        (4, json!(-5), json!(-5)),
        (5, json!(true), json!(true)),
        (10, json!(0.5), json!(0.5)),
        (6, json!("6"), bob),
        (6, json!("7"), json!({ "type": "user", "id": "7", "name": "Evie", "bot": false })),
        (7, json!("3"), json!({ "type": "channel", "id": "3", "name": "general", "kind": 0 })),
        (8, json!("8"), json!({ "type": "role", "id": "8", "name": "crew" })),
        (9, json!("6"), json!({ "type": "user", "id": "6", "name": "bob", "bot": false })),
        (9, json!("8"), json!({ "type": "role", "id": "8", "name": "crew" })),
        (
            11,
            json!("4"),
            json!({
                "type": "attachment", "id": "4", "filename": "a.png", "size": 70, "content_type": "image/png",
                "url": "https://cdn.discordapp.com/a.png",
            }),
        ),
    ];
    for (kind, given, expected) in cases {
        assert_eq!(value(kind, given, known.clone()), expected, "type {kind}");
    }
    // Without resolved data.
    for (kind, word) in [(6, "user"), (7, "channel"), (8, "role")] {
        assert_eq!(value(kind, "6", json!({})), json!({ "type": word, "id": "6" }), "type {kind}");
    }
    for kind in [9, 11] {
        assert_eq!(value(kind, "6", json!({})), Value::Null, "type {kind}");
    }
    assert_eq!(value(99, "6", known), Value::Null, "a type that does not exist yet");
}

#[test]
fn a_path_has_every_name_below_the_command() {
    let inner = json!([{ "name": "x", "type": 4, "value": 1 }]);
    let sub = json!({ "name": "s", "type": 1, "options": inner });
    let cases = [
        (inner, vec!["c"]),
        (json!([sub.clone()]), vec!["c", "s"]),
        (json!([{ "name": "g", "type": 2, "options": [sub] }]), vec!["c", "g", "s"]),
    ];
    for (options, path) in cases {
        let seen = of(json!({ "id": "9", "name": "c", "type": 1, "options": options }));
        assert_eq!((seen.path, seen.command_type), (path.into_iter().map(str::to_owned).collect(), CommandType::Slash));
        assert_eq!(Value::Object(seen.arguments), json!({ "x": 1 }));
    }
}

#[test]
fn a_menu_says_what_it_was_chosen_on() {
    let written = json!({
        "id": "77", "channel_id": "3", "author": user("6", "bob"), "content": "hello", "timestamp": "2026-01-01T00:00:00Z",
        "edited_timestamp": null, "tts": false, "mention_everyone": false, "mentions": [], "mention_roles": [],
        "attachments": [], "embeds": [], "pinned": false, "type": 0,
    });
    let data = |kind: u8, target: &str, resolved: Value| {
        of(json!({ "id": "9", "name": "Show ids", "type": kind, "target_id": target, "resolved": resolved }))
    };
    let users = json!({ "users": { "6": user("6", "bob") } });
    let bob = json!({ "type": "user", "id": "6", "name": "bob", "bot": false });
    let author = json!({ "id": "6", "name": "bob", "bot": false });
    let cases = [
        (data(2, "6", users), CommandType::UserMenu, Some(bob)),
        (data(2, "6", json!({})), CommandType::UserMenu, Some(json!({ "type": "user", "id": "6" }))),
        (
            data(3, "77", json!({ "messages": { "77": written } })),
            CommandType::MessageMenu,
            Some(json!({ "type": "message", "id": "77", "channel": "3", "author": author, "content": "hello" })),
        ),
        (data(3, "77", json!({})), CommandType::MessageMenu, None),
    ];
    for (seen, command_type, target) in cases {
        assert_eq!((seen.command_type, seen.target, seen.path), (command_type, target, vec!["Show ids".to_owned()]));
        assert!(seen.arguments.is_empty());
    }
}

/// A message of a person in a guild.
fn written() -> Value {
    json!({
        "id": "77", "channel_id": "3", "guild_id": "2", "author": user("6", "bob"), "content": "hello",
        "timestamp": "2026-01-01T00:00:00Z", "edited_timestamp": null, "tts": false, "mention_everyone": false,
        "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": false, "type": 0,
    })
}

fn read(written: &Value) -> Message {
    let text = written.to_string();
    let event = payload::Message::read(&text).unwrap();
    let Inbound::Message(message) = message(&event, UserId(1), &[], Language::ENGLISH) else { panic!("not a message") };
    message
}

#[test]
fn m4_only_what_a_person_wrote_is_a_persons_words() {
    // See Discord's documentation of message types: 18 and 21 hold the name of a thread.
    for kind in 0..=60 {
        let expected = if [0, 19].contains(&kind) { AuthorKind::Person } else { AuthorKind::Notice };
        let mut written = written();
        written["type"] = json!(kind);
        assert_eq!(read(&written).author, expected, "type {kind}");
    }
}

#[test]
fn a_member_is_known_by_roles_and_in_interactions_by_permissions() {
    let roles = vec![RoleId(71), RoleId(72)];
    let called = of(json!({ "id": "9", "name": "c", "type": 1 })).caller;
    assert_eq!(called.member, Some(Member { roles: roles.clone(), permissions: Some(Permissions(8_192)) }));

    let mut written = written();
    let seen = |written: &Value| read(written).caller.member;
    assert_eq!(seen(&written), None);
    written["member"] = member(&["71", "72"], None);
    written["member"]["permissions"] = Value::Null;
    assert_eq!(seen(&written), Some(Member { roles, permissions: None }));
}

#[test]
fn held_13_an_option_given_twice_is_refused() {
    let once = |value: i64| json!({ "name": "x", "type": 4, "value": value });
    let asked = of(json!({ "id": "9", "name": "c", "type": 1, "options": [once(1), once(2)] }));
    // Null fits no option: the router refuses it.
    assert_eq!(asked.arguments["x"], Value::Null);
}
