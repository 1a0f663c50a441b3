//! Reads a handler's signature: converts the JSON Schema of its arguments to Discord options.
//!
//! Reading is strict. A field with an unknown keyword is unsupported, because nothing would enforce that keyword before
//! the handler runs.

#[cfg(test)]
mod tests;

use schemars::Schema;
use serde_json::{Map, Value};

use crate::contract::spec::{Choice, OptionKind};
use crate::contract::{entity, limits};

/// Keywords that describe without restricting.
const ANNOTATIONS: [&str; 7] = ["$schema", "title", "description", "default", "deprecated", "examples", "$comment"];
/// Keywords at the top level. Unknown arguments never reach a handler, so any `additionalProperties` is allowed.
const OF_THE_WHOLE: [&str; 5] = ["type", "properties", "required", "additionalProperties", "$defs"];

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Signature {
    /// The parameters with a Discord option type, in the order of the struct's fields.
    pub(crate) parameters: Vec<Parameter>,
    /// The other parameters.
    pub(crate) unsupported: Vec<Unsupported>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) kind: OptionKind,
    pub(crate) required: bool,
}

/// A parameter that is not a text, integer, number, boolean or entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unsupported {
    /// The field; `None` for the arguments as a whole.
    pub(crate) field: Option<String>,
    /// The reason, to follow the field's name: "is a list".
    pub(crate) reason: String,
}

impl Signature {
    pub(crate) fn read(schema: &Schema) -> Self {
        match fields(schema) {
            Ok(fields) => fields,
            Err(reason) => Self { unsupported: vec![Unsupported { field: None, reason }], ..Self::default() },
        }
    }

    /// Returns whether there is a field with that name, supported or not.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.name == name)
            || self.unsupported.iter().any(|unsupported| unsupported.field.as_deref() == Some(name))
    }
}

fn fields(schema: &Schema) -> Result<Signature, String> {
    let is_struct = |whole: &&Map<String, Value>| whole.get("type").is_some_and(|name| name == "object");
    let whole = schema.as_object().filter(is_struct).ok_or("is not a struct with named fields")?;
    only(whole, &OF_THE_WHOLE)?;
    let required: Vec<_> =
        whole.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut signature = Signature::default();
    for (name, field) in whole.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let field = field.as_object().map(without_null).unwrap_or_default();
        match kind(&field) {
            Ok(kind) => signature.parameters.push(Parameter {
                name: name.clone(),
                description: description(&field),
                kind,
                required: required.contains(&name.as_str()),
            }),
            Err(reason) => signature.unsupported.push(Unsupported { field: Some(name.clone()), reason }),
        }
    }
    Ok(signature)
}

/// Reduces the schema of `Option<T>` to that of `T`: an optional parameter is omitted, not null.
fn without_null(field: &Map<String, Value>) -> Map<String, Value> {
    let mut field = field.clone();
    let is_null = |schema: &Value| schema.get("type").and_then(Value::as_str) == Some("null");
    if let Some(Value::Array(any)) = field.get("anyOf") {
        let mut rest = any.iter().filter(|schema| !is_null(schema));
        if let (Some(Value::Object(inner)), None) = (rest.next(), rest.next()) {
            let inner = inner.clone();
            field.remove("anyOf");
            // The field's own description wins over its type's.
            field = inner.into_iter().chain(field).collect();
        }
    }
    if let Some(Value::Array(types)) = field.get("type") {
        let mut rest = types.iter().filter(|name| *name != "null");
        if let (Some(only), None) = (rest.next(), rest.next()) {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = field.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    field
}

fn kind(field: &Map<String, Value>) -> Result<OptionKind, String> {
    if let Some(word) = field.get(entity::KEYWORD) {
        return entity(field, word);
    }
    match field.get("type").and_then(Value::as_str) {
        Some("string") => text(field),
        Some("integer") => integer(field),
        Some("number") => number(field),
        Some("boolean") => only(field, &["type"]).map(|()| OptionKind::Boolean),
        Some("array") => Err("is a list".to_owned()),
        Some("object") => Err("is a structure of its own".to_owned()),
        Some("null") => Err("can only be null".to_owned()),
        Some(other) => Err(format!("is of the type `{other}`")),
        None if field.contains_key("oneOf") => variants(field),
        None => Err("may be of more than one type".to_owned()),
    }
}

fn entity(field: &Map<String, Value>, word: &Value) -> Result<OptionKind, String> {
    only(field, &["type", entity::KEYWORD])?;
    match word.as_str() {
        Some("user") => Ok(OptionKind::User),
        Some("channel") => Ok(OptionKind::Channel { types: Vec::new() }),
        Some("role") => Ok(OptionKind::Role),
        Some("mentionable") => Ok(OptionKind::Mentionable),
        Some("attachment") => Ok(OptionKind::Attachment),
        Some("message") => Ok(OptionKind::Message),
        _ => Err(format!("points at `{word}`, which is unknown")),
    }
}

fn text(field: &Map<String, Value>) -> Result<OptionKind, String> {
    only(field, &["type", "enum", "const", "minLength", "maxLength"])?;
    let length =
        |keyword| field.get(keyword).and_then(Value::as_u64).map(|length| u16::try_from(length).unwrap_or(u16::MAX));
    let longest = u16::try_from(*limits::MAX_LENGTH.end()).unwrap_or(u16::MAX);
    let min_length = length("minLength");
    let max_length = length("maxLength").map(|max| max.min(longest));
    if longest < min_length.unwrap_or(0) {
        return Err(format!("must be longer than the {longest} characters that Discord accepts"));
    }
    if max_length.is_some_and(|max| max < min_length.unwrap_or(0).max(1)) {
        return Err("leaves no length that a text may have".to_owned());
    }
    Ok(OptionKind::String { min_length, max_length, choices: choices(field, text_of)? })
}

/// Reads an enum whose variants have doc comments: each variant is a separate schema.
fn variants(field: &Map<String, Value>) -> Result<OptionKind, String> {
    only(field, &["oneOf"])?;
    let mut texts = Vec::new();
    let mut numbers = Vec::new();
    for variant in field.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
        let strange = || "has variants that are more than a name".to_owned();
        let variant = variant.as_object().ok_or_else(strange)?;
        // A variant without a fixed value cannot be a choice.
        if !variant.contains_key("enum") && !variant.contains_key("const") {
            return Err(strange());
        }
        match variant.get("type").and_then(Value::as_str) {
            Some("string") => {
                only(variant, &["type", "enum", "const"])?;
                texts.append(&mut choices(variant, text_of)?);
            }
            Some("integer") => {
                only(variant, &["type", "enum", "const"])?;
                numbers.append(&mut choices(variant, whole_of)?);
            }
            _ => return Err(strange()),
        }
    }
    match (texts.is_empty(), numbers.is_empty()) {
        (_, true) => Ok(OptionKind::String { min_length: None, max_length: None, choices: texts }),
        (true, false) => {
            let min = Some(*limits::INTEGER.start());
            let max = Some(*limits::INTEGER.end());
            Ok(OptionKind::Integer { min, max, choices: numbers })
        }
        (false, false) => Err("may be of more than one type".to_owned()),
    }
}

/// Returns the only values that a schema allows; empty if it allows any.
fn choices<V: ToString>(
    schema: &Map<String, Value>,
    read: fn(&Value) -> Result<V, String>,
) -> Result<Vec<Choice<V>>, String> {
    let several = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let values = several.chain(schema.get("const")).map(read);
    values.map(|value| value.map(|value| Choice::new(value.to_string(), value))).collect()
}

fn text_of(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("may be `{value}`, which is not a text"))
}

