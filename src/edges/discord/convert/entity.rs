//! Converts what an interaction refers to (users, channels, roles, attachments, messages) into the contract's types.
//!
//! An option holds only an id; its data comes in the interaction's `resolved` part. Without it, a user, role
//! or channel is known by its id alone. An attachment without it is unusable, so it becomes null, which fits no option:
//! the router then answers that Discord has another version of the command.

use serde_json::{Map, Value, json};
use serenity::model::application::{CommandData, CommandDataOption, CommandDataOptionValue, CommandDataResolved};
use serenity::model::channel::Message;
use serenity::model::id::{AttachmentId, ChannelId, RoleId, UserId};
use serenity::model::user::User as DiscordUser;

use candor_core::contract::entity::{Attachment, Channel, Mentionable, MessageRef, Role, TYPE, User};

/// The options and their values as JSON. One that is given twice becomes null, which fits no option.
pub(crate) fn arguments(options: &[CommandDataOption], resolved: &CommandDataResolved) -> Map<String, Value> {
    let mut arguments = Map::new();
    for option in options {
        arguments
            .entry(option.name.as_str())
            .and_modify(|given| *given = Value::Null)
            .or_insert_with(|| value(&option.value, resolved));
    }
    arguments
}

/// The target of a user command.
pub(crate) fn chosen_user(data: &CommandData) -> Option<Value> {
    data.target_id.map(|id| of_type("user", json!(user(id.to_user_id(), &data.resolved))))
}

/// The target of a message command.
pub(crate) fn chosen_message(data: &CommandData) -> Option<Value> {
    let message = data.resolved.messages.get(&data.target_id?.to_message_id())?;
    let message = MessageRef {
        id: message.id.get(),
        channel: message.channel_id.get(),
        author: author(message, &data.resolved),
        content: message.content.clone(),
    };
    Some(of_type("message", json!(message)))
}

fn value(value: &CommandDataOptionValue, resolved: &CommandDataResolved) -> Value {
    match value {
        CommandDataOptionValue::Boolean(truth) => Value::from(*truth),
        CommandDataOptionValue::Integer(number) => Value::from(*number),
        CommandDataOptionValue::Number(number) => Value::from(*number),
        CommandDataOptionValue::String(text) => Value::from(text.clone()),
        CommandDataOptionValue::User(id) => of_type("user", json!(user(*id, resolved))),
        CommandDataOptionValue::Channel(id) => of_type("channel", json!(channel(*id, resolved))),
        CommandDataOptionValue::Role(id) => of_type("role", json!(role(*id, resolved))),
        CommandDataOptionValue::Mentionable(id) => json!(mentionable(id.get(), resolved)),
        CommandDataOptionValue::Attachment(id) => of_type("attachment", json!(attachment(*id, resolved))),
        // Half a value, or of a type that no option of ours has.
        _ => Value::Null,
    }
}

/// Adds the type of the value: an outdated client may send a role where a user is wanted. Null stays null.
fn of_type(word: &str, mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.insert(TYPE.to_owned(), Value::from(word));
    }
    value
}

/// A user, by the name shown in the guild.
fn user(id: UserId, resolved: &CommandDataResolved) -> User {
    let known = resolved.users.get(&id);
    User { id: id.get(), name: known.map(|user| name(user, resolved)), bot: known.map(|user| user.bot) }
}

/// The author of a message, as sent with it.
fn author(message: &Message, resolved: &CommandDataResolved) -> User {
    let (author, is_webhook) = (&message.author, message.webhook_id.is_some());
    User { id: author.id.get(), name: Some(name(author, resolved)), bot: Some(author.bot || is_webhook) }
}

fn name(user: &DiscordUser, resolved: &CommandDataResolved) -> String {
    let nick = resolved.members.get(&user.id).and_then(|member| member.nick.clone());
    nick.unwrap_or_else(|| user.display_name().to_owned())
}

fn channel(id: ChannelId, resolved: &CommandDataResolved) -> Channel {
    let known = resolved.channels.get(&id);
    Channel {
        id: id.get(),
        name: known.and_then(|channel| channel.name.clone()),
        kind: known.map(|channel| u8::from(channel.kind)),
    }
}

fn role(id: RoleId, resolved: &CommandDataResolved) -> Role {
    Role { id: id.get(), name: resolved.roles.get(&id).map(|role| role.name.clone()) }
}

/// A mentionable. Its id alone does not say whether it is a user or a role.
fn mentionable(id: u64, resolved: &CommandDataResolved) -> Option<Mentionable> {
    let (as_user, as_role) = (UserId::new(id), RoleId::new(id));
    if resolved.users.contains_key(&as_user) {
        Some(Mentionable::User(user(as_user, resolved)))
    } else if resolved.roles.contains_key(&as_role) {
        Some(Mentionable::Role(role(as_role, resolved)))
    } else {
        None
    }
}

fn attachment(id: AttachmentId, resolved: &CommandDataResolved) -> Option<Attachment> {
    let known = resolved.attachments.get(&id)?;
    Some(Attachment {
        id: id.get(),
        filename: known.filename.clone(),
        size: u64::from(known.size),
        content_type: known.content_type.clone(),
        url: known.url.clone(),
    })
}
