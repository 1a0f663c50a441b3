//! JSON Schemas of tool arguments: the whole one that calls are checked against, and the short one shown to a model.

use serde_json::{Map, Value, json};

use crate::contract::{Choice, OptionKind, OptionSpec};

/// Bounds beyond this only repeat the range of a number type: 2^32 - 1, the largest value of Rust's `u32`.
const FAR: f64 = 4_294_967_295.0;

/// Builds the JSON Schema of a command's arguments as in force: the handler's signature, narrowed by the manifest.
/// Users, channels, roles and files are left out, because a model cannot name any.
pub(super) fn schema(options: &[OptionSpec]) -> Value {
    let options: Vec<_> = options.iter().filter(|option| !option.kind.is_entity()).collect();
    let properties: Map<_, _> = options.iter().map(|option| (option.name.clone(), property(option))).collect();
    let required: Vec<_> = options.iter().filter(|option| option.required).map(|option| &option.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// Shortens the schema for the model: without optional arguments that are not `is_listed`, without descriptions unless
/// `is_described`, and without bounds that exclude nothing.
pub(super) fn shown(schema: &Value, is_described: bool, is_listed: impl Fn(&str) -> bool) -> Value {
    let mut shown = schema.clone();
    let Some(object) = shown.as_object_mut() else { return shown };
    object.remove("additionalProperties");
    let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if required.is_empty() {
        object.remove("required");
    }
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| is_listed(name) || required.iter().any(|known| known == name));
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.retain(|key, value| match key.as_str() {
                "minLength" | "maxLength" => false,
                "minimum" => value.as_f64().is_some_and(|bound| 1.0 < bound || -FAR < bound && bound < 0.0),
                "maximum" => value.as_f64().is_some_and(|bound| bound < FAR),
                "description" => !is_described,
                _ => true,
            });
        }
    }
    shown
}

/// Returns the types that a schema allows, including its alternatives.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    let alternatives = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    let all = std::iter::once(schema).chain(alternatives).filter_map(|schema| schema.get("type"));
    let types = all.flat_map(|types| match types {
        Value::Array(types) => types.as_slice(),
        one => std::slice::from_ref(one),
    });
    types.filter_map(Value::as_str).collect()
}

/// Parses a text as a value of one of these types.
pub(super) fn read_as(text: &str, types: &[&str]) -> Option<Value> {
    let text = text.trim();
    let value: Value = match text.to_lowercase().as_str() {
        word @ ("true" | "false") => Value::Bool(word == "true"),
        _ => serde_json::from_str(text).ok()?,
    };
    let is_of = |kind: &&str| match *kind {
        "integer" | "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    };
    types.iter().any(is_of).then_some(value)
}

fn property(option: &OptionSpec) -> Value {
    let mut property = Map::new();
    let kind = match &option.kind {
        OptionKind::String { min_length, max_length, choices } => {
            set(&mut property, "minLength", *min_length);
            set(&mut property, "maxLength", *max_length);
            set(&mut property, "enum", values(choices));
            "string"
        }
        OptionKind::Integer { min, max, choices } => {
            set(&mut property, "minimum", *min);
            set(&mut property, "maximum", *max);
            set(&mut property, "enum", values(choices));
            "integer"
        }
        OptionKind::Number { min, max, choices } => {
            set(&mut property, "minimum", *min);
            set(&mut property, "maximum", *max);
            set(&mut property, "enum", values(choices));
            "number"
        }
        OptionKind::Boolean => "boolean",
        OptionKind::User
        | OptionKind::Channel { .. }
        | OptionKind::Role
        | OptionKind::Mentionable
        | OptionKind::Attachment
        | OptionKind::Message => "object",
    };
    property.insert("type".to_owned(), kind.into());
    property.insert("description".to_owned(), option.description.as_str().into());
    Value::Object(property)
}

/// Returns the allowed values, if they are limited.
fn values<V: Clone + Into<Value>>(choices: &[Choice<V>]) -> Option<Vec<Value>> {
    let values: Vec<_> = choices.iter().map(|choice| choice.value.clone().into()).collect();
    (!values.is_empty()).then_some(values)
}

fn set<T: Into<Value>>(property: &mut Map<String, Value>, key: &str, value: Option<T>) {
    if let Some(value) = value {
        property.insert(key.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_a_type_that_the_schema_allows() {
        let cases = [
            (json!({"type": "integer"}), " 7 ", Some(json!(7))),
            (json!({"type": "boolean"}), "True", Some(json!(true))),
            (json!({"type": ["integer", "null"]}), "null", Some(json!(null))),
            (json!({"anyOf": [{"type": "array"}, {"type": "null"}]}), "[1, 2]", Some(json!([1, 2]))),
            (json!({"type": "object"}), "{\"a\": \"True\"}", Some(json!({"a": "True"}))),
            (json!({"type": "object"}), "[1]", None),
            (json!({"type": "integer"}), "seven", None),
            (json!({"enum": ["a"]}), "1", None),
        ];
        for (schema, text, expected) in cases {
            assert_eq!(read_as(text, &types(&schema)), expected, "{schema}: {text}");
        }
    }
}
