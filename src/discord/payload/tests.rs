//! Whatever Discord adds to an object, or leaves out of it, changes no answer.

use serde_json::{Value, json};

use super::*;
use crate::convert;
use crate::payload::message::low_bits;
use candor_core::inbound::{ChannelId, UserId};
use candor_core::language::Language;

fn person(id: &str) -> Value {
    json!({ "id": id, "username": "alice", "discriminator": "0", "global_name": "Alice", "avatar": null })
}

fn slash() -> Value {
    json!({
        "id": "1100000000000000100", "application_id": "1", "type": 2, "guild_id": "2", "channel_id": "3",
        "token": "t", "version": 1, "locale": "de", "guild_locale": "en-US", "entitlements": [],
        "attachment_size_limit": 10_485_760, "authorizing_integration_owners": { "0": "2" }, "context": 0,
        "member": {
            "user": person("5"), "roles": ["71"], "nick": null, "permissions": "8192", "flags": 0, "deaf": false,
            "mute": false, "joined_at": "2024-01-01T00:00:00+00:00",
        },
        "data": {
            "id": "9", "name": "c", "type": 1,
            "options": [{ "name": "who", "type": 6, "value": "6" }, { "name": "n", "type": 4, "value": 3 }],
            "resolved": {
                "users": { "6": person("6") },
                "members": { "6": { "roles": [], "nick": "Bobby", "permissions": "0", "flags": 0,
                    "joined_at": "2024-01-01T00:00:00+00:00" } },
            },
        },
    })
}

fn said() -> Value {
    json!({
        "id": "1100000000000000100", "channel_id": "3", "guild_id": "2", "author": person("5"), "content": "hello",
        "timestamp": "2024-01-01T00:00:00+00:00", "edited_timestamp": null, "tts": false, "mention_everyone": false,
        "mentions": [person("1")], "mention_roles": [], "attachments": [], "embeds": [], "pinned": false, "type": 19,
        "member": { "roles": ["71"], "flags": 0, "joined_at": "2024-01-01T00:00:00+00:00" },
        "referenced_message": {
            "id": "1100000000000000099", "channel_id": "3", "author": person("1"), "content": "yes?",
            "timestamp": "2024-01-01T00:00:00+00:00", "edited_timestamp": null, "tts": false,
            "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [],
            "pinned": false, "type": 0,
        },
    })
}

/// What a command becomes.
fn command(event: &Value) -> String {
    let text = event.to_string();
    let Some(Read::Command(command)) = read_interaction(&text) else { panic!("unreadable: {event}") };
    format!("{:?}", convert::interaction(&command, Language::ENGLISH))
}

