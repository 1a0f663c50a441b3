//! Routes of interaction responses: the callback, and the webhook of the interaction's token.

use serde_json::{Value, json};

use crate::limits::{BodyContext, check_body, check_choices, check_modal, check_sizes, require_content};
use crate::payload::snowflake::now_ms;
use crate::payload::{self, APPLICATION_ID, EPHEMERAL};
use crate::rest::errors::{Path, Problems, Refusal};
use crate::rest::{Answer, Call, Outcome, channels};
use crate::twin::state::{IssuedInteraction, World};

/// The callback must come within this time. See Discord's docs, "Responding to an Interaction".
const CALLBACK_MS_MAX: u64 = 3_000;
/// An interaction token is valid for this time.
const TOKEN_MS_MAX: u64 = 15 * 60 * 1_000;

/// The number of follow-ups to an interaction if only the user, and not the guild, installed the application.
const FOLLOW_UPS_MAX: usize = 5;

/// Discord's interaction callback types.
const MESSAGE: u64 = 4;
const DEFERRED_MESSAGE: u64 = 5;
const DEFERRED_UPDATE: u64 = 6;
const UPDATE: u64 = 7;
const CHOICES: u64 = 8;
const MODAL: u64 = 9;

/// `POST /interactions/{id}/{token}/callback`
pub(crate) fn callback(call: &Call<'_>, id: &str, token: &str) -> Outcome {
    let mut world = call.state.world();
    let interaction = world.interactions.get(token).filter(|interaction| interaction.id == id).cloned();
    let interaction = interaction.ok_or_else(Refusal::unknown_interaction)?;
    if interaction.acknowledged {
        return Err(Refusal::already_acknowledged());
    }
    if now_ms().saturating_sub(interaction.issued_ms) > CALLBACK_MS_MAX {
        return Err(Refusal::unknown_interaction());
    }
    let kind = check_callback(call, &interaction)?;
    let message = match kind {
        MESSAGE | DEFERRED_MESSAGE => Some(original(call, &interaction, kind)),
        _ => None,
    };
    let stored = match kind {
        // The message with the component becomes the original response.
        DEFERRED_UPDATE | UPDATE => interaction.source_message.clone(),
        _ => message.as_ref().map(|message| message["id"].as_str().unwrap_or_default().to_owned()),
    };
    let message = match (&stored, message) {
        (Some(id), None) if kind == UPDATE => {
            let path = Path::default().then("data");
            Some(channels::apply(call, &mut world, id, &path, &call.body["data"])?)
        }
        (Some(id), Some(message)) => {
            world.messages.insert(id.clone(), message.clone());
            Some(message)
        }
        (_, message) => message,
    };
    if let Some(interaction) = world.interactions.get_mut(token) {
        interaction.acknowledged = true;
        interaction.original = stored.clone();
    }
    if !call.flag("with_response") {
        return Ok(Answer::Empty);
    }
    let interaction = json!({
        "id": id, "type": interaction.kind, "response_message_id": stored,
        "response_message_loading": kind == DEFERRED_MESSAGE,
    });
    Ok(Answer::Json(200, json!({"interaction": interaction, "resource": {"type": kind, "message": message}})))
}

/// The type of the callback, if it is allowed for this interaction and its data is valid.
fn check_callback(call: &Call<'_>, interaction: &IssuedInteraction) -> Result<u64, Refusal> {
    let mut problems = Problems::default();
    let root = Path::default();
    let allowed: &[u64] = match interaction.kind {
        1 => &[1],
        2 => &[MESSAGE, DEFERRED_MESSAGE, MODAL, 10, 12],
        3 => &[MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL, 10, 12],
        4 => &[CHOICES],
        // A modal that was not opened from a component has no message to update. A modal cannot open another modal.
        _ if interaction.source_message.is_none() => &[MESSAGE, DEFERRED_MESSAGE, 10, 12],
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
        MESSAGE => check_body(&mut problems, &path, data, &BodyContext { files: call.files, ..BodyContext::NEW }),
        // If the message is known, `channels::apply` checks the update together with its present content.
        UPDATE if interaction.source_message.is_none() => check_body(&mut problems, &path, data, &BodyContext::NEW),
        CHOICES => check_choices(&mut problems, &path, data),
        MODAL => check_modal(&mut problems, &path, data),
        DEFERRED_MESSAGE if data["flags"].as_u64().is_some_and(|flags| flags & !EPHEMERAL != 0) => {
            problems.add(&path.then("flags"), "BASE_TYPE_CHOICES", "Only EPHEMERAL may be set when deferring.");
        }
        _ => {}
    }
    problems.finish()?;
    if kind == MESSAGE {
        require_content(data, channels::uploads(call))?;
    }
    Ok(kind)
}

