//! Converts commands and messages.

use crate::convert::entity;
use crate::convert::inclusions::{came_with, sent};
use crate::payload::{self, CommandInteraction, User};
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, ChannelId, CommandType, EventId, GuildId, Inbound, Interaction, Member,
    Message, Permissions, Place, RoleId, UserId,
};
use candor_core::language::Language;

/// Converts a slash command, or a context-menu command with its target. `default` is used if the bot does not speak the
/// person's language.
pub(crate) fn interaction(interaction: &CommandInteraction<'_>, default: Language) -> Interaction {
    let data = &interaction.data;
    let mut path = vec![data.name.clone().into_owned()];
    let mut options = data.options.as_slice();
    while let [option] = options
        && option.is_subcommand()
    {
        path.push(option.name.clone().into_owned());
        options = &option.options;
    }
    let command_type = data.command_type().unwrap_or(CommandType::Slash);
    let target = match command_type {
        CommandType::Slash => None,
        CommandType::UserMenu => entity::chosen_user(data),
        CommandType::MessageMenu => entity::chosen_message(data),
    };
    Interaction {
        id: EventId(interaction.id.get()),
        caller: Caller {
            member: interaction.member.as_ref().map(calling_member),
            ..caller(&interaction.user, of_command(interaction, default))
        },
        place: place(interaction.guild_id.map(|id| id.get()), interaction.channel_id.get()),
        method: picked(interaction),
        command_type,
        path,
        arguments: entity::arguments(options, &data.resolved),
        target,
        sent: sent(interaction.id.get()),
    }
}

/// Returns whether the command's guild installed the bot. Without information from Discord, the answer is no. The bot
/// is never in a group chat.
fn picked(interaction: &CommandInteraction<'_>) -> CallMethod {
    let is_own_chat = interaction.guild_id.is_none() && !interaction.data.is_in_private_channel;
    match interaction.data.is_installed_in_guild || is_own_chat {
        true => CallMethod::Picked,
        false => CallMethod::PickedByUserInstall,
    }
}

/// Converts a message. `bot` is the bot's own id; every message in `chat_channels` is addressed to the bot. A message
/// does not carry its author's locale, so it is answered in `language`.
pub(crate) fn message(
    message: &payload::Message<'_>,
    bot: UserId,
    chat_channels: &[ChannelId],
    language: Language,
) -> Inbound {
    let author = match message {
        _ if message.author.id.get() == bot.0 => AuthorKind::Itself,
        _ if message.is_of_webhook => AuthorKind::Webhook,
        _ if message.author.bot => AuthorKind::Bot,
        _ if !message.is_written() => AuthorKind::Notice,
        _ => AuthorKind::Person,
    };
    let mentioned = message.mentions.iter().any(|user| user.id.get() == bot.0);
    let replied = message.referenced_message.as_ref().is_some_and(|to| to.author.id.get() == bot.0);
    let addressed = match message.guild_id {
        None => Addressed::Direct,
        Some(_) if mentioned => Addressed::Mention,
        Some(_) if replied => Addressed::Reply,
        Some(_) if chat_channels.contains(&ChannelId(message.channel_id.get())) => Addressed::ChatChannel,
        Some(_) => Addressed::No,
    };
    Inbound::Message(Message {
        id: EventId(message.id.get()),
        caller: Caller { member: message.member.as_ref().map(writing_member), ..caller(&message.author, language) },
        author,
        place: place(message.guild_id.map(|id| id.get()), message.channel_id.get()),
        addressed,
        bot,
        text: message.content.clone().into_owned(),
        came_with: came_with(message, bot),
        sent: sent(message.id.get()),
    })
}

pub(crate) fn caller(user: &User<'_>, language: Language) -> Caller {
    Caller { language, ..Caller::new(UserId(user.id.get()), user.display_name()) }
}

pub(crate) fn of_command(interaction: &CommandInteraction<'_>, default: Language) -> Language {
    language(&interaction.locale, interaction.guild_locale.as_deref(), default)
}

/// Returns the person's language, else the guild's, else the default.
pub(crate) fn language(locale: &str, guild: Option<&str>, default: Language) -> Language {
    Language::of_locale(locale).or_else(|| guild.and_then(Language::of_locale)).unwrap_or(default)
}

pub(crate) fn place(guild: Option<u64>, channel: u64) -> Place {
    let channel = ChannelId(channel);
    guild.map_or(Place::Direct { channel }, |guild| Place::Guild { guild: GuildId(guild), channel })
}

/// Converts the member of an interaction, with their permissions in its channel.
pub(crate) fn calling_member(member: &payload::Member<'_>) -> Member {
    Member { permissions: member.permissions.map(Permissions), ..writing_member(member) }
}

/// Converts the member of a message, which does not carry its author's permissions.
pub(crate) fn writing_member(member: &payload::Member<'_>) -> Member {
    Member { roles: member.roles.iter().map(|role| RoleId(role.get())).collect(), permissions: None }
}