/// What may be set (`Some`) or left out (`None`) of a user, a member, a message, and an event.
fn strange(object: &str) -> Vec<(&'static str, Option<Value>)> {
    let decoration = json!({ "asset": format!("v2_a_{}", "0".repeat(32)), "sku_id": "1" });
    let wide = json!(1_u64 << 40);
    let user = || {
        vec![
            ("avatar", Some(json!("x".repeat(60)))),
            ("avatar_decoration_data", Some(decoration.clone())),
            ("banner", Some(json!("a_"))),
            ("collectibles", Some(json!({ "nameplate": 7 }))),
            ("primary_guild", Some(json!({ "badge": "x".repeat(60) }))),
            ("public_flags", Some(wide.clone())),
            ("flags", Some(wide.clone())),
            ("premium_type", Some(json!(4_000))),
            ("discriminator", Some(json!("99999"))),
            ("discriminator", None),
            ("locale", Some(json!(7))),
        ]
    };
    let member = || {
        vec![
            ("avatar_decoration_data", Some(decoration.clone())),
            ("flags", Some(wide.clone())),
            ("flags", None),
            ("deaf", None),
            ("joined_at", Some(json!("yesterday"))),
            ("joined_at", None),
            ("premium_since", Some(json!(12))),
            ("communication_disabled_until", Some(json!(false))),
            ("banner", Some(json!(["x"]))),
        ]
    };
    match object {
        "user" => user(),
        "member" => member(),
        "message" => vec![
            ("flags", Some(json!(u64::MAX))),
            ("timestamp", Some(json!("now"))),
            ("timestamp", None),
            ("embeds", Some(json!([{ "color": "red" }]))),
            ("embeds", None),
            ("components", Some(json!([{ "type": 99 }]))),
            ("sticker_items", Some(json!([{}]))),
            ("interaction_metadata", Some(json!({ "user": { "id": "5", "avatar": "x".repeat(60) } }))),
            ("pinned", None),
            ("nonce", Some(json!({}))),
            ("mention_roles", Some(json!("none"))),
        ],
        "role" => vec![
            ("color", Some(json!("red"))),
            ("color", None),
            ("colors", Some(json!({ "primary_color": "red" }))),
            ("flags", Some(wide.clone())),
            ("icon", Some(json!("x".repeat(60)))),
            ("permissions", Some(json!("1".repeat(40)))),
            ("permissions", None),
            ("position", Some(json!(-5))),
            ("tags", Some(json!({ "bot_id": 7 }))),
            ("unicode_emoji", Some(json!(7))),
        ],
        "channel" => vec![
            ("flags", Some(wide.clone())),
            ("permissions", Some(json!("1".repeat(40)))),
            ("permissions", None),
            ("parent_id", Some(json!("none"))),
            ("thread_metadata", Some(json!({ "archived": "no" }))),
            ("position", Some(json!("first"))),
            ("nsfw", Some(json!(1))),
        ],
        "attachment" => vec![
            ("proxy_url", None),
            ("width", Some(json!(-1))),
            ("height", Some(json!("tall"))),
            ("duration_secs", Some(json!("long"))),
            ("waveform", Some(json!(7))),
            ("flags", Some(wide.clone())),
            ("ephemeral", Some(json!("yes"))),
            ("description", Some(json!(7))),
        ],
        _ => vec![
            ("guild_locale", Some(json!(7))),
            ("version", None),
            ("version", Some(json!(4_000))),
            ("entitlements", None),
            ("entitlements", Some(json!([{ "type": "x" }]))),
            ("attachment_size_limit", None),
            ("attachment_size_limit", Some(json!(u64::MAX))),
            ("context", Some(json!("server"))),
            ("app_permissions", Some(json!("1".repeat(40)))),
            ("channel", Some(json!({ "id": "3", "type": "text" }))),
            ("authorizing_integration_owners", Some(json!({ "0": "2", "7": "x" }))),
            ("message", Some(json!({}))),
        ],
    }
}

fn set(event: &mut Value, at: &str, key: &str, value: Option<Value>) {
    let object = event.pointer_mut(at).and_then(Value::as_object_mut).unwrap();
    match value {
        Some(value) => drop(object.insert(key.to_owned(), value)),
        None => drop(object.remove(key)),
    }
}

#[test]
fn held_01_what_discord_adds_to_an_interaction_or_leaves_out_changes_no_answer() {
    let expected = command(&slash());
    let objects = [
        ("event", ""),
        ("user", "/member/user"),
        ("member", "/member"),
        ("user", "/data/resolved/users/6"),
        ("member", "/data/resolved/members/6"),
    ];
    for (object, at) in objects {
        for (key, value) in strange(object) {
            let mut event = slash();
            set(&mut event, at, key, value);
            assert_eq!(command(&event), expected, "{at}/{key}: {event}");
        }
    }
    let mut event = slash();
    set(&mut event, "/data", "type", None);
    set(&mut event, "/member", "permissions", Some(json!("18446744073709559808")));
    set(&mut event, "/data", "guild_id", Some(json!("none")));
    event["data"]["options"].as_array_mut().unwrap().push(json!({ "name": "new", "type": 42, "value": {} }));
    assert_eq!(command(&event), expected);
}

