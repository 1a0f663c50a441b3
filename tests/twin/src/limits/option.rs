//! Limits of slash command options: nesting, order, choices and bounds.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::limits::command::check_flag;
use crate::limits::name::{Style, check_description, check_name, localizations};
use crate::limits::{Need, Text, is_object, list};
use crate::rest::errors::{Path, Problems};

/// The largest number of options, and of choices.
const LIST_MAX: usize = 25;
const CHOICE_TEXT_MAX: usize = 100;
const STRING_LENGTH_MAX: i64 = 6000;
/// The largest integer that is exact in JavaScript.
const INTEGER_MAX: f64 = 9_007_199_254_740_991.0;
const NUMBER_MAX: f64 = 9_007_199_254_740_992.0;

const SUB_COMMAND: u64 = 1;
const GROUP: u64 = 2;
const STRING: u64 = 3;
const INTEGER: u64 = 4;
const CHANNEL: u64 = 7;
const NUMBER: u64 = 10;
const ATTACHMENT: u64 = 11;
const FILE_TYPES_MAX: usize = 10;
/// Discord's channel types.
const CHANNEL_TYPES: [u64; 13] = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16];

/// What a list of options belongs to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Level {
    Command,
    Group,
    SubCommand,
}

/// Checks `owner.options` and everything nested in it.
pub(crate) fn check_options(problems: &mut Problems, path: &Path, owner: &Value, level: Level) {
    let options = list(problems, path, owner, "options", LIST_MAX);
    let path = path.then("options");
    for (index, option) in options.iter().enumerate() {
        check_option(problems, &path.then(index), option, level);
    }
    check_unique_names(problems, &path, options);
    check_order(problems, &path, options);
    check_mixture(problems, &path, options);
}

fn check_option(problems: &mut Problems, path: &Path, option: &Value, level: Level) {
    if !is_object(problems, path, option) {
        return;
    }
    check_name(problems, path, option, Style::Slash);
    check_description(problems, path, option);
    let allowed: &[u64] = match level {
        Level::Command => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        Level::Group => &[SUB_COMMAND],
        Level::SubCommand => &[3, 4, 5, 6, 7, 8, 9, 10, 11],
    };
    let kind_path = path.then("type");
    match (&option["type"], option["type"].as_u64()) {
        (Value::Null, _) => problems.required(&kind_path),
        (_, Some(SUB_COMMAND)) if allowed.contains(&SUB_COMMAND) => {
            check_options(problems, path, option, Level::SubCommand);
        }
        (_, Some(GROUP)) if allowed.contains(&GROUP) => check_options(problems, path, option, Level::Group),
        (_, Some(kind)) if allowed.contains(&kind) => check_leaf(problems, path, option, kind),
        _ => problems.not_one_of(&kind_path, allowed),
    }
}

fn check_leaf(problems: &mut Problems, path: &Path, option: &Value, kind: u64) {
    if option["options"].as_array().is_some_and(|options| !options.is_empty()) {
        invalid(problems, &path.then("options"), "Only sub-commands and groups have options");
    }
    let choosable = matches!(kind, STRING | INTEGER | NUMBER);
    let choices = list(problems, path, option, "choices", LIST_MAX);
    let completes = option["autocomplete"] == true;
    if !choosable && !choices.is_empty() {
        invalid(problems, &path.then("choices"), "Options of this type may not have choices");
    }
    if completes && (!choosable || !choices.is_empty()) {
        let why = "Autocomplete is for string, integer and number options without choices";
        invalid(problems, &path.then("autocomplete"), why);
    }
    if choosable {
        check_choices(problems, &path.then("choices"), choices, kind);
    }
    check_bounds(problems, path, option, kind);
    check_lengths(problems, path, option, kind);
    check_flag(problems, path, option, "required");
    check_flag(problems, path, option, "autocomplete");
    if kind != CHANNEL && option["channel_types"].as_array().is_some_and(|types| !types.is_empty()) {
        invalid(problems, &path.then("channel_types"), "Only channel options may have channel types");
    }
    for (index, value) in list(problems, path, option, "channel_types", CHANNEL_TYPES.len()).iter().enumerate() {
        if !value.as_u64().is_some_and(|number| CHANNEL_TYPES.contains(&number)) {
            problems.not_one_of(&path.then("channel_types").then(index), &CHANNEL_TYPES);
        }
    }
    let file_types = list(problems, path, option, "file_types", FILE_TYPES_MAX);
    if kind != ATTACHMENT && !file_types.is_empty() {
        invalid(problems, &path.then("file_types"), "Only attachment options may have file types");
    }
}

fn check_choices(problems: &mut Problems, path: &Path, choices: &[Value], kind: u64) {
    let mut names = BTreeSet::new();
    for (index, choice) in choices.iter().enumerate() {
        let path = path.then(index);
        let bounds = Text::required(1, CHOICE_TEXT_MAX);
        bounds.check(problems, &path, choice, "name");
        for (place, text) in localizations(problems, &path, choice, "name_localizations") {
            bounds.check_value(problems, &place, text);
        }
        let value_path = path.then("value");
        match (kind, &choice["value"]) {
            (_, Value::Null) => problems.required(&value_path),
            (STRING, value) => {
                let bounds = Text { min: 0, max: CHOICE_TEXT_MAX, need: Need::Required };
                bounds.check_value(problems, &value_path, value);
            }
            (_, value) => check_number(problems, &value_path, value, kind),
        }
        if let Some(name) = choice["name"].as_str()
            && !names.insert(name)
        {
            let why = "The specified option name is already used";
            problems.add(&path.then("name"), "APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS", why);
        }
    }
}

