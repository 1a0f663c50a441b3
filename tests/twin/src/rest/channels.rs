//! Routes of channels and their messages.

use serde_json::{Value, json};

use crate::limits::{BodyContext, Uploads, check_body, check_sizes, require_content};
use crate::payload::snowflake::now_ms;
use crate::payload::{self, BOT_ID};
use crate::rest::errors::{Path, Problems, Refusal};
use crate::rest::{Answer, Call, Outcome};
use crate::twin::state::{Thread, World};

/// The types of channels for announcements and of their threads.
const ANNOUNCEMENT: u64 = 5;
const ANNOUNCEMENT_THREAD: u64 = 10;
/// A permission.
const SEND_MESSAGES_IN_THREADS: u64 = 1 << 38;

/// Routes below `/channels/{channel}`.
pub(crate) fn route(call: &Call<'_>, method: &str, channel: &str, rest: &[&str]) -> Outcome {
    let mut world = call.state.world();
    let is_dm = *world.channels.get(channel).ok_or_else(Refusal::unknown_channel)?;
    match (method, rest) {
        ("GET", []) => {
            let id = channel.parse().unwrap_or_default();
            let thread = world.threads.get(channel).map(|thread| payload::thread(id, thread));
            let of_guild = || {
                let mut shown = payload::channel(id);
                shown["parent_id"] = json!(world.categories.get(channel).map(u64::to_string));
                shown["type"] = json!(world.kinds.get(channel).copied().unwrap_or_default());
                shown["permission_overwrites"] = payload::denied(world.denied.get(channel).copied());
                shown
            };
            let channel = || if is_dm { payload::dm_channel(id) } else { of_guild() };
            Ok(Answer::Json(200, thread.unwrap_or_else(channel)))
        }
        ("POST", ["typing"]) => Ok(Answer::Empty),
        ("POST", ["threads"]) => create_thread(call, &mut world, channel, None),
        ("POST", ["messages", id, "threads"]) => create_thread(call, &mut world, channel, Some(id)),
        ("POST", ["messages"]) => create_message(call, &mut world, channel),
        ("GET", ["messages"]) => Ok(Answer::Json(200, messages_after(&world, channel, call.query))),
        ("GET", ["messages", id]) => Ok(Answer::Json(200, message_in(&world, channel, id)?.clone())),
        ("PATCH", ["messages", id]) => {
            let author = &message_in(&world, channel, id)?["author"]["id"];
            if author.as_str() != Some(BOT_ID.to_string().as_str()) {
                return Err(Refusal::new(403, 50005, "Cannot edit a message authored by another user"));
            }
            edit_message(call, &mut world, id)
        }
        ("DELETE", ["messages", id]) => {
            message_in(&world, channel, id)?;
            world.messages.remove(*id);
            Ok(Answer::Empty)
        }
        _ => Err(Refusal::not_found()),
    }
}

/// The first messages of a channel behind `after`, at most `limit`, the newest of them first.
fn messages_after(world: &World, channel: &str, query: &str) -> Value {
    let number = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).find_map(|(_, value)| value.parse().ok())
    };
    let after: u64 = number("after").unwrap_or_default();
    let limit = number("limit").and_then(|limit: u64| usize::try_from(limit).ok()).unwrap_or(50);
    let id = |message: &Value| message["id"].as_str().and_then(|id| id.parse::<u64>().ok()).unwrap_or_default();
    let mut messages: Vec<_> = world.messages.values().filter(|message| message["channel_id"] == channel).collect();
    messages.retain(|message| after < id(message));
    messages.sort_by_key(|message| id(message));
    json!(messages.into_iter().take(limit).rev().collect::<Vec<_>>())
}

