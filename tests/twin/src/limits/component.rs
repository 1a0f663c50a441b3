//! Limits of components and modals: texts, counts, and unique custom ids.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::limits::{Text, list, too_many};
use crate::rest::errors::{Path, Problems};

const ROWS_MAX: usize = 5;
const BUTTONS_PER_ROW_MAX: usize = 5;
const SELECT_OPTIONS_MAX: usize = 25;
/// The largest number of components with the flag IS_COMPONENTS_V2, nested ones included.
const V2_COMPONENTS_MAX: usize = 40;

const ACTION_ROW: u64 = 1;
const BUTTON: u64 = 2;
const STRING_SELECT: u64 = 3;
const TEXT_INPUT: u64 = 4;
const TEXT_DISPLAY: u64 = 10;
const LABEL: u64 = 18;
const LINK_STYLE: u64 = 5;
const PREMIUM_STYLE: u64 = 6;

/// The component system of a message.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Layout {
    /// Action rows below the message's content.
    Rows,
    /// Components only: the flag IS_COMPONENTS_V2.
    V2,
}

/// Checks `body.components` of a message.
pub(crate) fn check_components(problems: &mut Problems, path: &Path, body: &Value, layout: Layout) {
    // In V2 only the total number of components is limited.
    let max = if layout == Layout::V2 { usize::MAX } else { ROWS_MAX };
    let components = list(problems, path, body, "components", max);
    let path = path.then("components");
    if layout == Layout::V2 && components.iter().map(count).sum::<usize>() > V2_COMPONENTS_MAX {
        too_many(problems, &path, V2_COMPONENTS_MAX);
    }
    let mut ids = BTreeSet::new();
    for (index, component) in components.iter().enumerate() {
        let path = path.then(index);
        if layout == Layout::Rows && component["type"].as_u64() != Some(ACTION_ROW) {
            problems.not_one_of(&path.then("type"), &[ACTION_ROW]);
        }
        check_no_input(problems, &path, component);
        check_component(problems, &path, component, &mut ids);
    }
}

/// Checks the `data` of a modal.
pub(crate) fn check_modal(problems: &mut Problems, path: &Path, data: &Value) {
    Text::required(1, 45).check(problems, path, data, "title");
    Text::required(1, 100).check(problems, path, data, "custom_id");
    let components = list(problems, path, data, "components", ROWS_MAX);
    let path = path.then("components");
    if components.is_empty() {
        problems.required(&path);
    }
    let mut ids = BTreeSet::new();
    for (index, component) in components.iter().enumerate() {
        let path = path.then(index);
        check_component(problems, &path, component, &mut ids);
        match component["type"].as_u64() {
            Some(ACTION_ROW) => check_input_row(problems, &path, component),
            Some(LABEL) => {
                Text::required(1, 45).check(problems, &path, component, "label");
                Text::optional(100).check(problems, &path, component, "description");
                if !component["component"].is_object() {
                    problems.required(&path.then("component"));
                }
            }
            Some(TEXT_DISPLAY) | None => {}
            Some(_) => problems.not_one_of(&path.then("type"), &[ACTION_ROW, TEXT_DISPLAY, LABEL]),
        }
    }
}

fn check_component<'a>(problems: &mut Problems, path: &Path, component: &'a Value, ids: &mut BTreeSet<&'a str>) {
    match component["type"].as_u64() {
        Some(BUTTON) => check_button(problems, path, component),
        Some(ACTION_ROW) => check_row(problems, path, component),
        Some(TEXT_INPUT) => check_input(problems, path, component),
        Some(TEXT_DISPLAY) => Text::required(1, 4000).check(problems, path, component, "content"),
        Some(3 | 5..=8) => check_select(problems, path, component),
        Some(_) => {}
        None => problems.required(&path.then("type")),
    }
    if let Some(id) = component["custom_id"].as_str()
        && !ids.insert(id)
    {
        let why = "Component custom id cannot be duplicated";
        problems.add(&path.then("custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", why);
    }
    let max = if component["type"] == ACTION_ROW { BUTTONS_PER_ROW_MAX } else { V2_COMPONENTS_MAX };
    for (index, child) in list(problems, path, component, "components", max).iter().enumerate() {
        check_component(problems, &path.then("components").then(index), child, ids);
    }
    for key in ["accessory", "component"] {
        if component[key].is_object() {
            check_component(problems, &path.then(key), &component[key], ids);
        }
    }
}

