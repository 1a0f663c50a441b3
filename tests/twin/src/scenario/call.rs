//! Command interactions as a step describes them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::interaction::Interaction;
use crate::scenario::User;

/// A command interaction with its subcommands and options.
pub(super) fn invocation(
    start: fn(&str) -> Interaction,
    path: &[String],
    options: &BTreeMap<String, Value>,
) -> Result<Interaction, String> {
    let (name, subcommands) = path.split_first().ok_or("no command")?;
    let command = subcommands.iter().fold(start(name), |command, word| command.subcommand(word));
    options.iter().try_fold(command, |command, (name, value)| option(command, name, value))
}

/// Adds an option: a plain value, or an object that names a user, role, channel or file.
fn option(interaction: Interaction, name: &str, value: &Value) -> Result<Interaction, String> {
    let Some(fields) = value.as_object() else { return Ok(interaction.option(name, value.clone())) };
    let id = |key: &str| fields.get(key).and_then(Value::as_u64);
    if let Some(user) = id("user") {
        return Ok(interaction.user_option(name, user));
    }
    if let Some(role) = id("role") {
        return Ok(interaction.role_option(name, role));
    }
    if let Some(channel) = id("channel") {
        return Ok(interaction.channel_option(name, channel, id("type").unwrap_or(0)));
    }
    match fields.get("file").and_then(Value::as_str) {
        Some(file) => Ok(interaction.attachment_option(name, file, id("size").unwrap_or(1))),
        None => Err(format!("the value of option `{name}` is not a user, role, channel or file")),
    }
}

impl User {
    /// The interaction as started by this user.
    pub(super) fn starts(&self, mut interaction: Interaction) -> Interaction {
        if let Some(id) = self.id {
            interaction = interaction.by(id);
        }
        if self.in_dm {
            interaction = interaction.in_dm();
        }
        if let Some(locale) = &self.locale {
            interaction = interaction.locale(locale);
        }
        if let Some(bits) = self.permissions {
            interaction = interaction.permissions(bits);
        }
        interaction.roles(&self.roles)
    }
}
