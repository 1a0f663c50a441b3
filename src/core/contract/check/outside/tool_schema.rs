//! Converts an MCP tool's input schema to the keywords that handler schemas use.
//!
//! An MCP server checks its arguments itself and answers invalid ones with an error. Keywords without a Discord
//! equivalent (`pattern`, `format`, `multipleOf`) are therefore dropped. For a native handler they would be an error,
//! because nothing else enforces them.

use std::ops::RangeInclusive;

use schemars::Schema;
use serde_json::{Map, Value, json};

use crate::contract::limits;

/// The keywords kept in a parameter: those that the signature understands, and those that change which types fit and
/// cannot be left to the server. The entity keyword is excluded: a server cannot ask for a Discord object.
const KEPT: [&str; 14] = [
    "type",
    "title",
    "description",
    "default",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
];
/// The keywords kept at the top level of the schema.
const KEPT_OF_THE_WHOLE: [&str; 8] = ["type", "properties", "required", "title", "anyOf", "oneOf", "allOf", "not"];
/// The allowed length of a choice's value.
const CHOICE_LENGTH: RangeInclusive<usize> = 1..=limits::CHOICE_VALUE_LENGTH_MAX;
/// The most `$ref` steps followed for one schema.
const REFERENCES_MAX: usize = 8;

/// Converts a tool's input schema to a handler signature. Lists and structures are kept: the check reports them as
/// unsupported.
pub(super) fn tool_schema(input: &Value) -> Schema {
    let whole = input.as_object().cloned().unwrap_or_default();
    let mut kept: Map<_, _> =
        whole.iter().filter(|(word, _)| KEPT_OF_THE_WHOLE.contains(&word.as_str())).map(clone).collect();
    if let Some(Value::Object(properties)) = kept.get_mut("properties") {
        for parameter in properties.values_mut() {
            *parameter = Value::Object(of_parameter(parameter, &whole));
        }
    }
    Schema::from(kept)
}

fn clone((word, value): (&String, &Value)) -> (String, Value) {
    (word.clone(), value.clone())
}

fn of_parameter(parameter: &Value, whole: &Map<String, Value>) -> Map<String, Value> {
    let mut known = resolved(parameter, whole);
    // Some generators wrap one `$ref` in `allOf` to put a description beside it, or combine two parts.
    if let Some(Value::Array(all)) = known.get("allOf").cloned() {
        let parts: Vec<_> = all.iter().map(|part| resolved(part, whole)).collect();
        let words = || parts.iter().flatten().map(|(word, _)| word);
        // If two parts have the same keyword, `allOf` stays, and the check reports it.
        if words().all(|word| words().filter(|other| *other == word).count() == 1) {
            known.remove("allOf");
            known = parts.into_iter().flatten().chain(known).collect();
        }
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(variants)) = known.get_mut(word) {
            for variant in variants {
                *variant = Value::Object(within(resolved(variant, whole)));
            }
        }
    }
    // A `null` variant only marks the parameter as optional, in `oneOf` as in `anyOf`.
    if let Some(Value::Array(variants)) = known.get("oneOf").cloned()
        && variants.iter().any(|variant| variant["type"] == "null")
    {
        known.remove("oneOf");
        known.insert("anyOf".to_owned(), Value::Array(variants));
    }
    within(known)
}