/// Checks an action row: one to five buttons, or one select menu.
fn check_row(problems: &mut Problems, path: &Path, row: &Value) {
    let path = path.then("components");
    let children = row["components"].as_array().map(Vec::as_slice).unwrap_or_default();
    if children.is_empty() {
        problems.add(&path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.");
    }
    let n_selects = children.iter().filter(|child| matches!(child["type"].as_u64(), Some(3 | 5..=8))).count();
    if n_selects > 0 && children.len() > 1 {
        let why = "The specified component exceeds the maximum width";
        problems.add(&path, "COMPONENT_LAYOUT_WIDTH_EXCEEDED", why);
    }
}

/// Refuses text inputs outside of modals.
fn check_no_input(problems: &mut Problems, path: &Path, row: &Value) {
    for (index, child) in row["components"].as_array().into_iter().flatten().enumerate() {
        if child["type"] == TEXT_INPUT {
            problems.not_one_of(&path.then("components").then(index).then("type"), &[2, 3, 5, 6, 7, 8]);
        }
    }
}

/// Checks an action row of a modal: exactly one text input, with a label.
fn check_input_row(problems: &mut Problems, path: &Path, row: &Value) {
    let path = path.then("components");
    let inputs = row["components"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (index, input) in inputs.iter().enumerate() {
        let path = path.then(index);
        if input["type"] != TEXT_INPUT {
            problems.not_one_of(&path.then("type"), &[TEXT_INPUT]);
        }
        Text::required(1, 45).check(problems, &path, input, "label");
    }
    if inputs.len() > 1 {
        too_many(problems, &path, 1);
    }
}

fn check_button(problems: &mut Problems, path: &Path, button: &Value) {
    Text::optional(80).check(problems, path, button, "label");
    let is_blank = button["label"].as_str().is_none_or(str::is_empty) && !button["emoji"].is_object();
    if is_blank && button["style"] != PREMIUM_STYLE {
        let why = "A button must have either a label or emoji";
        problems.add(path, "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", why);
    }
    if button["style"] == LINK_STYLE && !button["custom_id"].is_null() {
        let why = "A custom id and url cannot both be specified";
        problems.add(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", why);
    }
    match button["style"].as_u64() {
        Some(LINK_STYLE) => Text::required(1, 512).check(problems, path, button, "url"),
        Some(PREMIUM_STYLE) => {}
        Some(1..=4) => Text::required(1, 100).check(problems, path, button, "custom_id"),
        _ => problems.not_one_of(&path.then("style"), &[1, 2, 3, 4, 5, 6]),
    }
}

fn check_select(problems: &mut Problems, path: &Path, select: &Value) {
    Text::required(1, 100).check(problems, path, select, "custom_id");
    Text::optional(150).check(problems, path, select, "placeholder");
    check_range(problems, path, select, "min_values", 0, 25);
    check_range(problems, path, select, "max_values", 1, 25);
    check_min_max(problems, path, select, "min_values", "max_values");
    let options = list(problems, path, select, "options", SELECT_OPTIONS_MAX);
    let path = path.then("options");
    if options.is_empty() && select["type"] == STRING_SELECT {
        problems.required(&path);
    }
    let mut values = BTreeSet::new();
    for (index, option) in options.iter().enumerate() {
        let path = path.then(index);
        Text::required(1, 100).check(problems, &path, option, "label");
        Text::required(1, 100).check(problems, &path, option, "value");
        Text::optional(100).check(problems, &path, option, "description");
        if let Some(value) = option["value"].as_str()
            && !values.insert(value)
        {
            let why = "The specified option value is already used";
            problems.add(&path, "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", why);
        }
    }
}

fn check_input(problems: &mut Problems, path: &Path, input: &Value) {
    Text::required(1, 100).check(problems, path, input, "custom_id");
    Text::optional(4000).check(problems, path, input, "value");
    Text::optional(100).check(problems, path, input, "placeholder");
    if !matches!(input["style"].as_u64(), Some(1 | 2)) {
        problems.not_one_of(&path.then("style"), &[1, 2]);
    }
    for (key, least) in [("min_length", 0), ("max_length", 1)] {
        check_range(problems, path, input, key, least, 4000);
    }
    check_min_max(problems, path, input, "min_length", "max_length");
}

fn check_range(problems: &mut Problems, path: &Path, owner: &Value, key: &str, least: u64, most: u64) {
    let value = &owner[key];
    if !value.is_null() && !value.as_u64().is_some_and(|number| (least..=most).contains(&number)) {
        let why = format!("int value should be between {least} and {most}.");
        problems.add(&path.then(key), "NUMBER_TYPE_RANGE", why);
    }
}

fn check_min_max(problems: &mut Problems, path: &Path, owner: &Value, min: &str, max: &str) {
    if let (Some(least), Some(most)) = (owner[min].as_u64(), owner[max].as_u64())
        && least > most
    {
        problems.add(&path.then(max), "NUMBER_TYPE_RANGE", "The minimum is above the maximum");
    }
}

fn count(component: &Value) -> usize {
    let children = component["components"].as_array().into_iter().flatten();
    1 + children.map(count).sum::<usize>() + usize::from(component["accessory"].is_object())
}
