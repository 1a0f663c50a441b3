//! Maps Discord's validation errors to lines of the manifest.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::{Command, CommandKind, Leaf, Subcommand, WrittenAt};

/// The known source positions of a command and its parts in a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManifestLines {
    /// By the names below the command: empty for the command itself, then group, subcommand, option.
    written: BTreeMap<Vec<String>, WrittenAt>,
}

impl ManifestLines {
    pub fn of(command: &Command) -> Self {
        let mut places = Self::default();
        places.add(&[], command.written_at.as_ref());
        match &command.kind {
            CommandKind::Leaf(leaf) => places.add_options(&[], leaf),
            CommandKind::Parent { subcommands, groups } => {
                places.add_subcommands(&[], subcommands);
                for group in groups {
                    places.add(&[&group.name], group.written_at.as_ref());
                    places.add_subcommands(&[&group.name], &group.subcommands);
                }
            }
        }
        places
    }

    fn add_subcommands(&mut self, above: &[&str], subcommands: &[Subcommand]) {
        for subcommand in subcommands {
            let path = [above, &[&subcommand.name]].concat();
            self.add(&path, subcommand.written_at.as_ref());
            self.add_options(&path, &subcommand.leaf);
        }
    }

    fn add_options(&mut self, above: &[&str], leaf: &Leaf) {
        for option in &leaf.options {
            self.add(&[above, &[&option.name]].concat(), option.written_at.as_ref());
        }
    }

    fn add(&mut self, path: &[&str], place: Option<&WrittenAt>) {
        if let Some(place) = place {
            self.written.insert(path.iter().map(|&name| name.to_owned()).collect(), place.clone());
        }
    }

    /// Returns the position of a part, or of its nearest known parent.
    fn nearest(&self, names: &[String]) -> Option<&WrittenAt> {
        (0..=names.len()).rev().find_map(|length| self.written.get(names.get(..length)?))
    }
}

/// Formats Discord's errors about a command, each with its source position: `modules/tasks/module.toml:12: description:
/// Must be between 1 and 100 in length.` List indexes are replaced by the names of the items.
pub fn complaints(errors: &Value, payload: &Value, places: &ManifestLines) -> Vec<String> {
    let mut found = Vec::new();
    walk(errors, Some(payload), &Way { places, names: Vec::new(), path: String::new() }, &mut found);
    found
}

struct Way<'a> {
    places: &'a ManifestLines,
    /// The names of options on the path from the command.
    names: Vec<String>,
    path: String,
}

impl Way<'_> {
    fn then(&self, step: &str, name: Option<&str>) -> Self {
        let mut names = self.names.clone();
        names.extend(name.map(str::to_owned));
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { places: self.places, names, path: format!("{}{dot}{step}", self.path) }
    }
}

fn walk(errors: &Value, at: Option<&Value>, way: &Way<'_>, found: &mut Vec<String>) {
    for (key, branch) in errors.as_object().into_iter().flatten() {
        if key == "_errors" {
            for error in branch.as_array().into_iter().flatten() {
                let message = error.get("message").and_then(Value::as_str).unwrap_or("refused without a reason");
                let parts = [way.places.nearest(&way.names).map(ToString::to_string), Some(way.path.clone())];
                let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
                found.push(parts.chain([message.to_owned()]).collect::<Vec<_>>().join(": "));
            }
            continue;
        }
        let entry = key.parse::<usize>().ok().and_then(|index| at?.get(index));
        let name = entry.and_then(|entry| entry.get("name")?.as_str());
        // A choice has a name but no type, and no source position.
        let is_option = entry.is_some_and(|entry| entry.get("type").is_some());
        let next = entry.or_else(|| at?.get(key));
        walk(branch, next, &way.then(name.unwrap_or(key), name.filter(|_| is_option)), found);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(known: &[(&[&str], usize)]) -> ManifestLines {
        let mut places = ManifestLines::default();
        for (path, line) in known {
            places.add(path, Some(&WrittenAt { file: "modules/tasks/module.toml".into(), line: *line }));
        }
        places
    }

    fn error(message: &str) -> Value {
        json!({"_errors": [{"code": "X", "message": message}]})
    }

    #[test]
    fn positions_become_names_and_lines() {
        let payload = json!({"type": 1, "name": "tasks", "options": [
            {"type": 1, "name": "list"},
            {"type": 1, "name": "add", "options": [
                {"type": 3, "name": "title"},
                {"type": 3, "name": "kind", "choices": [{"name": "one", "value": "1"}]}]}]});
        let places = places(&[(&[], 12), (&["add"], 15), (&["add", "title"], 19)]);
        let cases = [
            (json!({"description": error("Too long.")}), "modules/tasks/module.toml:12: description: Too long."),
            (error("Refused."), "modules/tasks/module.toml:12: Refused."),
            (
                json!({"options": {"1": {"options": {"0": {"max_length": error("Too big.")}}}}}),
                "modules/tasks/module.toml:19: options.add.options.title.max_length: Too big.",
            ),
            (
                json!({"options": {"1": {"options": {"1": {"choices": {"0": {"value": error("No.")}}}}}}}),
                "modules/tasks/module.toml:15: options.add.options.kind.choices.one.value: No.",
            ),
            (json!({"options": {"0": {"name": error("No.")}}}), "modules/tasks/module.toml:12: options.list.name: No."),
            (json!({"options": {"9": {"name": error("No.")}}}), "modules/tasks/module.toml:12: options.9.name: No."),
        ];
        for (errors, wanted) in cases {
            assert_eq!(complaints(&errors, &payload, &places), [wanted]);
        }
        assert_eq!(complaints(&json!({"name": error("No.")}), &payload, &ManifestLines::default()), ["name: No."]);
        assert_eq!(complaints(&json!("odd"), &payload, &places), [""; 0]);
    }
}
