//! Reduces an event that serenity cannot decode to what the bot reads, in the form that serenity can.
//!
//! serenity's types are strict where Discord is not: a hash that is too long, a flag beyond 32 bits or a missing locale
//! makes the whole event undecodable, for ever, whatever its person does. Here nothing is repaired. The event is built
//! anew from the fields that are needed, so that whatever Discord adds to an object, or leaves out of it, changes no
//! answer. What cannot be read of a person's rights is left out, and so grants none.

use serde_json::{Map, Value, json};
use serenity::model::application::{ActionRow, Interaction};
use serenity::model::channel::Message;

/// What stands for a time that the bot does not read.
const SOME_TIME: &str = "2015-01-01T00:00:00Z";
/// Discord's type of option without a value of its own: a subcommand, and a group of them.
const SUBCOMMANDS: [u64; 2] = [1, 2];
/// Discord's largest type of option: an attachment. serenity cannot read the value of one that it does not know.
const OPTION_TYPE_MAX: u64 = 11;
/// Discord's type of component that a modal's text comes from, and of the row that it stands in.
const TEXT_INPUT: u64 = 4;
const ROW: u64 = 1;
/// How deep subcommands are nested at most: group, subcommand, option.
const OPTIONS_DEEP_MAX: u8 = 3;

/// An interaction from the fields that the bot reads. `None` if id, token, kind, person or data cannot be read.
pub(crate) fn interaction(event: &Value) -> Option<Interaction> {
    let kind = event.get("type")?.as_u64().filter(|kind| (2..=5).contains(kind))?;
    let data = event.get("data")?;
    let in_guild = event.get("member").filter(|member| member.is_object());
    let user = user(event.get("user").or_else(|| in_guild?.get("user"))?)?;
    let mut reduced = json!({
        "id": id(event.get("id"))?,
        "application_id": id(event.get("application_id")).unwrap_or_else(|| json!("1")),
        "type": kind,
        "token": text(event, "token")?,
        "version": 1,
        "channel_id": id(event.get("channel_id")).or_else(|| id(event.pointer("/channel/id")))?,
        "guild_id": id(event.get("guild_id")),
        "locale": text(event, "locale").unwrap_or_default(),
        "guild_locale": text(event, "guild_locale"),
        "entitlements": [],
        "attachment_size_limit": 0,
        "authorizing_integration_owners": owners(event.get("authorizing_integration_owners")),
        "member": in_guild.map(|in_guild| member(in_guild, Some(&user))),
        "data": match kind {
            3 => press(data)?,
            5 => submission(data)?,
            _ => command(data)?,
        },
    });
    reduced["user"] = user;
    if kind == 3 {
        let message = event.get("message").and_then(|message| plain_message(message, 0));
        reduced["message"] = message.unwrap_or_else(|| no_message(&reduced["channel_id"], &reduced["user"]));
    }
    without_nulls(&mut reduced);
    serde_json::from_value(reduced).ok()
}

/// A message from the fields that the bot reads. `None` if id, channel or author cannot be read.
pub(crate) fn message(event: &Value) -> Option<Message> {
    serde_json::from_value(plain_message(event, 1)?).ok()
}

/// `depth` says how many messages that it replies to are read with it.
fn plain_message(message: &Value, depth: u8) -> Option<Value> {
    let replied = message.get("referenced_message").filter(|_| 0 < depth);
    let mut plain = json!({
        "id": id(message.get("id"))?,
        "channel_id": id(message.get("channel_id"))?,
        "guild_id": id(message.get("guild_id")),
        "author": user(message.get("author")?)?,
        "member": message.get("member").filter(|given| given.is_object()).map(|given| member(given, None)),
        "content": text(message, "content").unwrap_or_default(),
        "timestamp": SOME_TIME,
        "tts": false,
        "mention_everyone": false,
        "mentions": items(message, "mentions").filter_map(user).collect::<Vec<_>>(),
        "mention_roles": [],
        "attachments": items(message, "attachments").filter_map(attachment).collect::<Vec<_>>(),
        "embeds": [],
        "pinned": false,
        "flags": message.get("flags").and_then(Value::as_u64),
        "components": rows(message),
        "webhook_id": id(message.get("webhook_id")),
        // A kind that cannot be read is none of those that carry a person's words.
        "type": message.get("type").map_or(0, |kind| kind.as_u64().and_then(|kind| u8::try_from(kind).ok()).unwrap_or(255)),
        "referenced_message": replied.and_then(|message| plain_message(message, depth - 1)),
        "message_reference": message.get("message_reference").and_then(reference),
    });
    without_nulls(&mut plain);
    Some(plain)
}

/// Which message one replies to.
fn reference(given: &Value) -> Option<Value> {
    Some(json!({
        "type": given.get("type").and_then(Value::as_u64).filter(|kind| *kind <= 1).unwrap_or(0),
        "message_id": id(given.get("message_id"))?, "channel_id": id(given.get("channel_id"))?,
    }))
}

