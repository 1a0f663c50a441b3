//! Completes an option with the fields that poise lacks: bounds, lengths and choices with values.

use serde_json::{Map, Value, json};

use crate::registration::payload::localized;
use candor_core::contract::{Choice, Leaf, OptionKind, OptionSpec};

/// Completes the options of a callable command. Both lists have the same order.
pub(crate) fn complete(fields: &mut Map<String, Value>, leaf: &Leaf) {
    for (entry, option) in entries(fields).zip(&leaf.options) {
        entry.extend(additions(option));
    }
}

/// Returns the options of a payload, or its subcommands and groups.
pub(crate) fn entries(fields: &mut Map<String, Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    fields.get_mut("options").and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn additions(option: &OptionSpec) -> Vec<(String, Value)> {
    let (bounds, choices) = match &option.kind {
        OptionKind::String { min_length, max_length, choices } => (
            [("min_length", min_length.map(Value::from)), ("max_length", max_length.map(Value::from))],
            listed(choices),
        ),
        OptionKind::Integer { min, max, choices } => (between(*min, *max), listed(choices)),
        OptionKind::Number { min, max, choices } => (between(*min, *max), listed(choices)),
        OptionKind::Boolean
        | OptionKind::User
        | OptionKind::Channel { .. }
        | OptionKind::Role
        | OptionKind::Mentionable
        | OptionKind::Attachment
        | OptionKind::Message => return Vec::new(),
    };
    let fields = bounds.into_iter().chain([("choices", (!choices.is_empty()).then_some(Value::Array(choices)))]);
    fields.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn between<N: Into<Value>>(min: Option<N>, max: Option<N>) -> [(&'static str, Option<Value>); 2] {
    [("min_value", min.map(Into::into)), ("max_value", max.map(Into::into))]
}

fn listed<V: Clone + Into<Value>>(choices: &[Choice<V>]) -> Vec<Value> {
    let listed = choices.iter().map(|choice| {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), json!(choice.name));
        fields.insert("value".to_owned(), choice.value.clone().into());
        localized::insert(&mut fields, "name_localizations", &choice.name, &choice.names);
        Value::Object(fields)
    });
    listed.collect()
}
