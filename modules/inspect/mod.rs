//! `/inspect`: Discord ids and Discord's data about them, in the form that the settings use.
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
use candor_core::language::{Language, say_from};
use candor_core::reply::{Field, Reply, age_in};
use candor_core::text::{escaped, visible_line};
use permission::TEXTS;

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

async fn file(of: OfFile, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let Attachment { id, filename, size, content_type, .. } = of.file;
    let kind = content_type.map_or_else(|| say_from!(TEXTS, language, "type-not-said"), |kind| words(&kind));
    let fields = [
        field(say_from!(TEXTS, language, "name"), words(&filename)),
        field(say_from!(TEXTS, language, "size"), say_from!(TEXTS, language, "size-bytes", n = size)),
        field(say_from!(TEXTS, language, "type"), kind),
        field(say_from!(TEXTS, language, "id"), code(id)),
    ];
    let told = Reply::text(say_from!(TEXTS, language, "not-read")).titled(say_from!(TEXTS, language, "title-file"));
    Ok(Reply { fields: fields.into(), ..told })
}

async fn id(of: OfId, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let id = snowflake::read(&of.id).ok_or_else(|| CommandError::tell(say_from!(TEXTS, language, "no-id")))?;
    let made = snowflake::made(id);
    let fields = [
        field(say_from!(TEXTS, language, "id"), code(id)),
        field(say_from!(TEXTS, language, "made"), snowflake::date_and_time(made)),
        field(say_from!(TEXTS, language, "age"), age_in(made, call.now, language)),
    ];
    Ok(Reply { fields: fields.into(), ..Reply::default().titled(say_from!(TEXTS, language, "title-id")) })
}

async fn channel(of: OfChannel, call: Call) -> Result<Reply, CommandError> {
    let Channel { id, name, kind } = of.channel;
    let language = call.caller.language;
    let mut fields = named(name.as_deref(), language);
    fields.extend(kind.map(|kind| field(say_from!(TEXTS, language, "type"), kind_of(kind, language))));
    fields.extend(numbered(id, language));
    fields.extend(server(&call));
    Ok(Reply { fields, ..Reply::default().titled(say_from!(TEXTS, language, "title-channel")) })
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
    let language = call.caller.language;
    let place = match call.place {
        Place::Guild { guild, .. } => guild.to_string(),
        Place::Direct { .. } | Place::Console => "@me".to_owned(),
    };
    let mut fields = vec![
        field(say_from!(TEXTS, language, "message"), code(id)),
        field(say_from!(TEXTS, language, "channel"), code(channel)),
        field(say_from!(TEXTS, language, "author"), code(author.id)),
        field(say_from!(TEXTS, language, "sent"), snowflake::date_and_time(snowflake::made(id))),
        field(
            say_from!(TEXTS, language, "length"),
            say_from!(TEXTS, language, "length-characters", n = content.chars().count()),
        ),
        field(say_from!(TEXTS, language, "link"), format!("https://discord.com/channels/{place}/{channel}/{id}")),
    ];
    fields.extend(author.name.map(|name| field(say_from!(TEXTS, language, "author-name"), words(&name))));
    fields.extend(server(&call));
    Ok(Reply { fields, ..Reply::default().titled(say_from!(TEXTS, language, "title-message")) })
}

fn of_user(user: &User, call: &Call) -> Reply {
    let language = call.caller.language;
    let mut fields = named(user.name.as_deref(), language);
    fields.extend(user.bot.map(|bot| match bot {
        true => field(say_from!(TEXTS, language, "is"), say_from!(TEXTS, language, "is-bot")),
        false => field(say_from!(TEXTS, language, "is"), say_from!(TEXTS, language, "is-person")),
    }));
    fields.extend(numbered(user.id, language));
    fields.extend(server(call));
    Reply { fields, ..Reply::default().titled(say_from!(TEXTS, language, "title-user")) }
}

fn of_role(role: &Role, call: &Call) -> Reply {
    let language = call.caller.language;
    let mut fields = named(role.name.as_deref(), language);
    fields.extend(numbered(role.id, language));
    fields.extend(server(call));
    Reply { fields, ..Reply::default().titled(say_from!(TEXTS, language, "title-role")) }
}

/// A typed mention has no name.
fn named(name: Option<&str>, language: Language) -> Vec<Field> {
    name.map(|name| field(say_from!(TEXTS, language, "name"), words(name))).into_iter().collect()
}

fn numbered(id: u64, language: Language) -> [Field; 2] {
    [
        field(say_from!(TEXTS, language, "id"), code(id)),
        field(say_from!(TEXTS, language, "made"), snowflake::date_and_time(snowflake::made(id))),
    ]
}

fn server(call: &Call) -> Option<Field> {
    match call.place {
        Place::Guild { guild, .. } => Some(field(say_from!(TEXTS, call.caller.language, "server"), code(guild.0))),
        Place::Direct { .. } | Place::Console => None,
    }
}

fn field(name: String, value: String) -> Field {
    Field { name, value }
}

/// Formats an id for copying.
fn code(id: u64) -> String {
    format!("`{id}`")
}

/// Returns untrusted text as one harmless line.
fn words(text: &str) -> String {
    escaped(&visible_line(text))
}

/// Returns the name of a channel type. See Discord's documentation, channel types.
fn kind_of(kind: u8, language: Language) -> String {
    match kind {
        0 => say_from!(TEXTS, language, "kind-text"),
        5 => say_from!(TEXTS, language, "kind-announcement"),
        10 => say_from!(TEXTS, language, "kind-announcement-thread"),
        11 => say_from!(TEXTS, language, "kind-public-thread"),
        12 => say_from!(TEXTS, language, "kind-private-thread"),
        other => say_from!(TEXTS, language, "kind-other", kind = other),
    }
}
