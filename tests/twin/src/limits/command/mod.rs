//! Limits of commands and of bulk overwrites.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::limits::name::{Style, check_description, check_name};
use crate::limits::option::{Level, check_options};
use crate::limits::size::{COMMAND_SIZE_MAX, command_size};
use crate::limits::{is_object, too_many};
use crate::rest::errors::{Path, Problems, Refusal};

/// The largest bulk overwrite: 100 slash commands, and 15 context-menu commands each on users and on messages.
const BULK_MAX: usize = 130;

/// The type of slash commands, which is also the default.
const CHAT_INPUT: u64 = 1;

/// How many commands of a type a scope may have.
pub(crate) fn count_max(kind: u64) -> usize {
    match kind {
        CHAT_INPUT => 100,
        2 | 3 => 15,
        _ => 1,
    }
}

/// The type of a command.
pub(crate) fn kind_of(command: &Value) -> u64 {
    command["type"].as_u64().unwrap_or(CHAT_INPUT)
}

/// Checks the body of a bulk overwrite.
pub(crate) fn check_bulk(commands: &Value) -> Result<(), Refusal> {
    let mut problems = Problems::default();
    let root = Path::default();
    let Some(list) = commands.as_array() else {
        problems.add(&root, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
        return problems.finish();
    };
    if list.len() > BULK_MAX {
        too_many(&mut problems, &root, BULK_MAX);
    }
    let mut names = BTreeSet::new();
    for (index, command) in list.iter().enumerate() {
        let path = root.then(index);
        check(&mut problems, &path, command);
        if !names.insert((kind_of(command), command["name"].as_str())) {
            let why = "Application command names must be unique";
            problems.add(&path, "APPLICATION_COMMANDS_DUPLICATE_NAME", why);
        }
    }
    problems.finish()?;
    check_counts(list)
}

/// Refuses too many commands of one type.
pub(crate) fn check_counts(commands: &[Value]) -> Result<(), Refusal> {
    for kind in 1..=4 {
        let max = count_max(kind);
        if commands.iter().filter(|command| kind_of(command) == kind).count() > max {
            let message = format!("Maximum number of application commands reached ({max})");
            return Err(Refusal::new(400, 30032, message));
        }
    }
    Ok(())
}

/// Checks one command.
pub(crate) fn check(problems: &mut Problems, path: &Path, command: &Value) {
    if !is_object(problems, path, command) {
        return;
    }
    match kind_of(command) {
        CHAT_INPUT => {
            check_name(problems, path, command, Style::Slash);
            check_description(problems, path, command);
            check_options(problems, path, command, Level::Command);
            if command_size(command) > COMMAND_SIZE_MAX {
                let why = format!("Command exceeds maximum size ({COMMAND_SIZE_MAX})");
                problems.add(path, "APPLICATION_COMMAND_TOO_LARGE", why);
            }
        }
        2 | 3 => {
            check_name(problems, path, command, Style::ContextMenu);
            if command["description"].as_str().is_some_and(|text| !text.is_empty()) {
                let why = "Context menu commands cannot have description";
                problems.add(&path.then("description"), "APPLICATION_COMMAND_DESCRIPTION_NOT_ALLOWED", why);
            }
            if command["options"].as_array().is_some_and(|options| !options.is_empty()) {
                let why = "Context menu commands cannot have options";
                problems.add(&path.then("options"), "APPLICATION_COMMAND_OPTIONS_NOT_ALLOWED", why);
            }
        }
        4 => {
            check_name(problems, path, command, Style::Slash);
            check_number_of(problems, path, command, "handler", &[1, 2]);
        }
        _ => problems.not_one_of(&path.then("type"), &[1, 2, 3, 4]),
    }
    check_numbers(problems, path, command, "contexts", &[0, 1, 2]);
    check_numbers(problems, path, command, "integration_types", &[0, 1]);
    check_flag(problems, path, command, "nsfw");
    check_permissions(problems, &path.then("default_member_permissions"), &command["default_member_permissions"]);
}

fn check_numbers(problems: &mut Problems, path: &Path, command: &Value, key: &str, allowed: &[u64]) {
    let numbers = super::list(problems, path, command, key, allowed.len());
    if command[key].is_array() && numbers.is_empty() {
        problems.add(&path.then(key), "BASE_TYPE_BAD_LENGTH", "Must be 1 or more in length.");
    }
    for (index, value) in numbers.iter().enumerate() {
        if numbers.iter().take(index).any(|earlier| earlier == value) {
            problems.add(&path.then(key), "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value");
        }
        if !value.as_u64().is_some_and(|number| allowed.contains(&number)) {
            problems.not_one_of(&path.then(key).then(index), allowed);
        }
    }
}

fn check_number_of(problems: &mut Problems, path: &Path, owner: &Value, key: &str, allowed: &[u64]) {
    let value = &owner[key];
    if !value.is_null() && !value.as_u64().is_some_and(|number| allowed.contains(&number)) {
        problems.not_one_of(&path.then(key), allowed);
    }
}

/// Checks an optional boolean field.
pub(crate) fn check_flag(problems: &mut Problems, path: &Path, owner: &Value, key: &str) {
    if !owner[key].is_null() && !owner[key].is_boolean() {
        problems.add(&path.then(key), "BOOLEAN_TYPE_CONVERT", "Must be either true or false.");
    }
}

/// Checks a permission bit set: a string of digits or a number.
fn check_permissions(problems: &mut Problems, path: &Path, value: &Value) {
    let fine = match value {
        Value::Null => true,
        Value::String(digits) => digits.parse::<u64>().is_ok(),
        other => other.is_u64(),
    };
    if !fine {
        problems.add(path, "NUMBER_TYPE_COERCE", format!("Value \"{value}\" is not int."));
    }
}

#[cfg(test)]
mod tests;