/// Keeps the known keywords, after converting equivalent forms of bounds and types.
fn within(mut known: Map<String, Value>) -> Map<String, Value> {
    let is_integer = known.get("type").is_some_and(|name| *name == "integer" || *name == json!(["integer", "null"]));
    for (exclusive, inclusive, step) in [("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)] {
        let Some(bound) = known.get(exclusive).filter(|bound| bound.is_number()).cloned() else { continue };
        // A fractional bound becomes inclusive; the server rejects the bound itself.
        let bound = match bound.as_i64().filter(|_| is_integer) {
            Some(bound) => Value::from(bound.saturating_add(step)),
            None => bound,
        };
        known.entry(inclusive).or_insert(bound);
    }
    let values: Vec<_> = match known.get("enum") {
        Some(Value::Array(values)) => values.iter().filter(|value| !value.is_null()).collect(),
        _ => known.get("const").into_iter().collect(),
    };
    let is_of = |is: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| is(value));
    let of_values = [("string", Value::is_string as fn(&Value) -> bool), ("integer", Value::is_i64)];
    let of_values = of_values.into_iter().find(|(_, is)| is_of(*is)).map(|(name, _)| name);
    // Values that exceed Discord's limits for choices become free text; the server checks them.
    let too_long = |value: &&Value| value.as_str().is_some_and(|text| !CHOICE_LENGTH.contains(&text.chars().count()));
    let is_too_much = limits::CHOICES_MAX < values.len() || values.iter().any(too_long);
    if let Some(name) = of_values {
        known.entry("type").or_insert_with(|| name.into());
        if is_too_much {
            known.retain(|word, _| word != "enum" && word != "const");
        }
    }
    known.retain(|word, _| KEPT.contains(&word.as_str()));
    known
}