/// The rows of components that can be read whole: a press reads the label of its button.
fn rows(message: &Value) -> Vec<&Value> {
    items(message, "components").filter(|&row| serde_json::from_value::<ActionRow>(row.clone()).is_ok()).collect()
}

/// Stands for the message of a component if that cannot be read: only its channel is ever looked at.
fn no_message(channel: &Value, author: &Value) -> Value {
    json!({
        "id": "1", "channel_id": channel, "author": author, "content": "", "timestamp": SOME_TIME, "tts": false,
        "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [],
        "pinned": false, "type": 0,
    })
}

fn command(data: &Value) -> Option<Value> {
    Some(json!({
        "id": id(data.get("id")).unwrap_or_else(|| json!("1")),
        "name": text(data, "name")?,
        "type": data.get("type").and_then(Value::as_u64).filter(|&kind| kind <= 255).unwrap_or(1),
        "options": options(data, OPTIONS_DEEP_MAX),
        "resolved": resolved(data.get("resolved")),
        "target_id": id(data.get("target_id")),
    }))
}

fn options(parent: &Value, depth: u8) -> Vec<Value> {
    if depth == 0 {
        return Vec::new();
    }
    let known = items(parent, "options").filter_map(|option| {
        let kind = option.get("type")?.as_u64().filter(|kind| (1..=OPTION_TYPE_MAX).contains(kind))?;
        let inner = SUBCOMMANDS.contains(&kind).then(|| options(option, depth - 1));
        Some(json!({
            "name": text(option, "name")?, "type": kind, "value": option.get("value"), "options": inner,
            "focused": option.get("focused").and_then(Value::as_bool),
        }))
    });
    known.collect()
}

fn press(data: &Value) -> Option<Value> {
    let values: Vec<_> = items(data, "values").filter_map(Value::as_str).collect();
    let kind = data.get("component_type").and_then(Value::as_u64).filter(|&kind| kind <= 255).unwrap_or(2);
    Some(json!({ "custom_id": text(data, "custom_id")?, "component_type": kind, "values": values }))
}

fn submission(data: &Value) -> Option<Value> {
    let rows = items(data, "components").map(|row| {
        // A label of the newer kind holds one component, a row a list of them.
        let inputs = items(row, "components").chain(row.get("component"));
        let texts = inputs.filter(|input| input.get("type").and_then(Value::as_u64) == Some(TEXT_INPUT));
        let texts = texts.filter_map(|input| {
            let value = text(input, "value").unwrap_or_default();
            Some(json!({ "type": TEXT_INPUT, "custom_id": text(input, "custom_id")?, "value": value }))
        });
        json!({ "type": ROW, "components": texts.collect::<Vec<_>>() })
    });
    Some(json!({ "custom_id": text(data, "custom_id")?, "components": rows.collect::<Vec<_>>() }))
}

fn resolved(resolved: Option<&Value>) -> Value {
    let all = |kind: &str, reduced: &dyn Fn(&Value) -> Option<Value>| {
        let given = resolved.and_then(|resolved| resolved.get(kind)?.as_object());
        let known = given.into_iter().flatten().filter(|(key, _)| key.parse::<u64>().is_ok_and(|id| id != 0));
        known.filter_map(|(id, given)| Some((id.clone(), reduced(given)?))).collect::<Map<_, _>>()
    };
    json!({
        "users": all("users", &user),
        "members": all("members", &|given| given.is_object().then(|| member(given, None))),
        "roles": all("roles", &role),
        "channels": all("channels", &channel),
        "messages": all("messages", &|given| plain_message(given, 0)),
        "attachments": all("attachments", &attachment),
    })
}

fn user(user: &Value) -> Option<Value> {
    Some(json!({
        "id": id(user.get("id"))?,
        "username": text(user, "username").unwrap_or_default(),
        "global_name": text(user, "global_name"),
        "discriminator": "0",
        "bot": user.get("bot").and_then(Value::as_bool).unwrap_or_default(),
    }))
}

fn member(member: &Value, user: Option<&Value>) -> Value {
    json!({
        "user": user,
        "nick": text(member, "nick"),
        "roles": items(member, "roles").filter_map(|role| id(Some(role))).collect::<Vec<_>>(),
        "permissions": text(member, "permissions").and_then(permissions),
        "deaf": false,
        "mute": false,
        "flags": 0,
    })
}

fn role(role: &Value) -> Option<Value> {
    Some(json!({
        "id": id(role.get("id"))?, "name": text(role, "name").unwrap_or_default(), "color": 0,
        "colors": { "primary_color": 0 }, "hoist": false, "managed": false, "permissions": "0", "position": 0,
    }))
}

fn channel(channel: &Value) -> Option<Value> {
    let kind = channel.get("type").and_then(Value::as_u64).filter(|&kind| kind <= 255).unwrap_or(255);
    Some(json!({ "id": id(channel.get("id"))?, "name": text(channel, "name"), "type": kind }))
}

