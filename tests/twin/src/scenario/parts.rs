//! Buttons, select menus and text inputs of an answer, found by their labels.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::interaction::Interaction;
use crate::record::Recorded;

/// The custom id of the enabled button with this label.
pub(super) fn button_labelled(message: &Value, label: &str) -> Option<String> {
    let matches = |button: &&Value| button["type"] == 2 && button["label"] == label && button["disabled"] != true;
    components(message).into_iter().find(matches)?["custom_id"].as_str().map(str::to_owned)
}

/// The enabled string select menu that has an option with this label: the menu's custom id and the option's value.
pub(super) fn menu_with_option(message: &Value, label: &str) -> Option<(String, String)> {
    components(message).into_iter().filter(|menu| menu["type"] == 3 && menu["disabled"] != true).find_map(|menu| {
        let option = menu["options"].as_array()?.iter().find(|option| option["label"] == label)?;
        Some((menu["custom_id"].as_str()?.to_owned(), option["value"].as_str()?.to_owned()))
    })
}

/// The modal that a callback opened.
pub(crate) fn opened_modal(answer: &Recorded) -> Option<&Value> {
    (answer.is_callback() && answer.body["type"] == 9).then(|| answer.message())
}

/// The submission of a modal with these texts. Text inputs that are not named keep their value.
pub(crate) fn submission(modal: &Value, fields: &BTreeMap<String, String>) -> Result<Interaction, String> {
    let mut unused: Vec<&str> = fields.keys().map(String::as_str).collect();
    let mut texts: Vec<(&str, &str)> = Vec::new();
    let mut label = "";
    for component in components(modal) {
        // The label is a component around the text input, or a field of it.
        label = component["label"].as_str().unwrap_or(label);
        if component["type"] != 4 {
            continue;
        }
        let custom_id = component["custom_id"].as_str().unwrap_or_default();
        let given = fields.get_key_value(label).or_else(|| fields.get_key_value(custom_id));
        if let Some((name, _)) = given {
            unused.retain(|key| key != name);
        }
        let default = component["value"].as_str().unwrap_or_default();
        texts.push((custom_id, given.map_or(default, |(_, text)| text)));
    }
    match unused.first() {
        Some(name) => Err(format!("the modal has no text input `{name}`")),
        None => Ok(Interaction::modal(modal["custom_id"].as_str().unwrap_or_default(), &texts)),
    }
}

/// All components of a message or a modal, nested ones included.
pub(crate) fn components(parent: &Value) -> Vec<&Value> {
    let children = parent["components"].as_array().into_iter().flatten();
    let children = children.chain(parent.get("component")).chain(parent.get("accessory"));
    children.flat_map(|child| std::iter::once(child).chain(components(child))).collect()
}
