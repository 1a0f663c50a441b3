//! Buttons, menus and forms: what a person does below a message.

use serde_json::{Value, json};

use crate::interaction::entity::{Entity, resolved};
use crate::interaction::{COMPONENT, Interaction, MODAL_SUBMIT, Shape};

const STRING_SELECT: u64 = 3;
const USER_SELECT: u64 = 5;
const ROLE_SELECT: u64 = 6;
const CHANNEL_SELECT: u64 = 8;

impl Interaction {
    /// A press on a button.
    pub fn button(custom_id: &str) -> Interaction {
        Interaction::raw(COMPONENT, json!({"custom_id": custom_id, "component_type": 2, "id": 1}))
    }

    /// A press on a button of a message that the bot sent, as the message looks now and where it stands.
    ///
    /// [`Twin::interact`] panics if there is no such message, or it never had such a button: nobody can press what was
    /// never there. One that is gone may be pressed by a client that did not see the change yet. For a button of a
    /// message from before the twin's start, use [`Interaction::button`].
    ///
    /// [`Twin::interact`]: crate::Twin::interact
    pub fn press(message_id: u64, custom_id: &str) -> Interaction {
        Interaction::choose(message_id, custom_id, &[])
    }

    /// A choice in a menu of a message that the bot sent. Like [`Interaction::press`]; which kind of menu it is, the
    /// message says.
    pub fn choose(message_id: u64, custom_id: &str, values: &[&str]) -> Interaction {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Interaction::of(COMPONENT, Shape::Press { message: message_id, custom_id: custom_id.to_owned(), values })
    }

    /// A choice in a menu of strings.
    pub fn select(custom_id: &str, values: &[&str]) -> Interaction {
        Interaction::raw(COMPONENT, chosen(STRING_SELECT, custom_id, values, false))
    }

    /// A choice in a menu of persons.
    pub fn select_users(custom_id: &str, ids: &[u64]) -> Interaction {
        Interaction::select_ids(USER_SELECT, custom_id, ids)
    }

    /// A choice in a menu of roles.
    pub fn select_roles(custom_id: &str, ids: &[u64]) -> Interaction {
        Interaction::select_ids(ROLE_SELECT, custom_id, ids)
    }

    /// A choice in a menu of channels.
    pub fn select_channels(custom_id: &str, ids: &[u64]) -> Interaction {
        Interaction::select_ids(CHANNEL_SELECT, custom_id, ids)
    }

    fn select_ids(component: u64, custom_id: &str, ids: &[u64]) -> Interaction {
        let values: Vec<String> = ids.iter().map(u64::to_string).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        Interaction::raw(COMPONENT, chosen(component, custom_id, &values, false))
    }

    /// A form that was sent, with the custom id and the text of each field.
    pub fn modal(custom_id: &str, fields: &[(&str, &str)]) -> Interaction {
        let row = |(index, (id, text)): (usize, &(&str, &str))| {
            let input = json!({"type": 4, "id": 2 * index + 2, "custom_id": id, "value": text});
            json!({"type": 1, "id": 2 * index + 1, "components": [input]})
        };
        let rows: Vec<Value> = fields.iter().enumerate().map(row).collect();
        Interaction::raw(MODAL_SUBMIT, json!({"custom_id": custom_id, "components": rows}))
    }

    /// The stored message below which it happened. Forms that a button opened carry it too, and only such a form may
    /// be answered by changing the message. [`Twin::interact`] panics if there is no such message.
    ///
    /// [`Twin::interact`]: crate::Twin::interact
    pub fn from_message(mut self, message_id: u64) -> Interaction {
        self.from_message = Some(message_id);
        self
    }
}

/// The `data` of a choice. For ids, Discord sends along what they stand for.
pub(crate) fn chosen(component: u64, custom_id: &str, values: &[&str], is_dm: bool) -> Value {
    let mut data = json!({"custom_id": custom_id, "component_type": component, "id": 1});
    if component != super::BUTTON {
        data["values"] = json!(values);
    }
    let entities: Vec<Entity> = values.iter().filter_map(|value| Entity::of_select(component, value)).collect();
    if let Some(resolved) = resolved(entities.iter(), is_dm) {
        data["resolved"] = resolved;
    }
    data
}

/// The type of the component with this custom id in a message, unless it is disabled.
pub(crate) fn component_type(message: &Value, custom_id: &str) -> Option<u64> {
    fn find(parent: &Value, custom_id: &str) -> Option<u64> {
        let children = parent["components"].as_array().into_iter().flatten().chain(parent.get("accessory"));
        for child in children {
            if child["custom_id"] == custom_id && child["disabled"] != true {
                return child["type"].as_u64();
            }
            if let Some(found) = find(child, custom_id) {
                return Some(found);
            }
        }
        None
    }
    find(message, custom_id)
}
