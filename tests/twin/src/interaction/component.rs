//! Component interactions and modal submissions: buttons, select menus and text inputs.

use serde_json::{Value, json};

use crate::interaction::entity::{Entity, resolved};
use crate::interaction::{COMPONENT, Interaction, MODAL_SUBMIT, Shape};

const STRING_SELECT: u64 = 3;
const USER_SELECT: u64 = 5;
const ROLE_SELECT: u64 = 6;
const CHANNEL_SELECT: u64 = 8;

impl Interaction {
    /// A click on a button of a made-up message. For a message that the bot sent, see [`Interaction::press`].
    pub fn button(custom_id: &str) -> Interaction {
        Interaction::raw(COMPONENT, json!({"custom_id": custom_id, "component_type": 2, "id": 1}))
    }

    /// A click on a button of a stored message. The interaction has the message's channel and its present content.
    ///
    /// [`Twin::interact`] panics if there is no such message or if the message never had this button. A button that an
    /// edit removed can still be clicked, as by a client that has not received the edit yet. For a button of a message
    /// from before the twin's start, use [`Interaction::button`].
    ///
    /// [`Twin::interact`]: crate::Twin::interact
    pub fn press(message_id: u64, custom_id: &str) -> Interaction {
        Interaction::choose(message_id, custom_id, &[])
    }

    /// A choice in a select menu of a stored message. The kind of the menu follows from the message. Panics like
    /// [`Interaction::press`].
    pub fn choose(message_id: u64, custom_id: &str, values: &[&str]) -> Interaction {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Interaction::of(COMPONENT, Shape::Component { message: message_id, custom_id: custom_id.to_owned(), values })
    }

    /// A choice in a string select menu of a made-up message.
    pub fn select(custom_id: &str, values: &[&str]) -> Interaction {
        Interaction::raw(COMPONENT, component_data(STRING_SELECT, custom_id, values, false))
    }

    /// A choice in a user select menu of a made-up message.
    pub fn select_users(custom_id: &str, ids: &[u64]) -> Interaction {
        Interaction::select_ids(USER_SELECT, custom_id, ids)
    }

    /// A choice in a role select menu of a made-up message.
    pub fn select_roles(custom_id: &str, ids: &[u64]) -> Interaction {
        Interaction::select_ids(ROLE_SELECT, custom_id, ids)
    }

    /// A choice in a channel select menu of a made-up message.
    pub fn select_channels(custom_id: &str, ids: &[u64]) -> Interaction {
        Interaction::select_ids(CHANNEL_SELECT, custom_id, ids)
    }

    fn select_ids(component: u64, custom_id: &str, ids: &[u64]) -> Interaction {
        let values: Vec<String> = ids.iter().map(u64::to_string).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        Interaction::raw(COMPONENT, component_data(component, custom_id, &values, false))
    }

    /// A modal submission with the custom id and the text of each text input.
    pub fn modal(custom_id: &str, fields: &[(&str, &str)]) -> Interaction {
        let row = |(index, (id, text)): (usize, &(&str, &str))| {
            let input = json!({"type": 4, "id": 2 * index + 2, "custom_id": id, "value": text});
            json!({"type": 1, "id": 2 * index + 1, "components": [input]})
        };
        let rows: Vec<Value> = fields.iter().enumerate().map(row).collect();
        Interaction::raw(MODAL_SUBMIT, json!({"custom_id": custom_id, "components": rows}))
    }

    /// The stored message with the component that was used, or that opened the submitted modal. Only a modal with a
    /// message can be answered by updating that message. [`Twin::interact`] panics if there is no such message.
    ///
    /// [`Twin::interact`]: crate::Twin::interact
    pub fn from_message(mut self, message_id: u64) -> Interaction {
        self.from_message = Some(message_id);
        self
    }
}

/// The `data` of a component interaction, with `resolved` objects for chosen ids.
pub(crate) fn component_data(component: u64, custom_id: &str, values: &[&str], is_dm: bool) -> Value {
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

/// The type of the component with this custom id in a message. Disabled components are not found.
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
