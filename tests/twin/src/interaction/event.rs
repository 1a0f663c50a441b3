//! The INTERACTION_CREATE event of an interaction.

use serde_json::{Value, json};

use crate::interaction::component::{component_data, component_type};
use crate::interaction::entity::{Entity, resolved};
use crate::interaction::options::nested;
use crate::interaction::{BUTTON, COMPONENT, Interaction, MESSAGE_COMMAND, Place, Sent, Shape};
use crate::payload::{self, APPLICATION_ID, DM_CHANNEL_ID};

impl Interaction {
    /// The payload of INTERACTION_CREATE. `command_id` is the id of the registered command, or a new id. `message` is
    /// the stored message that the interaction refers to.
    pub(crate) fn payload(&self, sent: &Sent, command_id: &str, message: Option<&Value>) -> Value {
        let channel = self.channel();
        let mut payload = json!({
            "id": sent.id.to_string(), "application_id": APPLICATION_ID.to_string(), "type": self.kind,
            "data": self.data(sent, command_id, message), "channel_id": channel, "token": sent.token, "version": 1,
            "app_permissions": i64::MAX.to_string(), "locale": self.locale, "entitlements": [],
            "attachment_size_limit": 10_485_760,
        });
        match self.place {
            Place::Guild { guild, channel } => {
                payload["guild_id"] = json!(guild.to_string());
                payload["guild"] = json!({"id": guild.to_string(), "locale": "en-US", "features": []});
                payload["guild_locale"] = json!("en-US");
                payload["channel"] = payload::channel(channel);
                payload["member"] = self.member();
                payload["context"] = json!(0);
                payload["authorizing_integration_owners"] = json!({"0": guild.to_string()});
            }
            Place::Dm => {
                payload["channel"] = payload::dm_channel(DM_CHANNEL_ID);
                payload["user"] = payload::user(self.caller, false);
                payload["context"] = json!(1);
                payload["authorizing_integration_owners"] = json!({"0": "0"});
            }
        }
        if self.user_installed {
            payload["authorizing_integration_owners"] = json!({"1": self.caller.to_string()});
        }
        if self.kind == COMPONENT {
            let author = payload::user(payload::BOT_ID, true);
            let made_up = || payload::plain_message(sent.id - 1, &channel, author, "a message with components");
            payload["message"] = message.cloned().unwrap_or_else(made_up);
        } else if let (Some(_), Some(message)) = (self.from_message, message) {
            payload["message"] = message.clone();
        }
        for (place, value) in &self.changes {
            let (object, field) = place.rsplit_once('/').unwrap_or_default();
            if let Some(object) = payload.pointer_mut(object).and_then(Value::as_object_mut) {
                object.insert(field.to_owned(), value.clone());
                object.retain(|name, value| name != field || !value.is_null());
            }
        }
        payload
    }

    fn member(&self) -> Value {
        let mut member = payload::member(self.caller);
        member["user"] = payload::user(self.caller, false);
        member["roles"] = self.roles.iter().map(u64::to_string).collect();
        if let Some(bits) = self.permissions {
            member["permissions"] = json!(bits.to_string());
        }
        member
    }

    fn data(&self, sent: &Sent, command_id: &str, message: Option<&Value>) -> Value {
        let (command_type, name) = match &self.shape {
            Shape::Data(data) => return data.clone(),
            Shape::Component { custom_id, values, .. } => {
                // A component that an edit removed is taken for a button, or for a string select if values were chosen.
                let removed = if values.is_empty() { BUTTON } else { 3 };
                let component = message.and_then(|message| component_type(message, custom_id)).unwrap_or(removed);
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                return component_data(component, custom_id, &values, self.is_dm());
            }
            Shape::OnMessage { name, .. } => (MESSAGE_COMMAND, name),
            Shape::Command { command_type, name } => (*command_type, name),
        };
        let mut data = json!({"id": command_id, "name": name, "type": command_type});
        match command_type {
            2 => {
                let target = self.target.unwrap_or(self.caller);
                data["target_id"] = json!(target.to_string());
                data["resolved"] = json!(resolved([Entity::User(target)].iter(), self.is_dm()));
            }
            MESSAGE_COMMAND => {
                let author = payload::user(self.caller, false);
                let made_up = || payload::plain_message(sent.id - 1, &self.channel(), author, "the target message");
                let message = message.cloned().unwrap_or_else(made_up);
                let id = message["id"].as_str().unwrap_or_default().to_owned();
                data["target_id"] = json!(id);
                data["resolved"] = json!({"messages": {id: message}});
            }
            _ => {
                data["options"] = nested(&self.subcommands, &self.options);
                let entities = self.options.iter().filter_map(|option| option.entity.as_ref());
                if let Some(resolved) = resolved(entities, self.is_dm()) {
                    data["resolved"] = resolved;
                }
            }
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(interaction: &Interaction) -> Value {
        let sent = Sent { id: 1 << 40, token: "t".to_owned() };
        interaction.payload(&sent, "9", None)["data"].clone()
    }

    #[test]
    fn a_group_holds_the_subcommand_holds_the_options() {
        let given =
            Interaction::slash("a").subcommand("g").subcommand("s").option("n", 3).option("b", true).option("f", 1.5);
        assert_eq!(
            data(&given),
            json!({
                "id": "9", "name": "a", "type": 1,
                "options": [{"name": "g", "type": 2, "options": [{"name": "s", "type": 1, "options": [
                    {"name": "n", "type": 4, "value": 3}, {"name": "b", "type": 5, "value": true},
                    {"name": "f", "type": 10, "value": 1.5},
                ]}]}],
            })
        );
    }

    #[test]
    fn a_bare_subcommand_has_an_empty_list() {
        let options = data(&Interaction::slash("a").subcommand("s"))["options"].clone();
        assert_eq!(options, json!([{"name": "s", "type": 1, "options": []}]));
    }

    #[test]
    fn the_focused_option_says_so() {
        let options = data(&Interaction::autocomplete("a").focused("q", "x"))["options"].clone();
        assert_eq!(options, json!([{"name": "q", "type": 3, "value": "x", "focused": true}]));
    }

    #[test]
    fn a_command_on_a_message_has_the_message_as_its_target() {
        let sent = Sent { id: 1 << 40, token: "t".to_owned() };
        let message = payload::plain_message(77, "5", payload::user(payload::BOT_ID, true), "said");
        let data = Interaction::on_message("Fix", 77).payload(&sent, "9", Some(&message))["data"].clone();
        let expected = json!({
            "id": "9", "name": "Fix", "type": 3, "target_id": "77", "resolved": {"messages": {"77": message}},
        });
        assert_eq!(data, expected);
    }
}
