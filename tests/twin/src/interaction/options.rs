//! Options as an interaction carries them: typed values, nested below groups and subcommands.

use serde_json::{Value, json};

use crate::interaction::entity::Entity;

/// One option and its value.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) value: Value,
    pub(crate) focused: bool,
    /// What the value is the id of.
    pub(crate) entity: Option<Entity>,
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
        Given { name: name.to_owned(), kind, value, focused: false, entity: None }
    }

    /// An option of this type whose value is the id of this.
    pub(crate) fn entity(name: &str, kind: u64, entity: Entity) -> Given {
        let value = json!(entity.id().to_string());
        Given { kind, entity: Some(entity), ..Given::inferred(name, value) }
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