/// What a command is given: something of each kind.
fn given() -> Value {
    let mut event = slash();
    event["data"]["options"] = json!([
        { "name": "role", "type": 8, "value": "71" }, { "name": "channel", "type": 7, "value": "3" },
        { "name": "file", "type": 11, "value": "8" }, { "name": "either", "type": 9, "value": "6" },
    ]);
    event["data"]["resolved"]["roles"] = json!({ "71": { "id": "71", "name": "Moderators", "color": 0,
        "colors": { "primary_color": 0 }, "hoist": false, "managed": false, "mentionable": true, "permissions": "0",
        "position": 1, "flags": 0 } });
    event["data"]["resolved"]["channels"] =
        json!({ "3": { "id": "3", "name": "general", "type": 0, "permissions": "0", "flags": 0 } });
    event["data"]["resolved"]["attachments"] = json!({ "8": { "id": "8", "filename": "notes.txt", "size": 5,
        "url": "https://cdn.discordapp.com/x", "proxy_url": "https://media.discordapp.net/x",
        "content_type": "text/plain" } });
    event
}

#[test]
fn held_01_what_discord_adds_to_what_a_command_is_given_changes_no_answer() {
    let mut used_on_message = slash();
    used_on_message["data"] = json!({ "id": "9", "name": "Report", "type": 3, "target_id": said()["id"],
        "resolved": { "messages": { "1100000000000000100": said() } } });
    let cases = [
        (given(), "role", "/data/resolved/roles/71"),
        (given(), "channel", "/data/resolved/channels/3"),
        (given(), "attachment", "/data/resolved/attachments/8"),
        (given(), "user", "/data/resolved/users/6"),
        (used_on_message.clone(), "message", "/data/resolved/messages/1100000000000000100"),
        (used_on_message, "user", "/data/resolved/messages/1100000000000000100/author"),
    ];
    for (whole, object, at) in cases {
        let expected = command(&whole);
        for (key, value) in strange(object) {
            let mut event = whole.clone();
            set(&mut event, at, key, value);
            assert_eq!(command(&event), expected, "{at}/{key}: {event}");
        }
    }
}

#[test]
fn held_01_what_discord_adds_to_a_submitted_modal_changes_no_answer() {
    let read = |event: &Value| {
        let text = event.to_string();
        let Some(Read::Modal(modal)) = read_interaction(&text) else { panic!("unreadable: {event}") };
        let fields: Vec<_> = convert::fields(&modal).map(|(id, value)| format!("{id}={value}")).collect();
        (fields, modal.user.id.get(), modal.member.map(|member| (member.roles, member.permissions)))
    };
    let mut whole = slash();
    whole["type"] = json!(5);
    let input = json!({ "type": 4, "custom_id": "a", "value": "of a" });
    whole["data"] = json!({ "custom_id": "x", "components": [{ "type": 1, "components": [input] }] });
    let expected = read(&whole);
    assert_eq!(expected.0, ["a=of a"]);
    for (object, at) in [("event", ""), ("user", "/member/user"), ("member", "/member")] {
        for (key, value) in strange(object) {
            let mut event = whole.clone();
            set(&mut event, at, key, value);
            assert_eq!(read(&event), expected, "{at}/{key}: {event}");
        }
    }
}

#[test]
fn held_01_what_discord_adds_to_a_message_or_leaves_out_changes_no_answer() {
    let read = |event: &Value| {
        let text = event.to_string();
        let message = Message::read(&text).unwrap_or_else(|| panic!("unreadable: {event}"));
        format!("{:?}", convert::message(&message, UserId(1), &[ChannelId(3)], Language::ENGLISH))
    };
    let expected = read(&said());
    let objects = [
        ("message", ""),
        ("user", "/author"),
        ("member", "/member"),
        ("user", "/mentions/0"),
        ("message", "/referenced_message"),
        ("user", "/referenced_message/author"),
    ];
    for (object, at) in objects {
        for (key, value) in strange(object) {
            let mut event = said();
            set(&mut event, at, key, value);
            assert_eq!(read(&event), expected, "{at}/{key}: {event}");
        }
    }
}

