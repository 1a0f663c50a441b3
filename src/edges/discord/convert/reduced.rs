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

/// The messages that were deleted. `None` if an event names none that can be read.
pub(crate) fn deleted(event: &Value) -> Option<Vec<u64>> {
    let one = event.get("id").into_iter();
    let read = |given| id(Some(given))?.as_str()?.parse().ok();
    let ids: Vec<u64> = one.chain(items(event, "ids")).filter_map(read).collect();
    (!ids.is_empty()).then_some(ids)
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
        "mention_roles": items(message, "mention_roles").filter_map(|role| id(Some(role))).collect::<Vec<_>>(),
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
mod tests;
