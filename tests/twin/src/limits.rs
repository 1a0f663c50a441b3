//! The limits that Discord documents, as checks over request bodies.
//!
//! The code (50035 and others) and the path in the tree are documented or were seen in the field. The inner codes are
//! a best effort where Discord documents none: rely on the path.

mod command;
mod component;
mod embed;
mod file;
mod message;
mod name;
mod option;
mod size;

use serde_json::Value;

use crate::errors::{Path, Problems, Refusal};

pub(crate) use command::{check_counts, kind_of};
pub(crate) use component::check_modal;
pub(crate) use file::{Around, check_sizes};
pub(crate) use message::{Filled, check_body, check_choices, require_content};

/// What Discord would say to a bulk overwrite with this array of commands.
pub fn check_commands(commands: &Value) -> Result<(), Refusal> {
    command::check_bulk(commands)
}

/// What Discord would say to this one command.
pub fn check_command(command: &Value) -> Result<(), Refusal> {
    let mut problems = Problems::default();
    command::check(&mut problems, &Path::default(), command);
    problems.finish()
}

/// What Discord would say to this message, sent without files.
pub fn check_message(message: &Value) -> Result<(), Refusal> {
    let mut problems = Problems::default();
    check_body(&mut problems, &Path::default(), message, &Around::NOTHING);
    problems.finish()?;
    require_content(message, Filled::ByBodyOnly)
}

/// Discord counts characters, not bytes.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text field and its bounds.
pub(crate) struct Text {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) need: Need,
}

/// Whether a field must be there.
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

    /// Checks `parent[key]` and reports it below `path`.
    pub(crate) fn check(&self, problems: &mut Problems, path: &Path, parent: &Value, key: &str) {
        self.check_value(problems, &path.then(key), &parent[key]);
    }

    /// Checks a value that stands at `path`.
    pub(crate) fn check_value(&self, problems: &mut Problems, path: &Path, value: &Value) {
        match value {
            Value::Null if self.need == Need::Optional => {}
            Value::Null => problems.required(path),
            Value::String(text) if text.is_empty() && self.min > 0 => problems.required(path),
            Value::String(text) if length(text) < self.min || length(text) > self.max => too_long(problems, path, self),
            Value::String(_) => {}
            _ => problems.add(path, "STRING_TYPE_CONVERT", "Could not interpret the value as string."),
        }
    }
}

fn too_long(problems: &mut Problems, path: &Path, bounds: &Text) {
    let Text { min, max, .. } = bounds;
    if *min > 0 {
        problems.add(path, "BASE_TYPE_BAD_LENGTH", format!("Must be between {min} and {max} in length."));
    } else {
        problems.add(path, "BASE_TYPE_MAX_LENGTH", format!("Must be {max} or fewer in length."));
    }
}

/// The list at `parent[key]`; nothing if it is absent. A wrong type or too many entries are reported.
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

/// Reports a value that is no object, and says whether it is one.
pub(crate) fn is_object(problems: &mut Problems, path: &Path, value: &Value) -> bool {
    if !value.is_object() {
        problems.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType");
    }
    value.is_object()
}