fn original(call: &Call<'_>, interaction: &IssuedInteraction, kind: u64) -> Value {
    let mut message = payload::bot_message(call.state.ids.next(), &interaction.channel, &call.body["data"]);
    payload::attach(&mut message, &call.body["data"], call.files, || call.state.ids.next());
    payload::make_response(&mut message, kind == DEFERRED_MESSAGE);
    message
}

/// Routes below `/webhooks/{application}/{token}`.
pub(crate) fn webhook(call: &Call<'_>, method: &str, application: &str, token: &str, rest: &[&str]) -> Outcome {
    let mut world = call.state.world();
    let interaction = world.interactions.get(token).filter(|_| application == APPLICATION_ID.to_string()).cloned();
    let interaction = interaction.ok_or_else(Refusal::unknown_webhook)?;
    if now_ms().saturating_sub(interaction.issued_ms) > TOKEN_MS_MAX {
        return Err(Refusal::invalid_webhook_token());
    }
    if !interaction.acknowledged {
        return Err(Refusal::unknown_webhook());
    }
    match (method, rest) {
        ("POST", []) => follow_up(call, &mut world, token, &interaction),
        ("GET", ["messages", id]) => {
            let id = resolve(&interaction, id)?;
            world
                .messages
                .get(&id)
                .cloned()
                .map(|message| Answer::Json(200, message))
                .ok_or_else(Refusal::unknown_message)
        }
        ("PATCH", ["messages", id]) => channels::edit_message(call, &mut world, &resolve(&interaction, id)?),
        ("DELETE", ["messages", id]) => {
            let id = resolve(&interaction, id)?;
            world.messages.remove(&id).map(|_| Answer::Empty).ok_or_else(Refusal::unknown_message)
        }
        _ => Err(Refusal::not_found()),
    }
}

fn resolve(interaction: &IssuedInteraction, id: &str) -> Result<String, Refusal> {
    match (id, &interaction.original) {
        ("@original", Some(original)) => Ok(original.clone()),
        ("@original", None) => Err(Refusal::unknown_message()),
        (id, _) => Ok(id.to_owned()),
    }
}

fn follow_up(call: &Call<'_>, world: &mut World, token: &str, interaction: &IssuedInteraction) -> Outcome {
    // The first follow-up after a deferred response edits that response and keeps its EPHEMERAL flag.
    let original = interaction.original.as_ref().filter(|id| {
        world.messages.get(*id).is_some_and(|message| message["flags"].as_u64().unwrap_or(0) & payload::LOADING != 0)
    });
    if let Some(original) = original {
        return channels::edit_message(call, world, original);
    }
    check_sizes(call.files)?;
    let mut problems = Problems::default();
    let context = BodyContext { files: call.files, ..BodyContext::NEW };
    check_body(&mut problems, &Path::default(), call.body, &context);
    problems.finish()?;
    require_content(call.body, channels::uploads(call))?;
    if interaction.user_installed && interaction.n_follow_ups >= FOLLOW_UPS_MAX {
        return Err(Refusal::too_many_follow_ups());
    }
    if let Some(interaction) = world.interactions.get_mut(token) {
        interaction.n_follow_ups += 1;
    }
    let id = call.state.ids.next();
    let mut message = payload::bot_message(id, &interaction.channel, call.body);
    payload::attach(&mut message, call.body, call.files, || call.state.ids.next());
    payload::make_response(&mut message, false);
    world.messages.insert(id.to_string(), message.clone());
    Ok(Answer::Json(200, message))
}
