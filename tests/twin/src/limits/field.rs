//! Checks that many fields share: of texts, lists and objects.

use serde_json::Value;

use crate::rest::errors::{Path, Problems};

/// The length of a text in characters: Discord does not count bytes.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// The bounds of a text field.
pub(crate) struct Text {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) need: Need,
}

/// Whether a field is required.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Need {
    Required,
    Optional,
}

impl Text {
    pub(crate) fn required(min: usize, max: usize) -> Text {
        Text { min, max, need: Need::Required }
    }

    pub(crate) fn optional(max: usize) -> Text {
        Text { min: 0, max, need: Need::Optional }
    }

    /// Checks `parent[key]`. `path` is the path of `parent`.
    pub(crate) fn check(&self, problems: &mut Problems, path: &Path, parent: &Value, key: &str) {
        self.check_value(problems, &path.then(key), &parent[key]);
    }

    /// Checks the value at `path`.
    pub(crate) fn check_value(&self, problems: &mut Problems, path: &Path, value: &Value) {
        match value {
            Value::Null if self.need == Need::Optional => {}
            Value::Null => problems.required(path),
            Value::String(text) if text.is_empty() && self.min > 0 => problems.required(path),
            Value::String(text) if length(text) < self.min || length(text) > self.max => {
                bad_length(problems, path, self)
            }
            Value::String(_) => {}
            _ => problems.add(path, "STRING_TYPE_CONVERT", "Could not interpret the value as string."),
        }
    }
}

fn bad_length(problems: &mut Problems, path: &Path, bounds: &Text) {
    let Text { min, max, .. } = bounds;
    if *min > 0 {
        problems.add(path, "BASE_TYPE_BAD_LENGTH", format!("Must be between {min} and {max} in length."));
    } else {
        problems.add(path, "BASE_TYPE_MAX_LENGTH", format!("Must be {max} or fewer in length."));
    }
}

/// The list at `parent[key]`, empty if it is absent. Reports a wrong type and too many entries.
pub(crate) fn list<'a>(problems: &mut Problems, path: &Path, parent: &'a Value, key: &str, max: usize) -> &'a [Value] {
    let path = path.then(key);
    match &parent[key] {
        Value::Null => &[],
        Value::Array(entries) => {
            if entries.len() > max {
                too_many(problems, &path, max);
            }
            entries
        }
        _ => {
            problems.add(&path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
            &[]
        }
    }
}

pub(crate) fn too_many(problems: &mut Problems, path: &Path, max: usize) {
    problems.add(path, "BASE_TYPE_MAX_LENGTH", format!("Must be {max} or fewer in length."));
}

/// Whether the value is an object. Reports it if it is not.
pub(crate) fn is_object(problems: &mut Problems, path: &Path, value: &Value) -> bool {
    if !value.is_object() {
        problems.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
    }
    value.is_object()
}