/// Resolves `$ref`. The schema's own keywords take precedence over those of the definition.
fn resolved(schema: &Value, whole: &Map<String, Value>) -> Map<String, Value> {
    let mut known = schema.as_object().cloned().unwrap_or_default();
    for _ in 0..REFERENCES_MAX {
        let Some(Value::String(reference)) = known.remove("$ref") else { break };
        let path = reference.strip_prefix("#/").map(|path| path.split_once('/'));
        let Some(Some((section @ ("$defs" | "definitions"), name))) = path else { break };
        let Some(Value::Object(definition)) = whole.get(section).and_then(|names| names.get(name)) else { break };
        known = definition.clone().into_iter().chain(known).collect();
    }
    known
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::tool_schema;
    use crate::contract::signature::Signature;
    use crate::contract::spec::OptionKind;

    /// The parameters with their kinds in short, and what cannot be offered with its reason.
    fn read(input: &Value) -> (Vec<String>, Vec<String>) {
        let Signature { parameters, unsupported } = Signature::read(&tool_schema(input));
        let kind = |kind: &OptionKind| match kind {
            OptionKind::String { min_length, max_length, choices } => {
                let values: Vec<_> = choices.iter().map(|choice| choice.value.as_str()).collect();
                format!("string {min_length:?} {max_length:?} {values:?}")
            }
            OptionKind::Integer { min, max, .. } => format!("integer {min:?} {max:?}"),
            OptionKind::Number { min, max, .. } => format!("number {min:?} {max:?}"),
            OptionKind::Boolean => "boolean".to_owned(),
            other => format!("{other:?}"),
        };
        let parameters = parameters.iter().map(|parameter| {
            let mark = if parameter.required { "" } else { "?" };
            format!("{}{mark}: {}", parameter.name, kind(&parameter.kind))
        });
        let reason = |field: Option<String>, reason: String| format!("{}: {reason}", field.unwrap_or_default());
        (parameters.collect(), unsupported.into_iter().map(|it| reason(it.field, it.reason)).collect())
    }

    #[test]
    fn ordinary_schemas_are_options() {
        let input = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "forecastArguments",
            "description": "What forecast takes",
            "type": "object",
            "additionalProperties": false,
            "$defs": {
                "Unit": { "type": "string", "enum": ["c", "f"], "title": "Unit" },
                "Same": { "$ref": "#/$defs/Unit" },
            },
            "properties": {
                "city": { "type": "string", "minLength": 1, "pattern": "^[A-Z]" },
                "site": { "type": "string", "format": "uri" },
                "days": { "type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 8, "default": 3 },
                "step": { "type": "integer", "minimum": 2, "maximum": 6, "multipleOf": 2 },
                "height": { "type": "number", "exclusiveMinimum": 0.5, "maximum": 2 },
                "long": { "type": "boolean", "default": false },
                "note": { "anyOf": [{ "type": "string", "format": "date" }, { "type": "null" }], "default": null },
                "other": { "oneOf": [{ "type": "string" }, { "type": "null" }] },
                "unit": { "$ref": "#/$defs/Unit", "description": "Which unit" },
                "again": { "allOf": [{ "$ref": "#/$defs/Same" }], "default": "c" },
                "perhaps": { "anyOf": [{ "$ref": "#/$defs/Unit" }, { "type": "null" }] },
                "plain": { "enum": ["a", "b", null] },
                "count": { "type": ["integer", "null"], "exclusiveMinimum": 0 },
                "titled": { "oneOf": [{ "const": "a", "title": "First" }, { "const": "b" }] },
                "bounded": { "allOf": [{ "type": "string" }, { "minLength": 2 }] },
                "many": { "enum": (0..30).map(|n| n.to_string()).collect::<Vec<_>>() },
            },
            "required": ["city", "unit"],
        });
        let expected = [
            "city: string Some(1) None []",
            "site?: string None None []",
            "days?: integer Some(1) Some(7)",
            "step?: integer Some(2) Some(6)",
            "height?: number Some(0.5) Some(2.0)",
            "long?: boolean",
            "note?: string None None []",
            "other?: string None None []",
            "unit: string None None [\"c\", \"f\"]",
            "again?: string None None [\"c\", \"f\"]",
            "perhaps?: string None None [\"c\", \"f\"]",
            "plain?: string None None [\"a\", \"b\"]",
            "count?: integer Some(1) Some(9007199254740991)",
            "titled?: string None None [\"a\", \"b\"]",
            "bounded?: string Some(2) None []",
            "many?: string None None []",
        ];
        let (mut parameters, unsupported) = read(&input);
        // serde_json keeps the order of the file only where a feature of it is on.
        parameters.sort_unstable();
        let mut expected = expected.map(str::to_owned);
        expected.sort_unstable();
        assert_eq!((parameters, unsupported), (expected.to_vec(), Vec::new()));
    }

    #[test]
    fn what_people_cannot_be_offered_is_named() {
        let cases = [
            (json!({ "type": "array", "items": { "type": "string" } }), "is a list"),
            (json!({ "type": "object" }), "is a structure of its own"),
            (json!({}), "may be of more than one type"),
            (json!({ "type": ["string", "integer"] }), "may be of more than one type"),
            (json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }), "may be of more than one type"),
            (
                json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }] }),
                "has variants that are more than a name",
            ),
            (json!({ "type": "string", "not": { "const": "x" } }), "is restricted by `not`"),
            (json!({ "$ref": "#/$defs/Missing" }), "may be of more than one type"),
            (json!({ "$ref": "https://example.org/schema" }), "may be of more than one type"),
            (json!({ "$ref": "#/$defs/Circle" }), "may be of more than one type"),
            // What a person points at is handed to a server only by a manifest.
            (json!({ "type": "object", "x-candor-entity": "user" }), "is a structure of its own"),
        ];
        for (parameter, reason) in cases {
            let input = json!({
                "type": "object",
                "properties": { "it": parameter },
                "$defs": { "Circle": { "$ref": "#/$defs/Circle" } },
            });
            assert_eq!(read(&input), (Vec::new(), vec![format!("it: {reason}")]), "{input}");
        }
    }

    #[test]
    fn a_whole_that_is_no_plain_object_is_refused() {
        for input in [json!([]), json!({ "type": "array" }), json!({ "properties": {} })] {
            assert_eq!(read(&input), (Vec::new(), vec![": is not a struct with named fields".to_owned()]), "{input}");
        }
        let either = json!({ "type": "object", "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] });
        assert_eq!(read(&either), (Vec::new(), vec![": is restricted by `anyOf`".to_owned()]));
        assert_eq!(read(&json!({ "type": "object" })), (Vec::new(), Vec::new()));
    }
}
