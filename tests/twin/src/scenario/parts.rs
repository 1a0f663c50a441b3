//! What a person finds in an answer by its label: buttons, menus, and the fields of a form.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::interaction::Interaction;
use crate::record::Recorded;

/// All components of a message or a form, nested ones included.
fn components(parent: &Value) -> Vec<&Value> {
    let children = parent["components"].as_array().into_iter().flatten();
    let children = children.chain(parent.get("component")).chain(parent.get("accessory"));
    children.flat_map(|child| std::iter::once(child).chain(components(child))).collect()
}

/// The custom id of the button with this label, if it can be pressed.
pub(super) fn button_labelled(message: &Value, label: &str) -> Option<String> {
    let is_it = |button: &&Value| button["type"] == 2 && button["label"] == label && button["disabled"] != true;
    components(message).into_iter().find(is_it)?["custom_id"].as_str().map(str::to_owned)
}

/// The menu of strings that has an option with this label: its custom id, and the option's value.
pub(super) fn menu_offering(message: &Value, label: &str) -> Option<(String, String)> {
    components(message).into_iter().filter(|menu| menu["type"] == 3 && menu["disabled"] != true).find_map(|menu| {
        let option = menu["options"].as_array()?.iter().find(|option| option["label"] == label)?;
        Some((menu["custom_id"].as_str()?.to_owned(), option["value"].as_str()?.to_owned()))
    })
}

/// The form that a callback opened.
pub(super) fn form_of(answer: &Recorded) -> Option<&Value> {
    (answer.is_callback() && answer.body["type"] == 9).then(|| answer.message())
}

/// A form with these texts; fields that are not named keep what stands in them.
pub(super) fn filled(form: &Value, fields: &BTreeMap<String, String>) -> Result<Interaction, String> {
    let mut open: Vec<&str> = fields.keys().map(String::as_str).collect();
    let mut texts: Vec<(&str, &str)> = Vec::new();
    let mut label = "";
    for component in components(form) {
        // A label stands around its input or in it.
        label = component["label"].as_str().unwrap_or(label);
        if component["type"] != 4 {
            continue;
        }
        let custom_id = component["custom_id"].as_str().unwrap_or_default();
        let given = fields.get_key_value(label).or_else(|| fields.get_key_value(custom_id));
        if let Some((name, _)) = given {
            open.retain(|key| key != name);
        }
        let standing = component["value"].as_str().unwrap_or_default();
        texts.push((custom_id, given.map_or(standing, |(_, text)| text)));
    }
    match open.first() {
        Some(name) => Err(format!("the form has no field `{name}`")),
        None => Ok(Interaction::modal(form["custom_id"].as_str().unwrap_or_default(), &texts)),
    }
}