#[test]
fn held_01_what_discord_adds_to_the_message_under_a_press_changes_no_answer() {
    let press = |message: Value| {
        let mut press = slash();
        press["type"] = json!(3);
        press["data"] = json!({ "custom_id": "x", "component_type": 2 });
        press["message"] = message;
        let text = press.to_string();
        let Some(Read::Component(press)) = read_interaction(&text) else { panic!("unreadable: {press}") };
        let message = press.data.message;
        (message.id.get(), message.content.into_owned(), message.author.id.get())
    };
    let expected = press(said());
    for (object, at) in [("message", ""), ("user", "/author"), ("user", "/mentions/0")] {
        for (key, value) in strange(object) {
            let mut message = said();
            set(&mut message, at, key, value);
            assert_eq!(press(message), expected, "{at}/{key}");
        }
    }
}

#[test]
fn presses_and_modals_are_read_as_well() {
    let mut press = slash();
    press["type"] = json!(3);
    press["data"] = json!({ "custom_id": "x", "component_type": 3, "values": ["a"], "new": [{}] });
    press["message"] = said();
    let text = press.to_string();
    let Some(Read::Component(press)) = read_interaction(&text) else { panic!("unreadable press") };
    assert_eq!((&*press.data.custom_id, convert::chosen(&press).as_deref()), ("x", Some("a")));
    let picked = |kind: u8, values: Value| {
        let mut press = slash();
        press["type"] = json!(3);
        press["data"] = json!({ "custom_id": "x", "component_type": kind, "values": values, "new": [{}] });
        press["message"] = said();
        let text = press.to_string();
        let Some(Read::Component(press)) = read_interaction(&text) else { panic!("unreadable pick: {press}") };
        convert::chosen(&press).map(|chosen| chosen.into_owned())
    };
    let many: Vec<_> = (1..=200).map(|id| id.to_string()).collect();
    let cases = [
        (8, json!(["20", "30"]), Some("<#20> <#30>".to_owned())),
        (6, json!(["40"]), Some("<@&40>".to_owned())),
        (8, json!([]), None),
        // Of people, and of people or roles: no control of ours lists them.
        (5, json!(["50"]), None),
        (7, json!(["50"]), None),
        (8, json!(many), Some((1..=25).map(|id| format!("<#{id}>")).collect::<Vec<_>>().join(" "))),
    ];
    for (kind, values, expected) in cases {
        assert_eq!(picked(kind, values.clone()), expected, "{kind} {values}");
    }

    let mut modal = slash();
    modal["type"] = json!(5);
    let input = |id: &str| json!({ "type": 4, "custom_id": id, "value": format!("of {id}"), "new": {} });
    let rows = json!([{ "type": 1, "components": [input("a")] }, { "type": 18, "component": input("b") }]);
    modal["data"] = json!({ "custom_id": "x", "components": rows });
    let text = modal.to_string();
    let Some(Read::Modal(modal)) = read_interaction(&text) else { panic!("unreadable modal") };
    assert_eq!(convert::fields(&modal).collect::<Vec<_>>(), [("a", "of a"), ("b", "of b")]);
}

#[test]
fn rights_that_cannot_be_read_grant_nothing() {
    let cases = [("8192", Some(8192)), ("18446744073709551617", Some(1)), ("-1", None), ("", None)];
    for (given, expected) in cases {
        assert_eq!(low_bits(given), expected, "{given}");
    }
}

