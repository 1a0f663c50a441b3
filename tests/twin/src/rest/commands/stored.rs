//! Commands as Discord returns them: defaults filled in, empty fields omitted.

use serde_json::{Value, json};

use crate::limits::kind_of;
use crate::payload::APPLICATION_ID;

/// A command as stored. It has an id and a version only if the given command has them.
pub(crate) fn stored_command(command: &Value, guild: Option<u64>) -> Value {
    let mut stored = json!({
        "application_id": APPLICATION_ID.to_string(),
        "type": kind_of(command),
        "name": command["name"],
        "name_localizations": command["name_localizations"],
        "description": command["description"].as_str().unwrap_or_default(),
        "description_localizations": command["description_localizations"],
        "default_member_permissions": permissions(&command["default_member_permissions"]),
        "dm_permission": command["dm_permission"].as_bool().unwrap_or(true),
        "nsfw": command["nsfw"].as_bool().unwrap_or(false),
        "integration_types": or_default(&command["integration_types"], json!([0])),
        "contexts": command["contexts"],
    });
    for key in ["id", "version", "handler"] {
        if !command[key].is_null() {
            stored[key] = command[key].clone();
        }
    }
    if let Some(guild) = guild {
        stored["guild_id"] = json!(guild.to_string());
    }
    if let Some(options) = stored_list(&command["options"], stored_option) {
        stored["options"] = options;
    }
    stored
}

/// An option as stored: Discord omits `false` and empty lists, so that it differs from what was sent.
fn stored_option(option: &Value) -> Value {
    let mut stored = option.clone();
    let Some(fields) = stored.as_object_mut() else { return stored };
    fields.retain(|key, value| {
        let is_default = matches!(key.as_str(), "required" | "autocomplete") && *value != true;
        !is_default && (!value.is_null() || key.ends_with("_localizations"))
    });
    for key in ["options", "choices", "channel_types"] {
        fields.remove(key);
    }
    for (key, list) in [
        ("options", stored_list(&option["options"], stored_option)),
        ("choices", stored_list(&option["choices"], Value::clone)),
        ("channel_types", stored_list(&option["channel_types"], Value::clone)),
    ] {
        if let Some(list) = list {
            fields.insert(key.to_owned(), list);
        }
    }
    stored
}

fn stored_list(list: &Value, store: impl Fn(&Value) -> Value) -> Option<Value> {
    let entries = list.as_array().filter(|entries| !entries.is_empty())?;
    Some(entries.iter().map(store).collect())
}

fn or_default(value: &Value, default: Value) -> Value {
    if value.is_null() { default } else { value.clone() }
}

/// Permissions are returned as a string, whether sent as a string or as a number.
fn permissions(value: &Value) -> Value {
    value.as_u64().map_or_else(|| value.clone(), |bits| json!(bits.to_string()))
}

/// Whether two stored commands are equal apart from id and version.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    let bare = |command: &Value| {
        let mut command = command.clone();
        if let Some(fields) = command.as_object_mut() {
            fields.retain(|key, _| key != "id" && key != "version");
        }
        command
    };
    bare(one) == bare(other)
}

/// The command without its localisations, at every depth.
pub(crate) fn without_localizations(command: &Value) -> Value {
    match command {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| !key.ends_with("_localizations"));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_localizations(value))).collect())
        }
        Value::Array(entries) => entries.iter().map(without_localizations).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_filled_in_and_empty_fields_omitted() {
        let stored = stored_command(
            &json!({"name": "x", "description": "d", "default_member_permissions": 8, "options": [
                {"name": "o", "description": "d", "type": 3, "required": false, "choices": []},
            ]}),
            None,
        );
        assert_eq!(stored["type"], 1);
        assert_eq!(stored["default_member_permissions"], "8");
        assert_eq!(stored["options"], json!([{"name": "o", "description": "d", "type": 3}]));
        assert!(stored_command(&json!({"name": "x", "options": []}), None).get("options").is_none());
    }

    #[test]
    fn localisations_are_left_out_at_every_depth() {
        let command = json!({"name": "x", "name_localizations": {"de": "y"}, "options": [{"name_localizations": null, "name": "o"}]});
        assert_eq!(without_localizations(&command), json!({"name": "x", "options": [{"name": "o"}]}));
    }
}
