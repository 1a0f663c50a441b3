//! Answers to interactions: the callback, and the webhook that a token opens for 15 minutes.

use serde_json::{Value, json};

use crate::errors::{Path, Problems, Refusal};
use crate::limits::{Around, check_body, check_choices, check_modal, check_sizes, require_content};
use crate::payload::{self, APPLICATION_ID, EPHEMERAL};
use crate::rest::{Answer, Call, Outcome, channels};
use crate::snowflake::now_ms;
use crate::state::{Ticket, World};

/// The first answer must come within this time. See Discord's docs, responding to an interaction.
const CALLBACK_MS_MAX: u64 = 3_000;
/// After that a token is void, used or not.
const TOKEN_MS_MAX: u64 = 15 * 60 * 1_000;

/// So many follow-ups may an interaction have where only the caller installed the application.
const FOLLOW_UPS_MAX: usize = 5;

/// Callback types by their numbers in Discord's docs.
const MESSAGE: u64 = 4;
const DEFERRED_MESSAGE: u64 = 5;
const DEFERRED_UPDATE: u64 = 6;
const UPDATE: u64 = 7;
const CHOICES: u64 = 8;
const MODAL: u64 = 9;

/// `POST /interactions/{id}/{token}/callback`
pub(crate) fn callback(call: &Call<'_>, id: &str, token: &str) -> Outcome {
    let mut world = call.state.world();
    let ticket = world.tickets.get(token).filter(|ticket| ticket.id == id).cloned();
    let ticket = ticket.ok_or_else(Refusal::unknown_interaction)?;
    if ticket.acknowledged {
        return Err(Refusal::already_acknowledged());
    }
    if now_ms().saturating_sub(ticket.issued_ms) > CALLBACK_MS_MAX {
        return Err(Refusal::unknown_interaction());
    }
    let kind = check_callback(call, &ticket)?;
    let message = match kind {
        MESSAGE | DEFERRED_MESSAGE => Some(original(call, &ticket, kind)),
        _ => None,
    };
    let stored = match kind {
        // The original response is then the message that the button belongs to.
        DEFERRED_UPDATE | UPDATE => ticket.pressed.clone(),
        _ => message.as_ref().map(|message| message["id"].as_str().unwrap_or_default().to_owned()),
    };
    let message = match (&stored, message) {
        (Some(id), None) if kind == UPDATE => {
            let path = Path::default().then("data");
            Some(channels::changed(call, &mut world, id, &path, &call.body["data"])?)
        }
        (Some(id), Some(message)) => {
            world.messages.insert(id.clone(), message.clone());
            Some(message)
        }
        (_, message) => message,
    };
    if let Some(ticket) = world.tickets.get_mut(token) {
        ticket.acknowledged = true;
        ticket.original = stored.clone();
    }
    if !call.flag("with_response") {
        return Ok(Answer::Empty);
    }
    let interaction = json!({
        "id": id, "type": ticket.kind, "response_message_id": stored,
        "response_message_loading": kind == DEFERRED_MESSAGE,
    });
    Ok(Answer::Json(200, json!({"interaction": interaction, "resource": {"type": kind, "message": message}})))
}

/// The callback's type, if it fits the interaction and its data is in order.
fn check_callback(call: &Call<'_>, ticket: &Ticket) -> Result<u64, Refusal> {
    let mut problems = Problems::default();
    let root = Path::default();
    let allowed: &[u64] = match ticket.kind {
        1 => &[1],
        2 => &[MESSAGE, DEFERRED_MESSAGE, MODAL, 10, 12],
        3 => &[MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL, 10, 12],
        4 => &[CHOICES],
        // A form that no button opened has no message to change. One form never opens another.
        _ if ticket.pressed.is_none() => &[MESSAGE, DEFERRED_MESSAGE, 10, 12],
        _ => &[MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, 10, 12],
    };
    check_sizes(call.files)?;
    let data = &call.body["data"];
    let path = root.then("data");
    let kind = match call.body["type"].as_u64() {
        Some(kind) if allowed.contains(&kind) => kind,
        Some(_) => {
            problems.not_one_of(&root.then("type"), allowed);
            0
        }
        None => {
            problems.required(&root.then("type"));
            0
        }
    };
    match kind {
        MESSAGE => check_body(&mut problems, &path, data, &Around { files: call.files, ..Around::NOTHING }),
        // A message that the twin knows is checked with what it holds already.
        UPDATE if ticket.pressed.is_none() => check_body(&mut problems, &path, data, &Around::NOTHING),
        CHOICES => check_choices(&mut problems, &path, data),
        MODAL => check_modal(&mut problems, &path, data),
        DEFERRED_MESSAGE if data["flags"].as_u64().is_some_and(|flags| flags & !EPHEMERAL != 0) => {
            problems.add(&path.then("flags"), "BASE_TYPE_CHOICES", "Only EPHEMERAL may be set when deferring.");
        }
        _ => {}
    }
    problems.finish()?;
    if kind == MESSAGE {
        require_content(data, channels::filled(call))?;
    }
    Ok(kind)
}