fn attachment(file: &Value) -> Option<Value> {
    let size = file.get("size").and_then(Value::as_u64).unwrap_or_default().min(u32::MAX.into());
    Some(json!({
        "id": id(file.get("id"))?, "filename": text(file, "filename").unwrap_or_default(), "size": size,
        "url": text(file, "url")?, "proxy_url": "", "content_type": text(file, "content_type"),
    }))
}

/// Who installed the application: the server (0) or the person (1). Others are not known to the bot.
fn owners(owners: Option<&Value>) -> Map<String, Value> {
    let given = owners.and_then(Value::as_object).into_iter().flatten();
    let known = given.filter_map(|(key, owner)| match key.as_str() {
        // 0 stands for a server's installation that is used in a direct message.
        "0" => Some((key.clone(), id(Some(owner)).unwrap_or_else(|| json!("0")))),
        "1" => Some((key.clone(), id(Some(owner))?)),
        _ => None,
    });
    known.collect()
}

/// The lowest 64 bits of permissions, which are a decimal number of any length.
fn permissions(given: &str) -> Option<String> {
    let is_number = !given.is_empty() && given.bytes().all(|byte| byte.is_ascii_digit());
    let bits = || given.bytes().fold(0_u64, |bits, digit| bits.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
    is_number.then(|| bits().to_string())
}

/// An id, which is text, or a number in old fixtures.
fn id(given: Option<&Value>) -> Option<Value> {
    let given = given?;
    let id = given.as_u64().or_else(|| given.as_str()?.parse().ok()).filter(|&id| id != 0)?;
    Some(Value::from(id.to_string()))
}

fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get(key)?.as_str()
}

fn items<'a>(object: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    object.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// Removes fields that are null, at every depth: some of serenity's types know only fields that are missing.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::discord::convert;
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
                ("poll", Some(json!({ "question": 1 }))),
                ("sticker_items", Some(json!([{}]))),
                ("interaction_metadata", Some(json!({ "user": { "id": "5", "avatar": "x".repeat(60) } }))),
                ("pinned", None),
                ("nonce", Some(json!({}))),
                ("mention_roles", Some(json!("none"))),
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
        let read = |event: &Value| {
            let Some(Interaction::Command(command)) = interaction(event) else { panic!("undecodable: {event}") };
            convert::interaction(&command, Language::ENGLISH)
        };
        let Interaction::Command(whole) = serde_json::from_value(slash()).unwrap() else { panic!("no command") };
        let expected = format!("{:?}", convert::interaction(&whole, Language::ENGLISH));
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
                assert_eq!(format!("{:?}", read(&event)), expected, "{at}/{key}: {event}");
            }
        }
        let mut event = slash();
        set(&mut event, "/data", "type", None);
        set(&mut event, "/member", "permissions", Some(json!("18446744073709559808")));
        set(&mut event, "/data", "guild_id", Some(json!("none")));
        event["data"]["options"].as_array_mut().unwrap().push(json!({ "name": "new", "type": 42, "value": {} }));
        assert_eq!(format!("{:?}", read(&event)), expected);
    }

    #[test]
    fn held_01_what_discord_adds_to_a_message_or_leaves_out_changes_no_answer() {
        let read = |message: &Message| {
            let (bot, channels) = (UserId(1), [ChannelId(3)]);
            format!("{:?}", convert::message(message, bot, &channels, Language::ENGLISH))
        };
        let expected = read(&serde_json::from_value(said()).unwrap());
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
                let reduced = message(&event).unwrap_or_else(|| panic!("undecodable: {event}"));
                assert_eq!(read(&reduced), expected, "{at}/{key}: {event}");
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
            let Some(Interaction::Component(press)) = interaction(&press) else { panic!("undecodable: {press}") };
            (press.message.id.get(), press.message.content.clone(), press.message.author.id.get())
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
        let Some(Interaction::Component(press)) = interaction(&press) else { panic!("undecodable press") };
        assert_eq!((press.data.custom_id.as_str(), convert::chosen(&press)), ("x", Some("a")));

        let mut modal = slash();
        modal["type"] = json!(5);
        let input = |id: &str| json!({ "type": 4, "custom_id": id, "value": format!("of {id}"), "new": {} });
        let rows = json!([{ "type": 1, "components": [input("a")] }, { "type": 18, "component": input("b") }]);
        modal["data"] = json!({ "custom_id": "x", "components": rows });
        let Some(Interaction::Modal(modal)) = interaction(&modal) else { panic!("undecodable modal") };
        assert_eq!(convert::fields(&modal).collect::<Vec<_>>(), [("a", "of a"), ("b", "of b")]);
    }

    #[test]
    fn rights_that_cannot_be_read_grant_nothing() {
        let cases = [("8192", Some("8192")), ("18446744073709551617", Some("1")), ("-1", None), ("", None)];
        for (given, expected) in cases {
            assert_eq!(permissions(given).as_deref(), expected, "{given}");
        }
    }
}
