//! The differences between two commands, field by field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value, json};

use crate::text::shortened_with;

/// The most characters shown of a value: a whole new option would fill the screen.
const SHOWN_MAX: usize = 120;

#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path of the field, using names of options: `options.title.max_length`.
    pub path: String,
    /// The value on Discord; `None` if absent.
    pub from: Option<Value>,
    /// The wanted value; `None` if absent.
    pub to: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} -> {}", self.path, shown(self.from.as_ref()), shown(self.to.as_ref()))
    }
}

/// Shows a value as JSON, so that it cannot be mistaken for the surrounding text.
fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    shortened_with(&value.to_string(), SHOWN_MAX, " …")
}

/// Returns every difference between two commands in reduced form.
pub(super) fn differences(from: &Value, to: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(from), Some(to), &mut found);
    found
}

fn compare(path: &str, from: Option<&Value>, to: Option<&Value>, found: &mut Vec<Difference>) {
    if from == to {
        return;
    }
    match (from, to) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for key in keys {
                compare(&below(path, key), before.get(key), after.get(key), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => match (named(before), named(after)) {
            (Some(before), Some(after)) => compare_named(path, &before, &after, found),
            _ => push(path, from, to, found),
        },
        _ => push(path, from, to, found),
    }
}

/// Compares lists of named items: by name, then by order.
fn compare_named(path: &str, before: &[(&str, &Value)], after: &[(&str, &Value)], found: &mut Vec<Difference>) {
    let old: BTreeMap<_, _> = before.iter().copied().collect();
    let new: BTreeMap<_, _> = after.iter().copied().collect();
    let added = after.iter().filter(|(name, _)| !old.contains_key(name));
    for (name, _) in before.iter().chain(added) {
        compare(&below(path, name), old.get(name).copied(), new.get(name).copied(), found);
    }
    let order = |list: &[(&str, &Value)]| -> Vec<String> {
        let stays = |name: &str| old.contains_key(name) && new.contains_key(name);
        list.iter().filter(|(name, _)| stays(name)).map(|(name, _)| (*name).to_owned()).collect()
    };
    let from = order(before);
    let to = order(after);
    if from != to {
        push(&below(path, "order"), Some(&json!(from)), Some(&json!(to)), found);
    }
}

/// Returns the items by name, if each has a unique one.
fn named(list: &[Value]) -> Option<Vec<(&str, &Value)>> {
    let named: Option<Vec<_>> = list.iter().map(|entry| Some((entry.get("name")?.as_str()?, entry))).collect();
    named.filter(|named| named.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len() == named.len())
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn push(path: &str, from: Option<&Value>, to: Option<&Value>, found: &mut Vec<Difference>) {
    found.push(Difference { path: path.to_owned(), from: from.cloned(), to: to.cloned() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_is_named_with_both_values() {
        let option = |name: &str, more: Value| {
            let mut option = json!({"name": name, "type": 3});
            option.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            option
        };
        let cases = [
            (json!({"description": "old"}), json!({"description": "new"}), vec![r#"description: "old" -> "new""#]),
            (json!({}), json!({"nsfw": true}), vec!["nsfw: nothing -> true"]),
            (
                json!({"name_localizations": {"de": "hilfe"}}),
                json!({"name_localizations": {"fr": "aide"}}),
                vec![r#"name_localizations.de: "hilfe" -> nothing"#, r#"name_localizations.fr: nothing -> "aide""#],
            ),
            (
                json!({"options": [option("a", json!({"max_length": 5})), option("b", json!({}))]}),
                json!({"options": [option("a", json!({"max_length": 6})), option("c", json!({}))]}),
                vec![
                    "options.a.max_length: 5 -> 6",
                    r#"options.b: {"name":"b","type":3} -> nothing"#,
                    r#"options.c: nothing -> {"name":"c","type":3}"#,
                ],
            ),
            (
                json!({"options": [option("a", json!({})), option("b", json!({}))]}),
                json!({"options": [option("b", json!({})), option("a", json!({}))]}),
                vec![r#"options.order: ["a","b"] -> ["b","a"]"#],
            ),
            (json!({"contexts": [0]}), json!({"contexts": [0, 1]}), vec!["contexts: [0] -> [0,1]"]),
        ];
        for (from, to, wanted) in cases {
            let shown: Vec<_> = differences(&from, &to).iter().map(Difference::to_string).collect();
            assert_eq!(shown, wanted);
        }
    }

    #[test]
    fn a_long_value_is_cut() {
        let shown = differences(&json!({}), &json!({"options": "ü".repeat(500)}))[0].to_string();
        assert!(shown.ends_with("ü …") && shown.chars().count() < 160, "{shown}");
    }
}
