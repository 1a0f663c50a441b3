//! Limits of embeds: the length of each part, and 6000 characters for all embeds of a message.

use serde_json::Value;

use crate::limits::{Text, is_object, length, list};
use crate::rest::errors::{Path, Problems};

const EMBEDS_MAX: usize = 10;
const FIELDS_MAX: usize = 25;
/// The largest RGB colour.
const COLOR_MAX: u64 = 0xFF_FF_FF;
/// The largest number of characters in all embeds of a message.
const TOTAL_MAX: usize = 6000;

/// Checks `body.embeds`.
pub(crate) fn check_embeds(problems: &mut Problems, path: &Path, body: &Value) {
    let embeds = list(problems, path, body, "embeds", EMBEDS_MAX);
    let path = path.then("embeds");
    for (index, embed) in embeds.iter().enumerate() {
        check_embed(problems, &path.then(index), embed);
    }
    if embeds.iter().map(embed_size).sum::<usize>() > TOTAL_MAX {
        let why = format!("Embed size exceeds maximum size of {TOTAL_MAX}");
        problems.add(&path, "MAX_EMBED_SIZE_EXCEEDED", why);
    }
}

fn check_embed(problems: &mut Problems, path: &Path, embed: &Value) {
    if !is_object(problems, path, embed) {
        return;
    }
    Text::optional(256).check(problems, path, embed, "title");
    Text::optional(4096).check(problems, path, embed, "description");
    let color = &embed["color"];
    if !color.is_null() && color.as_u64().is_none_or(|color| color > COLOR_MAX) {
        let why = format!("int value should be between 0 and {COLOR_MAX}.");
        problems.add(&path.then("color"), "NUMBER_TYPE_RANGE", why);
    }
    for (part, key, max) in [("footer", "text", 2048), ("author", "name", 256)] {
        if embed[part].is_object() {
            Text::required(1, max).check(problems, &path.then(part), &embed[part], key);
        }
    }
    for (index, field) in list(problems, path, embed, "fields", FIELDS_MAX).iter().enumerate() {
        let path = path.then("fields").then(index);
        Text::required(1, 256).check(problems, &path, field, "name");
        Text::required(1, 1024).check(problems, &path, field, "value");
    }
    if is_empty(embed) {
        problems.required(&path.then("description"));
    }
}

/// Whether the embed has nothing to show. Discord then asks for a description.
fn is_empty(embed: &Value) -> bool {
    let parts = ["title", "description", "footer", "author", "fields", "image", "thumbnail", "url", "timestamp"];
    parts.iter().all(|part| match &embed[part] {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(fields) => fields.is_empty(),
        _ => false,
    })
}

/// The characters that count: title, description, field names and values, footer text and author name.
fn embed_size(embed: &Value) -> usize {
    let count = |value: &Value| value.as_str().map_or(0, length);
    let fields = embed["fields"].as_array().into_iter().flatten();
    count(&embed["title"])
        + count(&embed["description"])
        + count(&embed["footer"]["text"])
        + count(&embed["author"]["name"])
        + fields.map(|field| count(&field["name"]) + count(&field["value"])).sum::<usize>()
}
