//! Converts the entities of an interaction (users, channels, roles, attachments, messages) into the contract's types.
//!
//! An option holds only an id; its data comes in the interaction's `resolved` part. Without it, a user, role or channel
//! is known by its id alone. An attachment without it becomes null, which fits no option. The router then answers that
//! Discord has another version of the command.

use std::num::NonZeroU64;

use serde_json::{Map, Value, json};

use crate::payload::{self, CommandData, CommandOption, Resolved, Scalar};
use candor_core::contract::entity::{Attachment, Channel, Mentionable, MessageRef, Role, TYPE, User};

/// Returns the options and their values as JSON. An option given twice becomes null, which fits no option.
pub(crate) fn arguments(options: &[CommandOption<'_>], resolved: &Resolved<'_>) -> Map<String, Value> {
    let mut arguments = Map::new();
    for option in options.iter().filter(|option| option.is_of_use()) {
        arguments
            .entry(&*option.name)
            .and_modify(|given| *given = Value::Null)
            .or_insert_with(|| value(option, resolved));
    }
    arguments
}

pub(crate) fn chosen_user(data: &CommandData<'_>) -> Option<Value> {
    data.target_id.map(|id| of_type("user", json!(user(id, &data.resolved))))
}

pub(crate) fn chosen_message(data: &CommandData<'_>) -> Option<Value> {
    let message = data.resolved.messages.get(data.target_id?)?;
    let message = MessageRef {
        id: message.id.get(),
        channel: message.channel_id.get(),
        author: author(message, &data.resolved),
        content: message.content.clone().into_owned(),
    };
    Some(of_type("message", json!(message)))
}

/// Converts an option by Discord's number of its type. Returns null, which fits no option, for an incomplete value, a
/// mismatched type, or an option type that the bot does not use.
fn value(option: &CommandOption<'_>, resolved: &Resolved<'_>) -> Value {
    let given = &option.value;
    let read = || {
        Some(match (option.kind, given) {
            _ if option.focused => return None,
            (3, Scalar::Text(text)) => Value::from(&**text),
            (4, Scalar::Integer(number)) => Value::from(*number),
            (5, Scalar::Boolean(truth)) => Value::from(*truth),
            #[expect(clippy::cast_precision_loss, reason = "Discord's numbers are within what this type holds exactly")]
            (10, Scalar::Integer(number)) => Value::from(*number as f64),
            (10, Scalar::Number(number)) => Value::from(*number),
            (6, id) => of_type("user", json!(user(id.id()?, resolved))),
            (7, id) => of_type("channel", json!(channel(id.id()?, resolved))),
            (8, id) => of_type("role", json!(role(id.id()?, resolved))),
            (9, id) => json!(mentionable(id.id()?, resolved)),
            (11, id) => of_type("attachment", json!(attachment(id.id()?, resolved))),
            _ => return None,
        })
    };
    read().unwrap_or_default()
}

/// Adds the type to the value, since an outdated client may send a role for a user option. Null stays null.
fn of_type(word: &str, mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.insert(TYPE.to_owned(), Value::from(word));
    }
    value
}

/// Returns a user with the name shown in the guild.
fn user(id: NonZeroU64, resolved: &Resolved<'_>) -> User {
    let known = resolved.users.get(id);
    User { id: id.get(), name: known.map(|user| name(user, resolved)), bot: known.map(|user| user.bot) }
}

fn author(message: &payload::Message<'_>, resolved: &Resolved<'_>) -> User {
    let author = &message.author;
    User { id: author.id.get(), name: Some(name(author, resolved)), bot: Some(author.bot || message.is_of_webhook) }
}

fn name(user: &payload::User<'_>, resolved: &Resolved<'_>) -> String {
    let nick = resolved.members.get(user.id.into()).and_then(|member| member.nick.as_deref());
    nick.unwrap_or_else(|| user.display_name()).to_owned()
}

fn channel(id: NonZeroU64, resolved: &Resolved<'_>) -> Channel {
    let known = resolved.channels.get(id);
    Channel {
        id: id.get(),
        name: known.and_then(|channel| channel.name.as_deref()).map(str::to_owned),
        kind: known.map(payload::Channel::kind),
    }
}

fn role(id: NonZeroU64, resolved: &Resolved<'_>) -> Role {
    Role { id: id.get(), name: resolved.roles.get(id).map(|role| role.name.clone().into_owned()) }
}

/// Converts a mentionable. Its id alone does not say whether it is a user or a role.
fn mentionable(id: NonZeroU64, resolved: &Resolved<'_>) -> Option<Mentionable> {
    let as_user = || resolved.users.get(id).map(|_| Mentionable::User(user(id, resolved)));
    let as_role = || resolved.roles.get(id).map(|_| Mentionable::Role(role(id, resolved)));
    as_user().or_else(as_role)
}

fn attachment(id: NonZeroU64, resolved: &Resolved<'_>) -> Option<Attachment> {
    let known = resolved.attachments.get(id)?;
    Some(Attachment {
        id: id.get(),
        filename: known.filename.clone().into_owned(),
        size: known.size.unwrap_or_default(),
        content_type: known.content_type.as_deref().map(str::to_owned),
        url: known.url.clone().into_owned(),
    })
}