#[test]
fn a_head_is_read_in_any_order_and_without_its_data_in_the_usual_one() {
    let data = r#"{"content":"}","id":"7"}"#;
    let expected = Some(Head { operation: 0, sequence: 7, kind: Some(Kind::Message), data });
    for frame in [
        format!(r#"{{"t":"MESSAGE_CREATE","s":7,"op":0,"d":{data}}}"#),
        format!(r#"{{"op":0,"s":7,"t":"MESSAGE_CREATE","d":{data}}}"#),
        format!(r#" {{"d":{data}, "new": [], "t":"MESSAGE_CREATE","op":0,"s":7}}"#),
    ] {
        assert_eq!(Head::read(&frame), expected, "{frame}");
    }
    let kind = |frame: &str| Head::read(frame).map(|head| (head.operation, head.kind));
    assert_eq!(kind(r#"{"t":"TYPING_START","s":7,"op":0,"d":{}}"#), Some((0, None)));
    assert_eq!(kind(r#"{"t":null,"s":null,"op":11}"#), Some((11, None)));
    assert_eq!(kind(r#"{"t":null,"s":null,"op":9,"d":true}"#), Some((9, None)));
    for frame in ["", "{", "7", "[]", "{}", r#"{"op":"0"}"#, r#"{"t":"READY","s":7"#] {
        assert_eq!(Head::read(frame), None, "{frame}");
    }
}

/// Whatever stands in READY beside its session, a session begins with it.
#[test]
fn held_01_a_ready_with_what_is_not_known_begins_a_session() {
    let plain = || {
        json!({
            "v": 10, "session_id": "abc", "resume_gateway_url": "wss://gateway.example", "shard": [1, 2],
            "user": { "id": "42", "username": "candor", "discriminator": "0", "avatar": null, "bot": true },
            "guilds": [{ "id": "4", "unavailable": true }], "application": { "id": "42", "flags": 1 },
        })
    };
    let strange = [
        ("/user", json!({ "id": "42", "avatar": "v2_a_0123456789abcdef0123456789abcdef" })),
        ("/user", json!({ "id": "42", "flags": u64::MAX, "public_flags": -1, "locale": {}, "email": 5 })),
        ("/user", json!({ "id": 42, "username": null })),
        ("/user", Value::Null),
        ("/guilds", json!([{ "id": "4" }, { "id": 4 }, { "id": "0" }, { "id": "x" }, 6, null])),
        ("/guilds", json!({})),
        ("/application", Value::Null),
        ("/shard", json!("one")),
        ("/v", json!(11)),
        ("/resume_gateway_url", json!(7)),
    ];
    for (place, value) in strange {
        let mut data = plain();
        *data.pointer_mut(place).unwrap() = value.clone();
        let text = data.to_string();
        let ready = read::<Ready<'_>>(&text).unwrap_or_else(|| panic!("{place} {value}"));
        assert_eq!(
            (&*ready.session_id, ready.user.is_some()),
            ("abc", place != "/user" || !value.is_null()),
            "{value}"
        );
        assert!(ready.guilds.iter().all(|guild| guild.id.get() == 4), "{place} {value}");
    }
    let mut without = plain();
    without["session_id"] = json!(5);
    assert!(read::<Ready<'_>>(&without.to_string()).is_none());
}

#[test]
fn an_object_of_no_use_is_left_out_and_those_around_it_are_read() {
    let text = json!({ "id": "1", "channel_id": "3", "author": person("5"), "content": "hello",
        "mentions": [{ "username": { "deep": [1, { "x": 2 }] }, "id": [] }, person("6"), 7, null, [person("8")]] });
    let text = text.to_string();
    let message = Message::read(&text).unwrap();
    assert_eq!(message.mentions.iter().map(|user| user.id.get()).collect::<Vec<_>>(), [6]);
    assert_eq!(message.content, "hello");
}

#[test]
fn a_person_is_called_by_the_name_that_discord_shows() {
    let cases = [
        (json!({ "id": "7", "username": "ada", "global_name": "Ada", "new": {} }), Some("Ada")),
        (json!({ "id": "7", "username": "ada", "global_name": null }), Some("ada")),
        (json!({ "id": "0", "username": "ada" }), None),
        (json!({ "username": "ada" }), None),
        (json!("7"), None),
    ];
    for (user, expected) in cases {
        let text = user.to_string();
        assert_eq!(read::<User<'_>>(&text).as_ref().map(User::display_name), expected, "{user}");
    }
}

#[test]
fn held_01_what_stands_behind_the_data_of_a_frame_changes_nothing() {
    for behind in ["", r#","new":{}"#, r#","new":1"#] {
        let frame = format!(r#"{{"t":"MESSAGE_DELETE","s":7,"op":0,"d":{{"id":"4"}}{behind}}}"#);
        let head = Head::read(&frame).unwrap();
        assert_eq!(read_event::<Deleted>(&frame, &head).map(|deleted| deleted.ids()), Some(vec![4]), "{frame}");
    }
}