fn whole_of(value: &Value) -> Result<i64, String> {
    let fitting = value.as_i64().filter(|number| limits::INTEGER.contains(number));
    fitting.ok_or_else(|| format!("may be `{value}`, which is not a whole number that Discord accepts"))
}

fn number_of(value: &Value) -> Result<f64, String> {
    let fitting = value.as_f64().filter(|number| limits::NUMBER.contains(number));
    fitting.ok_or_else(|| format!("may be `{value}`, which is not a number that Discord accepts"))
}

fn integer(field: &Map<String, Value>) -> Result<OptionKind, String> {
    only(field, &["type", "format", "minimum", "maximum", "enum", "const"])?;
    // Schemas of 8-bit, 16-bit and unsigned integers state their bounds; the others imply them by their format.
    let (lowest, highest) = match field.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        Some("uint64" | "uint128" | "uint") => (0, *limits::INTEGER.end()),
        None | Some("int8" | "int16" | "uint8" | "uint16" | "int64" | "int128" | "int") => {
            (*limits::INTEGER.start(), *limits::INTEGER.end())
        }
        Some(other) => return Err(format!("has the form `{other}`")),
    };
    let stated = |keyword, round: fn(f64) -> f64| {
        let value: &Value = field.get(keyword)?;
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and the bounds are clamped below")]
        value.as_i64().or_else(|| value.as_f64().map(|number| round(number) as i64))
    };
    let min = stated("minimum", f64::ceil).map_or(lowest, |min| min.max(lowest));
    let max = stated("maximum", f64::floor).map_or(highest, |max| max.min(highest));
    if max < min {
        return Err("leaves no number that it may be".to_owned());
    }
    Ok(OptionKind::Integer { min: Some(min), max: Some(max), choices: choices(field, whole_of)? })
}

fn number(field: &Map<String, Value>) -> Result<OptionKind, String> {
    only(field, &["type", "format", "minimum", "maximum", "enum", "const"])?;
    if let Some(other) = field.get("format").and_then(Value::as_str).filter(|name| !matches!(*name, "float" | "double"))
    {
        return Err(format!("has the form `{other}`"));
    }
    let stated = |keyword| field.get(keyword).and_then(Value::as_f64);
    let min = stated("minimum").unwrap_or(f64::MIN).max(*limits::NUMBER.start());
    let max = stated("maximum").unwrap_or(f64::MAX).min(*limits::NUMBER.end());
    if max < min {
        return Err("leaves no number that it may be".to_owned());
    }
    Ok(OptionKind::Number { min: Some(min), max: Some(max), choices: choices(field, number_of)? })
}

fn only(schema: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match schema.keys().find(|keyword| !known.contains(&keyword.as_str()) && !ANNOTATIONS.contains(&keyword.as_str())) {
        Some(keyword) => Err(format!("is restricted by `{keyword}`")),
        None => Ok(()),
    }
}

/// Returns the description on one line, because doc comments may be wrapped.
fn description(field: &Map<String, Value>) -> Option<String> {
    let words: Vec<_> = field.get("description")?.as_str()?.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}