fn check_bounds(problems: &mut Problems, path: &Path, option: &Value, kind: u64) {
    for key in ["min_value", "max_value"] {
        match (&option[key], kind) {
            (Value::Null, _) => {}
            (value, INTEGER | NUMBER) => check_number(problems, &path.then(key), value, kind),
            _ => invalid(problems, &path.then(key), "Only integer and number options have bounds"),
        }
    }
    if let (Some(min), Some(max)) = (option["min_value"].as_f64(), option["max_value"].as_f64())
        && min > max
    {
        invalid(problems, &path.then("max_value"), "The minimum is above the maximum");
    }
}

fn check_lengths(problems: &mut Problems, path: &Path, option: &Value, kind: u64) {
    for (key, least) in [("min_length", 0), ("max_length", 1)] {
        let value = &option[key];
        if value.is_null() {
            continue;
        }
        if kind != STRING {
            invalid(problems, &path.then(key), "Only string options have lengths");
        } else if !value.as_i64().is_some_and(|length| (least..=STRING_LENGTH_MAX).contains(&length)) {
            out_of_range(problems, &path.then(key), &least.to_string(), &STRING_LENGTH_MAX.to_string());
        }
    }
    if let (Some(min), Some(max)) = (option["min_length"].as_i64(), option["max_length"].as_i64())
        && min > max
    {
        invalid(problems, &path.then("max_length"), "The minimum is above the maximum");
    }
}

fn check_number(problems: &mut Problems, path: &Path, value: &Value, kind: u64) {
    let most = if kind == INTEGER { INTEGER_MAX } else { NUMBER_MAX };
    match value.as_f64() {
        Some(number) if kind == INTEGER && number.fract() != 0.0 => not_a_number(problems, path, value, "int"),
        Some(number) if number.abs() > most => out_of_range(problems, path, &(-most).to_string(), &most.to_string()),
        Some(_) => {}
        None => not_a_number(problems, path, value, if kind == INTEGER { "int" } else { "float" }),
    }
}

fn not_a_number(problems: &mut Problems, path: &Path, value: &Value, wanted: &str) {
    problems.add(path, "NUMBER_TYPE_COERCE", format!("Value \"{value}\" is not {wanted}."));
}

fn out_of_range(problems: &mut Problems, path: &Path, least: &str, most: &str) {
    problems.add(path, "NUMBER_TYPE_RANGE", format!("Value should be between {least} and {most}."));
}

fn invalid(problems: &mut Problems, path: &Path, why: &str) {
    problems.add(path, "APPLICATION_COMMAND_OPTION_INVALID", why);
}

/// Option names must be unique in their list. A translated name must also differ from the other names of its locale and
/// from the default names of the other options.
fn check_unique_names(problems: &mut Problems, path: &Path, options: &[Value]) {
    let mut reported = BTreeSet::new();
    let mut report = |index: usize| {
        if reported.insert(index) {
            let why = "Option names must be unique";
            problems.add(&path.then(index).then("name"), "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", why);
        }
    };
    for (index, option) in options.iter().enumerate() {
        let others = || options.iter().enumerate().filter(move |(other, _)| *other != index).map(|(_, other)| other);
        let is_repeated =
            |name: &Value| !name.is_null() && options.iter().take(index).any(|other| other["name"] == *name);
        if is_repeated(&option["name"]) {
            report(index);
        }
        for (locale, name) in option["name_localizations"].as_object().into_iter().flatten() {
            let is_default = others().any(|other| other["name"] == *name);
            let earlier = || options.iter().take(index);
            let is_taken = earlier().any(|other| other["name_localizations"][locale] == *name);
            if !name.is_null() && (is_default || is_taken) {
                report(index);
            }
        }
    }
}

fn check_order(problems: &mut Problems, path: &Path, options: &[Value]) {
    let mut optional_seen = false;
    for (index, option) in options.iter().enumerate() {
        let required = option["required"] == true;
        if required && optional_seen {
            let why = "Required options must be placed before non-required options";
            problems.add(&path.then(index), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", why);
        }
        optional_seen |= !required;
    }
}

/// A list has either subcommands and groups, or options with values.
fn check_mixture(problems: &mut Problems, path: &Path, options: &[Value]) {
    let is_branch = |option: &Value| matches!(option["type"].as_u64(), Some(SUB_COMMAND | GROUP));
    let Some(first) = options.first() else { return };
    if let Some(index) = options.iter().position(|option| is_branch(option) != is_branch(first)) {
        let why = "Sub-command and sub-command group option types are mutually exclusive to all other types";
        problems.add(&path.then(index), "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", why);
    }
}
