//! The options of an interaction: typed values, nested in groups and subcommands.

use serde_json::{Value, json};

use crate::interaction::entity::Entity;

/// An option with its value.
#[derive(Clone, Debug)]
pub(crate) struct OptionValue {
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) value: Value,
    pub(crate) focused: bool,
    /// The object whose id the value is.
    pub(crate) entity: Option<Entity>,
}

impl OptionValue {
    /// An option whose type follows from the JSON value.
    pub(crate) fn inferred(name: &str, value: Value) -> OptionValue {
        let kind = match &value {
            Value::Bool(_) => 5,
            Value::Number(number) if number.is_f64() => 10,
            Value::Number(_) => 4,
            _ => 3,
        };
        OptionValue { name: name.to_owned(), kind, value, focused: false, entity: None }
    }

    /// An option of this type whose value is the id of this object.
    pub(crate) fn entity(name: &str, kind: u64, entity: Entity) -> OptionValue {
        let value = json!(entity.id().to_string());
        OptionValue { kind, entity: Some(entity), ..OptionValue::inferred(name, value) }
    }

    fn payload(&self) -> Value {
        let mut option = json!({"name": self.name, "type": self.kind, "value": self.value});
        if self.focused {
            option["focused"] = json!(true);
        }
        option
    }
}

/// The `options` list. Of two subcommands, the first is the group.
pub(crate) fn nested(subcommands: &[String], options: &[OptionValue]) -> Value {
    let mut inner: Vec<Value> = options.iter().map(OptionValue::payload).collect();
    for (height, name) in subcommands.iter().rev().enumerate() {
        inner = vec![json!({"name": name, "type": height + 1, "options": inner})];
    }
    Value::Array(inner)
}

/// The value in the option's type, or the text as typed if it does not parse.
pub(crate) fn typed_value(kind: u64, text: &str) -> Value {
    let parsed = match kind {
        4 => text.parse::<i64>().ok().map(Value::from),
        5 => text.parse::<bool>().ok().map(Value::from),
        10 => text.parse::<f64>().ok().map(Value::from),
        _ => None,
    };
    let id = text.trim_matches(['<', '@', '!', '&', '#', '>']);
    parsed.unwrap_or_else(|| Value::from(if matches!(kind, 6..=9) { id } else { text }))
}
