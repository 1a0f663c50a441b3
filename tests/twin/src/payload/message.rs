//! Message objects: of users, and as Discord stores what the bot sent.

use serde_json::{Value, json};

use crate::payload::snowflake::{made_at_ms, timestamp};
use crate::payload::{APPLICATION_ID, BOT_ID, EPHEMERAL, IS_COMPONENTS_V2, LOADING, SUPPRESS_EMBEDS, user};

/// A message with a text only.
pub(crate) fn plain_message(id: u64, channel: &str, author: Value, content: &str) -> Value {
    json!({
        "id": id.to_string(), "channel_id": channel, "author": author, "content": content,
        "timestamp": timestamp(made_at_ms(id)), "edited_timestamp": null, "tts": false, "mention_everyone": false,
        "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "components": [], "pinned": false,
        "type": 0, "flags": 0,
    })
}

/// The message that Discord stores for a body that the bot sent.
pub(crate) fn bot_message(id: u64, channel: &str, body: &Value) -> Value {
    let mut message = plain_message(id, channel, user(BOT_ID, true), "");
    message["flags"] = json!(body["flags"].as_u64().unwrap_or(0));
    if !body["nonce"].is_null() {
        message["nonce"] = body["nonce"].clone();
    }
    if let Some(id) = body["message_reference"]["message_id"].as_str() {
        message["type"] = json!(19);
        message["message_reference"] = json!({"type": 0, "channel_id": channel, "message_id": id});
    }
    copy_parts(&mut message, body);
    message
}

/// Applies an edit to a message. Fields that the body does not name stay.
pub(crate) fn apply_edit(message: &mut Value, body: &Value, now_ms: u64) {
    copy_parts(message, body);
    let kept = message["flags"].as_u64().unwrap_or(0) & !LOADING;
    message["flags"] = json!(match body["flags"].as_u64() {
        // An edit can change SUPPRESS_EMBEDS and can add IS_COMPONENTS_V2. EPHEMERAL is fixed when the message is sent.
        Some(flags) => (kept & !SUPPRESS_EMBEDS) | (flags & (SUPPRESS_EMBEDS | IS_COMPONENTS_V2)),
        None => kept,
    });
    message["edited_timestamp"] = json!(timestamp(now_ms));
}

/// Makes a message an interaction response. A deferred one keeps only EPHEMERAL of its flags and gets LOADING.
pub(crate) fn make_response(message: &mut Value, deferred: bool) {
    let flags = message["flags"].as_u64().unwrap_or(0);
    message["flags"] = json!(if deferred { (flags & EPHEMERAL) | LOADING } else { flags });
    message["application_id"] = json!(APPLICATION_ID.to_string());
    message["type"] = json!(20);
}

/// Copies content, components and embeds from a body, if it has them.
fn copy_parts(message: &mut Value, body: &Value) {
    if let Some(content) = body.get("content") {
        message["content"] = json!(content.as_str().unwrap_or_default());
    }
    if let Some(components) = body.get("components") {
        message["components"] = json!(components.as_array().cloned().unwrap_or_default());
    }
    if let Some(embeds) = body.get("embeds") {
        let embeds = embeds.as_array().cloned().unwrap_or_default();
        message["embeds"] = embeds.into_iter().map(stored_embed).collect();
    }
}

/// An embed with the fields that Discord fills in.
fn stored_embed(mut embed: Value) -> Value {
    embed["type"] = json!("rich");
    let fields = embed.get_mut("fields").and_then(Value::as_array_mut);
    for field in fields.into_iter().flatten() {
        if field["inline"].is_null() {
            field["inline"] = json!(false);
        }
    }
    embed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_keeps_what_it_does_not_name() {
        let mut message = bot_message(1 << 40, "7", &json!({"content": "a", "embeds": [{"title": "t"}], "flags": 64}));
        apply_edit(&mut message, &json!({"content": "b"}), 0);
        assert_eq!(message["content"], "b");
        assert_eq!(message["embeds"], json!([{"title": "t", "type": "rich"}]));
        assert_eq!(message["flags"], 64);
    }

    #[test]
    fn an_edit_can_change_suppress_embeds_but_not_ephemeral() {
        let mut message = bot_message(1 << 40, "7", &json!({"content": "a", "flags": 4}));
        apply_edit(&mut message, &json!({"content": "b"}), 0);
        assert_eq!(message["flags"], 4);
        apply_edit(&mut message, &json!({"flags": 0}), 0);
        assert_eq!(message["flags"], 0);
        apply_edit(&mut message, &json!({"flags": 4 | 64}), 0);
        assert_eq!(message["flags"], 4);
    }

    #[test]
    fn a_deferral_is_loading_until_edited() {
        let mut message = bot_message(1 << 40, "7", &json!({"flags": 64}));
        make_response(&mut message, true);
        assert_eq!(message["flags"], 64 | 128);
        apply_edit(&mut message, &json!({"content": "done"}), 0);
        assert_eq!(message["flags"], 64);
    }
}
