//! The signature of an outside module's command: a JSON Schema built from its manifest or listed by its server.

use std::collections::BTreeMap;

use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::contract::check::outside::tool_schema::tool_schema;
use crate::contract::manifest::{WrittenLeaf, WrittenOption};
use crate::contract::outside::CONFIRM;
use crate::contract::signature::Signature;
use crate::contract::{entity, limits};
use crate::text::{first_characters, one_line};

pub(super) const DEFAULT_TYPE: &str = "string";

pub(super) fn of_options(options: &[WrittenOption]) -> Schema {
    let properties = options.iter().map(|option| (option.name.value.clone(), of_type(type_of(option)))).collect();
    let required = options.iter().filter(|option| option.required.as_ref().is_some_and(|required| required.value));
    let required = required.map(|option| Value::from(option.name.value.clone())).collect();
    of_properties(properties, required)
}

/// Builds the signature of a context-menu command: the object that it is used on.
pub(super) fn of_target(word: &str) -> Schema {
    let properties = Map::from_iter([(word.to_owned(), of_type(word))]);
    of_properties(properties, vec![Value::from(word)])
}

/// Builds the signature of a text or exec command.
pub(super) fn of_command(leaf: &WrittenLeaf, target: Option<&str>) -> Schema {
    target.map_or_else(|| of_options(&leaf.options), of_target)
}

/// Adds the option that confirms a command that asks first.
pub(super) fn with_confirm(signature: &Schema) -> Schema {
    let mut whole = signature.as_object().cloned().unwrap_or_default();
    let confirm = json!({ "type": "boolean", "description": "Run it without being asked first" });
    if let Some(Value::Object(properties)) = whole.get_mut("properties") {
        properties.insert(CONFIRM.to_owned(), confirm);
    }
    Schema::from(whole)
}

pub(super) fn has_property(signature: &Schema, name: &str) -> bool {
    signature.get("properties").is_some_and(|properties| properties.get(name).is_some())
}

/// A tool's arguments as options.
pub(super) struct ToolSignature {
    /// The server's schema, with names and descriptions that Discord accepts.
    pub(super) schema: Schema,
    /// The tool's argument name for each renamed option.
    pub(super) renamed: BTreeMap<String, String>,
    /// Optional arguments without a Discord option, each with the reason. They are never sent.
    pub(super) left_out: Vec<(String, String)>,
}

pub(super) fn of_tool(input_schema: &Value) -> ToolSignature {
    let mut whole = tool_schema(input_schema).as_object().cloned().unwrap_or_default();
    // For a tool without arguments, servers may omit even `type`.
    whole.entry("type").or_insert_with(|| Value::from("object"));
    let required: Vec<_> = strings(whole.get("required")).map(str::to_owned).collect();
    let read = Signature::read(&Schema::from(whole.clone()));
    let unsupported = |name: &str| read.unsupported.iter().find(|it| it.field.as_deref() == Some(name));
    let mut renamed = BTreeMap::new();
    let mut left_out = Vec::new();
    let mut properties = Map::new();
    if let Some(Value::Object(arguments)) = whole.remove("properties") {
        for (name, mut schema) in arguments {
            let is_required = required.contains(&name);
            let option = option_name(&name);
            let reason = match unsupported(&name) {
                Some(unsupported) => Some(unsupported.reason.clone()),
                None if properties.contains_key(&option) => {
                    Some(format!("would have the name `{option}` of another one"))
                }
                None => None,
            };
            if let Some(reason) = reason.filter(|_| !is_required) {
                left_out.push((name, reason));
                continue;
            }
            describe(&mut schema, &name);
            if properties.insert(option.clone(), schema).is_none() && option != name {
                renamed.insert(option, name);
            }
        }
    }
    whole.insert("properties".to_owned(), Value::Object(properties));
    whole.insert("required".to_owned(), required.iter().map(|name| option_name(name)).collect());
    ToolSignature { schema: Schema::from(whole), renamed, left_out }
}