/// Opens a thread; one that begins with a message has the id of that message.
fn create_thread(call: &Call<'_>, world: &mut World, channel: &str, from: Option<&str>) -> Outcome {
    if world.channels.get(channel) == Some(&true) || world.threads.contains_key(channel) {
        return Err(Refusal::new(400, 50024, "Cannot execute action on this channel type"));
    }
    let is_for_announcements = world.kinds.get(channel) == Some(&ANNOUNCEMENT);
    match from {
        Some(id) => drop(message_in(world, channel, id)?),
        None if is_for_announcements != (call.body["type"] == ANNOUNCEMENT_THREAD) => {
            return Err(Refusal::new(400, 50024, "Cannot execute action on this channel type"));
        }
        None => {}
    }
    let title = call.body["name"].as_str().unwrap_or_default();
    if !(1..=100).contains(&title.chars().count()) {
        let mut problems = Problems::default();
        problems.add(&Path::default().then("name"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
        problems.finish()?;
    }
    let id = from.and_then(|id| id.parse().ok()).unwrap_or_else(|| call.state.ids.next());
    let parent = channel.parse().unwrap_or_default();
    if world.threads.contains_key(&id.to_string()) {
        return Err(Refusal::new(400, 160004, "A thread has already been created for this message"));
    }
    world.channels.insert(id.to_string(), false);
    let thread = Thread { parent, title: title.to_owned(), owner: BOT_ID };
    let shown = payload::thread(id, &thread);
    world.threads.insert(id.to_string(), thread);
    Ok(Answer::Json(201, shown))
}

fn message_in<'a>(world: &'a World, channel: &str, id: &str) -> Result<&'a Value, Refusal> {
    let found = world.messages.get(id).filter(|message| message["channel_id"] == channel);
    found.ok_or_else(Refusal::unknown_message)
}

fn create_message(call: &Call<'_>, world: &mut World, channel: &str) -> Outcome {
    let denied = world.threads.get(channel).and_then(|thread| world.denied.get(&thread.parent.to_string()));
    if denied.is_some_and(|denied| denied & SEND_MESSAGES_IN_THREADS != 0) {
        return Err(Refusal::new(403, 50013, "Missing Permissions"));
    }
    let mut problems = Problems::default();
    let root = Path::default();
    check_sizes(call.files)?;
    check_body(&mut problems, &root, call.body, &BodyContext { files: call.files, ..BodyContext::NEW });
    let reference = &call.body["message_reference"];
    let referenced = reference["message_id"].as_str().unwrap_or_default();
    let must_exist = !reference.is_null() && reference["fail_if_not_exists"] != false;
    if must_exist && message_in(world, channel, referenced).is_err() {
        problems.add(&root.then("message_reference"), "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
    }
    problems.finish()?;
    require_content(call.body, uploads(call))?;
    let nonce = nonce(call.body).map(|nonce| (channel.to_owned(), nonce));
    if let Some(earlier) = nonce.as_ref().and_then(|key| world.nonces.get(key)).and_then(|id| world.messages.get(id)) {
        return Ok(Answer::Json(200, earlier.clone()));
    }
    let id = call.state.ids.next();
    let mut message = payload::bot_message(id, channel, call.body);
    payload::attach(&mut message, call.body, call.files, || call.state.ids.next());
    if let Some(key) = nonce {
        world.nonces.insert(key, id.to_string());
    }
    world.messages.insert(id.to_string(), message.clone());
    Ok(Answer::Json(200, message))
}

/// The nonce, if the body sets `enforce_nonce`.
fn nonce(body: &Value) -> Option<String> {
    let nonce = match &body["nonce"] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (body["enforce_nonce"] == true).then_some(nonce)
}

/// Edits a stored message. The same rules apply to channel messages, original responses and follow-ups.
pub(crate) fn edit_message(call: &Call<'_>, world: &mut World, id: &str) -> Outcome {
    apply(call, world, id, &Path::default(), call.body).map(|edited| Answer::Json(200, edited))
}

/// Checks an edit, applies it to the stored message and returns the result. `path` is the path of `body` in the
/// request.
pub(crate) fn apply(call: &Call<'_>, world: &mut World, id: &str, path: &Path, body: &Value) -> Result<Value, Refusal> {
    let message = world.messages.get_mut(id).ok_or_else(Refusal::unknown_message)?;
    check_sizes(call.files)?;
    let mut problems = Problems::default();
    check_body(&mut problems, path, body, &BodyContext { files: call.files, before: message });
    problems.finish()?;
    let mut edited = message.clone();
    payload::apply_edit(&mut edited, body, now_ms());
    payload::attach(&mut edited, body, call.files, || call.state.ids.next());
    require_content(&edited, uploads(call))?;
    message.clone_from(&edited);
    Ok(edited)
}

/// Whether files were uploaded with the request.
pub(crate) fn uploads(call: &Call<'_>) -> Uploads {
    if call.files.is_empty() { Uploads::None } else { Uploads::Some }
}
