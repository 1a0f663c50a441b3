//! `/inspect`: Discord ids and what Discord says about them, in the form that the settings use.
//!
//! No request to Discord is made: everything shown came with the command. Files are never downloaded.

mod permission;
mod snowflake;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Deserialize;

use candor_core::contract::entity::{Attachment, Channel, Mentionable, MessageRef, Role, User};
use candor_core::contract::{Call, CommandError, NativeModule};
use candor_core::inbound::Place;
use candor_core::reply::{Field, Reply, age};
use candor_core::text::{escaped, visible_line};

/// The module.
pub fn module() -> NativeModule {
    NativeModule::new("inspect", include_str!("module.toml"))
        .handler("person", person)
        .handler("file", file)
        .handler("id", id)
        .handler("channel", channel)
        .handler("role", role)
        .handler("mention", mention)
        .handler("permission", permission::show)
        .complete("permission", "bit", permission::suggest)
        .handler("message", message)
}

/// What `/inspect person` takes, and the target of the user context-menu command.
#[derive(Deserialize, JsonSchema)]
struct OfPerson {
    /// Whom it is about
    user: User,
}

/// What `/inspect file` takes.
#[derive(Deserialize, JsonSchema)]
struct OfFile {
    /// The file
    file: Attachment,
}

/// What `/inspect id` takes.
#[derive(Deserialize, JsonSchema)]
struct OfId {
    /// The id, such as 1100000000000000000
    #[schemars(length(min = 1, max = 30))]
    id: String,
}

/// What `/inspect server channel` takes.
#[derive(Deserialize, JsonSchema)]
struct OfChannel {
    /// The channel
    channel: Channel,
}

/// What `/inspect server role` takes.
#[derive(Deserialize, JsonSchema)]
struct OfRole {
    /// The role
    role: Role,
}

/// What `/inspect server mention` takes.
#[derive(Deserialize, JsonSchema)]
struct OfMention {
    /// A person or a role
    who: Mentionable,
}

/// The target of the message context-menu command.
#[derive(Deserialize, JsonSchema)]
struct OfMessage {
    /// The message
    message: MessageRef,
}

async fn person(of: OfPerson, call: Call) -> Result<Reply, CommandError> {
    Ok(of_user(&of.user, &call))
}

async fn file(of: OfFile, _: Call) -> Result<Reply, CommandError> {
    let Attachment { id, filename, size, content_type, .. } = of.file;
    let kind = content_type.map_or_else(|| "Discord does not say".to_owned(), |kind| words(&kind));
    let fields = [
        field("Name", words(&filename)),
        field("Size", format!("{size} bytes")),
        field("Type", kind),
        field("Id", code(id)),
    ];
    Ok(Reply { fields: fields.into(), ..Reply::text("As Discord describes it. The file was not read.").titled("File") })
}

async fn id(of: OfId, call: Call) -> Result<Reply, CommandError> {
    let id = snowflake::read(&of.id).ok_or_else(|| {
        CommandError::tell("That is not a Discord id: one is a number of 17 to 20 digits. Nothing was looked up.")
    })?;
    let made = snowflake::made(id);
    let fields =
        [field("Id", code(id)), field("Made", snowflake::date_and_time(made)), field("Age", age(made, call.now))];
    Ok(Reply { fields: fields.into(), ..Reply::default().titled("Id") })
}

async fn channel(of: OfChannel, call: Call) -> Result<Reply, CommandError> {
    let Channel { id, name, kind } = of.channel;
    let mut fields = named(name.as_deref());
    fields.extend(kind.map(|kind| field("Type", kind_of(kind))));
    fields.extend(numbered(id));
    fields.extend(server(&call));
    Ok(Reply { fields, ..Reply::default().titled("Channel") })
}

async fn role(of: OfRole, call: Call) -> Result<Reply, CommandError> {
    Ok(of_role(&of.role, &call))
}

async fn mention(of: OfMention, call: Call) -> Result<Reply, CommandError> {
    Ok(match of.who {
        Mentionable::User(user) => of_user(&user, &call),
        Mentionable::Role(role) => of_role(&role, &call),
    })
}

async fn message(of: OfMessage, call: Call) -> Result<Reply, CommandError> {
    let MessageRef { id, channel, author, content } = of.message;
    let place = match call.place {
        Place::Guild { guild, .. } => guild.to_string(),
        Place::Direct { .. } | Place::Console => "@me".to_owned(),
    };
    let mut fields = vec![
        field("Message", code(id)),
        field("Channel", code(channel)),
        field("Author", code(author.id)),
        field("Sent", snowflake::date_and_time(snowflake::made(id))),
        field("Length", format!("{} characters", content.chars().count())),
        field("Link", format!("https://discord.com/channels/{place}/{channel}/{id}")),
    ];
    fields.extend(author.name.map(|name| field("Author's name", words(&name))));
    fields.extend(server(&call));
    Ok(Reply { fields, ..Reply::default().titled("Message") })
}

fn of_user(user: &User, call: &Call) -> Reply {
    let mut fields = named(user.name.as_deref());
    fields.extend(user.bot.map(|bot| field("Is", if bot { "a bot" } else { "a person" })));
    fields.extend(numbered(user.id));
    fields.extend(server(call));
    Reply { fields, ..Reply::default().titled("User") }
}

fn of_role(role: &Role, call: &Call) -> Reply {
    let mut fields = named(role.name.as_deref());
    fields.extend(numbered(role.id));
    fields.extend(server(call));
    Reply { fields, ..Reply::default().titled("Role") }
}

/// A typed mention has no name.
fn named(name: Option<&str>) -> Vec<Field> {
    name.map(|name| field("Name", words(name))).into_iter().collect()
}

fn numbered(id: u64) -> [Field; 2] {
    [field("Id", code(id)), field("Made", snowflake::date_and_time(snowflake::made(id)))]
}

fn server(call: &Call) -> Option<Field> {
    match call.place {
        Place::Guild { guild, .. } => Some(field("Server", code(guild.0))),
        Place::Direct { .. } | Place::Console => None,
    }
}

fn field(name: &str, value: impl Into<String>) -> Field {
    Field { name: name.to_owned(), value: value.into() }
}

/// An id formatted for copying.
fn code(id: u64) -> String {
    format!("`{id}`")
}

/// Untrusted text as one harmless line.
fn words(text: &str) -> String {
    escaped(&visible_line(text))
}

/// The name of a channel type. See Discord's documentation, channel types.
fn kind_of(kind: u8) -> String {
    match kind {
        0 => "text".to_owned(),
        5 => "announcement".to_owned(),
        10 => "thread of an announcement".to_owned(),
        11 => "public thread".to_owned(),
        12 => "private thread".to_owned(),
        other => format!("number {other} of Discord's types"),
    }
}