/// Returns why a tool with this schema cannot be a command, or `None` if it can.
pub(super) fn why_no_command(input_schema: &Value) -> Option<String> {
    let Signature { parameters, unsupported } = Signature::read(&of_tool(input_schema).schema);
    if let Some(unsupported) = unsupported.first() {
        let field = unsupported.field.as_deref();
        let subject = field.map_or_else(|| "its input schema".to_owned(), |field| format!("its argument `{field}`"));
        return Some(format!("{subject} {}", unsupported.reason));
    }
    let long = parameters.iter().find(|parameter| !limits::is_name(&parameter.name));
    long.map(|parameter| format!("its argument `{}` has a name that Discord does not take", parameter.name)).or_else(
        || {
            (limits::OPTIONS_MAX < parameters.len())
                .then(|| format!("it takes {} arguments, and Discord takes {}", parameters.len(), limits::OPTIONS_MAX))
        },
    )
}

/// Converts an argument name to an option name: `maxResults` becomes `max_results`. Other characters that Discord
/// refuses become underscores.
pub(super) fn option_name(argument: &str) -> String {
    let mut name = String::with_capacity(argument.len());
    let mut after_lower = false;
    for character in argument.chars() {
        if character.is_uppercase() && after_lower {
            name.push('_');
        }
        after_lower = character.is_lowercase() || character.is_numeric();
        match character.is_alphanumeric() || character == '-' {
            true => name.extend(character.to_lowercase()),
            false => name.push('_'),
        }
    }
    name
}

/// Gives an argument a description that Discord accepts: its own, shortened, or its name.
fn describe(schema: &mut Value, name: &str) {
    let Value::Object(schema) = schema else { return };
    let own = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let line = one_line(own, limits::DESCRIPTION_LENGTH_MAX);
    let text = if line.is_empty() { name } else { first_characters(&line, limits::DESCRIPTION_LENGTH_MAX) };
    let text = text.to_owned();
    schema.insert("description".to_owned(), Value::from(text));
}

fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

pub(super) fn type_of(option: &WrittenOption) -> &str {
    option.kind.as_ref().map_or(DEFAULT_TYPE, |kind| &kind.value)
}

/// Returns the schema for a type. An unknown type is treated as text here; the check of the option reports it.
fn of_type(word: &str) -> Value {
    match word {
        "integer" | "number" | "boolean" => json!({ "type": word }),
        "user" | "channel" | "role" | "mentionable" | "attachment" | "message" => {
            json!({ "type": "object", entity::KEYWORD: word })
        }
        _ => json!({ "type": DEFAULT_TYPE }),
    }
}

fn of_properties(properties: Map<String, Value>, required: Vec<Value>) -> Schema {
    let whole = json!({ "type": "object", "properties": properties, "required": required });
    Schema::from(whole.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_names_and_descriptions_that_discord_takes() {
        let input = json!({
            "properties": {
                "maxResults": { "type": "integer" },
                "query": { "type": "string", "description": "What to look\nfor" },
                "tags": { "type": "array" },
            },
            "required": ["query"],
        });
        let ToolSignature { schema, renamed, left_out } = of_tool(&input);
        assert_eq!(left_out, [("tags".to_owned(), "is a list".to_owned())]);
        assert_eq!(renamed, BTreeMap::from([("max_results".to_owned(), "maxResults".to_owned())]));
        let schema = schema.as_value();
        assert_eq!(schema["properties"]["max_results"]["description"], "maxResults");
        assert_eq!(schema["properties"]["query"]["description"], "What to look for");
        assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["query"])));
        assert_eq!(schema["properties"].as_object().map(Map::len), Some(2));
        // Of two arguments that would have one name, the first in order is asked for.
        let twice = json!({ "properties": { "aB": { "type": "string" }, "a_b": { "type": "string" } } });
        let twice = of_tool(&twice);
        assert_eq!(twice.renamed, BTreeMap::from([("a_b".to_owned(), "aB".to_owned())]));
        assert_eq!(twice.left_out.first().map(|(name, _)| name.as_str()), Some("a_b"));
    }

    #[test]
    fn camels_have_no_humps_on_discord() {
        let cases = [
            ("query", "query"),
            ("maxResults", "max_results"),
            ("v2Name", "v2_name"),
            ("HTTPServer", "httpserver"),
            ("a.b c", "a_b_c"),
            ("a-b", "a-b"),
            ("größeÄ", "größe_ä"),
        ];
        for (argument, name) in cases {
            assert_eq!(option_name(argument), name);
        }
    }
}
