//! Options as an interaction carries them: typed values, nested below groups and subcommands.

use crate::payload;
use serde_json::{Map, Value, json};

/// One option and its value.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) value: Value,
    pub(crate) focused: bool,
}

impl Given {
    /// Takes the option type that Discord has for such a JSON value.
    pub(crate) fn inferred(name: &str, value: Value) -> Given {
        let kind = match &value {
            Value::Bool(_) => 5,
            Value::Number(number) if number.is_f64() => 10,
            Value::Number(_) => 4,
            _ => 3,
        };
        Given { name: name.to_owned(), kind, value, focused: false }
    }

    fn payload(&self) -> Value {
        let mut option = json!({"name": self.name, "type": self.kind, "value": self.value});
        if self.focused {
            option["focused"] = json!(true);
        }
        option
    }
}

/// The `options` list. With two steps the first is a group.
pub(crate) fn nested(steps: &[String], options: &[Given]) -> Value {
    let mut inner: Vec<Value> = options.iter().map(Given::payload).collect();
    for (height, step) in steps.iter().rev().enumerate() {
        inner = vec![json!({"name": step, "type": height + 1, "options": inner})];
    }
    Value::Array(inner)
}

/// The objects behind ids among the values.
pub(crate) fn resolved(options: &[Given]) -> Value {
    let mut found = Map::new();
    let mut add = |list: &str, id: &str, object: Value| {
        found.entry(list).or_insert_with(|| json!({}))[id] = object;
    };
    for option in options {
        let Some(id) = option.value.as_str() else { continue };
        let number = id.parse().unwrap_or(0);
        match option.kind {
            6 => {
                add("users", id, payload::user(number, number == payload::BOT_ID));
                add("members", id, payload::member(number));
            }
            7 => {
                let mut channel = payload::channel(number);
                channel["permissions"] = json!(i64::MAX.to_string());
                add("channels", id, channel);
            }
            8 => add("roles", id, payload::role(number)),
            _ => {}
        }
    }
    Value::Object(found)
}
