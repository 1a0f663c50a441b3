//! Buttons, menus and modals: texts, counts, and custom ids that may stand once per message.

use super::{Text, list};
use crate::errors::{Path, Problems};
use serde_json::Value;
use std::collections::BTreeSet;

const ROWS_MAX: usize = 5;
const BUTTONS_PER_ROW_MAX: usize = 5;
const SELECT_OPTIONS_MAX: usize = 25;
/// With the flag `IS_COMPONENTS_V2`: all components, nested ones included.
const V2_COMPONENTS_MAX: usize = 40;

const CONTAINER_ROW: u64 = 1;
const BUTTON: u64 = 2;
const STRING_SELECT: u64 = 3;
const TEXT_INPUT: u64 = 4;
const TEXT_DISPLAY: u64 = 10;
const LINK_STYLE: u64 = 5;
const PREMIUM_STYLE: u64 = 6;

/// Which set of components a message may hold.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Layout {
    /// Rows of buttons and menus below the text.
    Rows,
    /// The message consists of components only.
    V2,
}

/// Checks `body.components` of a message.
pub(crate) fn check_components(problems: &mut Problems, path: &Path, body: &Value, layout: Layout) {
    // The bound of V2 is over all components, wherever they stand.
    let max = if layout == Layout::V2 { usize::MAX } else { ROWS_MAX };
    let components = list(problems, path, body, "components", max);
    let path = path.then("components");
    if layout == Layout::V2 && components.iter().map(count).sum::<usize>() > V2_COMPONENTS_MAX {
        super::too_many(problems, &path, V2_COMPONENTS_MAX);
    }
    let mut ids = BTreeSet::new();
    for (index, component) in components.iter().enumerate() {
        let path = path.then(index);
        if layout == Layout::Rows && component["type"].as_u64() != Some(CONTAINER_ROW) {
            problems.not_one_of(&path.then("type"), &[CONTAINER_ROW]);
        }
        check_component(problems, &path, component, &mut ids);
    }
}

/// Checks the `data` of a callback that opens a modal.
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
        check_component(problems, &path.then(index), component, &mut ids);
    }
}

fn check_component<'a>(problems: &mut Problems, path: &Path, component: &'a Value, ids: &mut BTreeSet<&'a str>) {
    match component["type"].as_u64() {
        Some(BUTTON) => check_button(problems, path, component),
        Some(TEXT_INPUT) => {
            Text::required(1, 100).check(problems, path, component, "custom_id");
            Text::optional(4000).check(problems, path, component, "value");
            Text::optional(100).check(problems, path, component, "placeholder");
        }
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
    let max = if component["type"] == CONTAINER_ROW { BUTTONS_PER_ROW_MAX } else { V2_COMPONENTS_MAX };
    for (index, child) in list(problems, path, component, "components", max).iter().enumerate() {
        check_component(problems, &path.then("components").then(index), child, ids);
    }
    for key in ["accessory", "component"] {
        if component[key].is_object() {
            check_component(problems, &path.then(key), &component[key], ids);
        }
    }
}

fn check_button(problems: &mut Problems, path: &Path, button: &Value) {
    Text::optional(80).check(problems, path, button, "label");
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

fn count(component: &Value) -> usize {
    let children = component["components"].as_array().into_iter().flatten();
    1 + children.map(count).sum::<usize>() + usize::from(component["accessory"].is_object())
}
