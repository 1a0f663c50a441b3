//! Takes the events that serenity cannot decode and silently drops. They are reduced to what the bot reads
//! ([`reduced`]) and go their usual way. An interaction that cannot be read even so is refused: the raw event still
//! holds the id and the token.

use serde_json::Value;
use serenity::all::{Context, InteractionId, Message};
use tracing::{debug, warn};

use crate::edges::discord::convert::{self, reduced};
use crate::edges::discord::gate::ANSWER_WITHIN;
use crate::edges::discord::interactions::answer::{Interactions, unknown_interaction};
use crate::edges::discord::interactions::deliver::Delivery;
use crate::edges::discord::shared::Shared;
use candor_core::inbound::UserId;
use candor_core::language::{Language, say};
use candor_core::record::{Timing, UnknownInteraction};
use candor_core::text::excerpt;

/// The answer to an interaction that serenity could not decode.
#[derive(Debug, PartialEq, Eq)]
enum RawAnswer {
    Text(String),
    NoSuggestions,
}

/// Reads an event that serenity could not decode, of which only the kind and the JSON are known.
pub(super) async fn read(interactions: &Interactions, context: &Context, kind: &str, event: &Value) {
    let shared = &interactions.shared;
    match kind {
        "INTERACTION_CREATE" => match reduced::interaction(event) {
            Some(interaction) => {
                debug!("an interaction holds what is not known of it; it is read without");
                interactions.interaction(context, &interaction).await;
            }
            None => answer(shared, event).await,
        },
        "MESSAGE_CREATE" => match reduced::message(event) {
            Some(message) => {
                debug!("a message holds what is not known of it; it is read without");
                let bot = *interactions.shared.bot.wait().await;
                shared.read(&*shared.mentioned_by_role(&message, bot).await, bot).await;
            }
            None => count(shared, "a message that cannot be decoded"),
        },
        "MESSAGE_UPDATE" => match reduced::message(event) {
            Some(message) => {
                debug!("an edit holds what is not known of it; it is read without");
                let is_edit = event.get("edited_timestamp").is_some_and(|at| !at.is_null());
                edited(interactions, &message, is_edit).await;
            }
            None => count(shared, "an edit that cannot be decoded"),
        },
        "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK" => match reduced::deleted(event) {
            Some(ids) => shared.deleted(&ids),
            None => count(shared, "a deletion that cannot be decoded"),
        },
        _ => {}
    }
}

/// Follows an edit as far as it concerns the bot: of a message that waits for the model, is being answered, or was.
pub(super) async fn edited(interactions: &Interactions, message: &Message, is_edit: bool) {
    let (shared, id) = (&interactions.shared, message.id.get());
    let message = &*shared.mentioned_by_role(message, *shared.bot.wait().await).await;
    if shared.is_being_answered(id) {
        shared.edited(message, *shared.bot.wait().await).await;
    } else if is_edit && shared.answered.holds(id) {
        shared.offer_again(message, *shared.bot.wait().await).await;
    }
}

/// Counts an event of a message of which nothing can be read.
fn count(shared: &Shared, what: &str) {
    shared.counters.unknown.count(UnknownInteraction::Message);
    warn!("{what}");
}

async fn answer(shared: &Shared, interaction: &Value) {
    let text = |key: &str| interaction.get(key).and_then(Value::as_str);
    let id = text("id").and_then(|id| id.parse().ok()).filter(|&id| id != 0);
    warn!(interaction.kind = kind(interaction), "an interaction that cannot be decoded");
    let (Some(id), Some(token)) = (id, text("token")) else { return };
    if ANSWER_WITHIN <= shared.gate.age(id) {
        return shared.counters.timings.count(Timing::DroppedLate);
    }
    // Without a free slot there is no answer: these are not the bot's own commands. They share those of nobody.
    let Ok(_room) = shared.gate.interaction(UserId(0), convert::sent(id)).await else { return };
    shared.counters.unknown.count(UnknownInteraction::Undecodable);
    let delivery = Delivery::new(&shared.rest, InteractionId::new(id), token);
    let language = convert::language(text("locale").unwrap_or_default(), text("guild_locale"), shared.language());
    match raw_answer(interaction, language) {
        RawAnswer::Text(text) => delivery.refuse(&text).await,
        RawAnswer::NoSuggestions => delivery.suggest_nothing().await,
    }
}

fn kind(interaction: &Value) -> Option<u64> {
    interaction.get("type").and_then(Value::as_u64)
}

/// The answer by interaction type and application command type. See Discord's documentation for their numbers.
fn raw_answer(interaction: &Value, language: Language) -> RawAnswer {
    let command_kind = interaction.pointer("/data/type").and_then(Value::as_u64);
    match (kind(interaction), command_kind, interaction.pointer("/data/name").and_then(Value::as_str)) {
        (Some(2), Some(1) | None, Some(name)) => {
            RawAnswer::Text(say!(language, "interaction-unreadable", command = format!("/{}", excerpt(name))))
        }
        (Some(2), Some(2 | 3), Some(name)) => {
            RawAnswer::Text(say!(language, "interaction-unreadable", command = excerpt(name)))
        }
        (Some(3), ..) => RawAnswer::Text(say!(language, "press-unreadable")),
        (Some(5), ..) => RawAnswer::Text(say!(language, "modal-unreadable")),
        (Some(4), ..) => RawAnswer::NoSuggestions,
        _ => RawAnswer::Text(unknown_interaction(language)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_gets_the_answer_that_discord_takes() {
        const EN: Language = Language::ENGLISH;
        let unread = |command: &str| RawAnswer::Text(say!(EN, "interaction-unreadable", command = command));
        let unknown = || RawAnswer::Text(unknown_interaction(EN));
        let cases = [
            (json!({"type": 2, "data": {"name": "status", "type": 1}}), unread("/status")),
            (json!({"type": 2, "data": {"name": "sta`tus"}}), unread("/status")),
            (json!({"type": 2, "data": {"name": "Report", "type": 3}}), unread("Report")),
            (json!({"type": 2, "data": {"name": "Report", "type": 4}}), unknown()),
            (json!({"type": 2, "data": {"name": 7}}), unknown()),
            (json!({"type": 4, "data": {"name": "status", "type": 1}}), RawAnswer::NoSuggestions),
            (json!({"type": 4}), RawAnswer::NoSuggestions),
            (json!({"type": 3, "data": {"name": "status"}}), RawAnswer::Text(say!(EN, "press-unreadable"))),
            (json!({"type": 5}), RawAnswer::Text(say!(EN, "modal-unreadable"))),
            (json!({}), unknown()),
        ];
        for (interaction, expected) in cases {
            assert_eq!(raw_answer(&interaction, EN), expected, "{interaction}");
        }
    }
}