fn original(call: &Call<'_>, ticket: &Ticket, kind: u64) -> Value {
    let mut message = payload::bot_message(call.state.ids.next(), &ticket.channel, &call.body["data"]);
    payload::attach(&mut message, &call.body["data"], call.files, || call.state.ids.next());
    payload::original_flags(&mut message, kind == DEFERRED_MESSAGE);
    message
}

/// Everything below `/webhooks/{application}/{token}`.
pub(crate) fn webhook(call: &Call<'_>, method: &str, application: &str, token: &str, rest: &[&str]) -> Outcome {
    let mut world = call.state.world();
    let ticket = world.tickets.get(token).filter(|_| application == APPLICATION_ID.to_string()).cloned();
    let ticket = ticket.ok_or_else(Refusal::unknown_webhook)?;
    if now_ms().saturating_sub(ticket.issued_ms) > TOKEN_MS_MAX {
        return Err(Refusal::invalid_webhook_token());
    }
    if !ticket.acknowledged {
        return Err(Refusal::unknown_webhook());
    }
    match (method, rest) {
        ("POST", []) => follow_up(call, &mut world, token, &ticket),
        ("GET", ["messages", id]) => {
            let id = resolve(&ticket, id)?;
            world
                .messages
                .get(&id)
                .cloned()
                .map(|message| Answer::Json(200, message))
                .ok_or_else(Refusal::unknown_message)
        }
        ("PATCH", ["messages", id]) => channels::edit_message(call, &mut world, &resolve(&ticket, id)?),
        ("DELETE", ["messages", id]) => {
            let id = resolve(&ticket, id)?;
            world.messages.remove(&id).map(|_| Answer::Empty).ok_or_else(Refusal::unknown_message)
        }
        _ => Err(Refusal::not_found()),
    }
}

fn resolve(ticket: &Ticket, id: &str) -> Result<String, Refusal> {
    match (id, &ticket.original) {
        ("@original", Some(original)) => Ok(original.clone()),
        ("@original", None) => Err(Refusal::unknown_message()),
        (id, _) => Ok(id.to_owned()),
    }
}

fn follow_up(call: &Call<'_>, world: &mut World, token: &str, ticket: &Ticket) -> Outcome {
    // The first follow-up after a deferral edits the original, and the deferral's flag decides who sees it.
    let original = ticket.original.as_ref().filter(|id| {
        world.messages.get(*id).is_some_and(|message| message["flags"].as_u64().unwrap_or(0) & payload::LOADING != 0)
    });
    if let Some(original) = original {
        return channels::edit_message(call, world, original);
    }
    check_sizes(call.files)?;
    let mut problems = Problems::default();
    let around = Around { files: call.files, ..Around::NOTHING };
    check_body(&mut problems, &Path::default(), call.body, &around);
    problems.finish()?;
    require_content(call.body, channels::filled(call))?;
    if ticket.user_installed && ticket.n_follow_ups >= FOLLOW_UPS_MAX {
        return Err(Refusal::too_many_follow_ups());
    }
    if let Some(ticket) = world.tickets.get_mut(token) {
        ticket.n_follow_ups += 1;
    }
    let id = call.state.ids.next();
    let mut message = payload::bot_message(id, &ticket.channel, call.body);
    payload::attach(&mut message, call.body, call.files, || call.state.ids.next());
    payload::original_flags(&mut message, false);
    world.messages.insert(id.to_string(), message.clone());
    Ok(Answer::Json(200, message))
}
