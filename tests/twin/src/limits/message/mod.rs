//! Limits of messages and of autocomplete choices.

use serde_json::Value;

use crate::limits::component::{Layout, check_components};
use crate::limits::embed::check_embeds;
use crate::limits::file::{BodyContext, check_files};
use crate::limits::{Need, Text, list};
use crate::payload::IS_COMPONENTS_V2;
use crate::rest::errors::{Path, Problems, Refusal};

/// Discord's docs are inconsistent (2000 or 4000); 2000 is safe everywhere.
pub(crate) const CONTENT_LENGTH_MAX: usize = 2000;
const AUTOCOMPLETE_CHOICES_MAX: usize = 25;
const NONCE_LENGTH_MAX: usize = 25;

/// Whether a request uploads files, which are enough content for a message.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Uploads {
    None,
    Some,
}

/// Checks the message at `path`.
pub(crate) fn check_body(problems: &mut Problems, path: &Path, body: &Value, context: &BodyContext<'_>) {
    if !super::is_object(problems, path, body) {
        return;
    }
    Text::optional(CONTENT_LENGTH_MAX).check(problems, path, body, "content");
    if body["nonce"].is_string() {
        Text::optional(NONCE_LENGTH_MAX).check(problems, path, body, "nonce");
    }
    check_embeds(problems, path, body);
    check_files(problems, path, body, context);
    let has_flag = |message: &Value| message["flags"].as_u64().map(|flags| flags & IS_COMPONENTS_V2 != 0);
    let was_v2 = has_flag(context.before) == Some(true);
    if was_v2 && has_flag(body) == Some(false) {
        let why = "The IS_COMPONENTS_V2 flag cannot be removed";
        problems.add(&path.then("flags"), "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", why);
    }
    let is_v2 = was_v2 || has_flag(body) == Some(true);
    check_components(problems, path, body, if is_v2 { Layout::V2 } else { Layout::Rows });
    for key in ["content", "embeds", "poll", "sticker_ids"] {
        if is_v2 && !is_blank(&body[key]) {
            let why = format!("The '{key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2");
            problems.add(&path.then(key), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", why);
        }
    }
    check_mentions(problems, &path.then("allowed_mentions"), &body["allowed_mentions"]);
}

/// Refuses an empty message.
pub(crate) fn require_content(body: &Value, uploads: Uploads) -> Result<(), Refusal> {
    let parts = ["content", "embeds", "components", "attachments", "poll", "sticker_ids"];
    // A forwarded message (reference type 1) has no content of its own.
    let is_forward = body["message_reference"]["type"] == 1;
    if uploads == Uploads::Some || is_forward || parts.iter().any(|part| !is_blank(&body[part])) {
        return Ok(());
    }
    Err(Refusal::empty_message())
}

/// Checks the `data` of an autocomplete response.
pub(crate) fn check_choices(problems: &mut Problems, path: &Path, data: &Value) {
    if data["choices"].is_null() {
        problems.required(&path.then("choices"));
    }
    for (index, choice) in list(problems, path, data, "choices", AUTOCOMPLETE_CHOICES_MAX).iter().enumerate() {
        let path = path.then("choices").then(index);
        Text::required(1, 100).check(problems, &path, choice, "name");
        match &choice["value"] {
            Value::Null => problems.required(&path.then("value")),
            Value::Number(_) => {}
            value => Text { min: 0, max: 100, need: Need::Required }.check_value(problems, &path.then("value"), value),
        }
    }
}

/// Checks `allowed_mentions`: a kind may be listed in `parse` or by ids, not both.
fn check_mentions(problems: &mut Problems, path: &Path, mentions: &Value) {
    for (index, kind) in list(problems, path, mentions, "parse", 3).iter().enumerate() {
        if !["users", "roles", "everyone"].map(Value::from).contains(kind) {
            let why = "Value must be one of ('users', 'roles', 'everyone').";
            problems.add(&path.then("parse").then(index), "BASE_TYPE_CHOICES", why);
        }
    }
    for key in ["users", "roles"] {
        let named = list(problems, path, mentions, key, 100);
        let all = mentions["parse"].as_array().is_some_and(|parse| parse.iter().any(|kind| kind == key));
        if all && !named.is_empty() {
            let why = format!("parse:[\"{key}\"] and {key}: [ids...] are mutually exclusive.");
            problems.add(path, "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", why);
        }
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(entries) => entries.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
