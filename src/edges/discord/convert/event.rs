//! Converts commands and messages.

use serde::Deserialize as _;
use serenity::model::application::{
    AuthorizingIntegrationOwner, CommandDataOption, CommandDataOptionValue, CommandInteraction,
    CommandType as DiscordType, InteractionContext,
};
use serenity::model::channel::{Message as DiscordMessage, MessageType};
use serenity::model::user::User;

use crate::edges::discord::convert::came_with::came_with;
use crate::edges::discord::convert::sent::sent;
use crate::edges::discord::convert::{entity, member, reduced};
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, ChannelId, CommandType, EventId, GuildId, Inbound, Interaction, Message,
    Place, UserId,
};
use candor_core::language::Language;

/// A slash command, or a context-menu command with its target. `default` is the language for people whose own the bot
/// does not speak.
pub(crate) fn interaction(interaction: &CommandInteraction, default: Language) -> Interaction {
    let mut path = vec![interaction.data.name.clone()];
    let mut options = interaction.data.options.as_slice();
    while let [CommandDataOption { name, value, .. }] = options {
        let (CommandDataOptionValue::SubCommand(inner) | CommandDataOptionValue::SubCommandGroup(inner)) = value else {
            break;
        };
        path.push(name.clone());
        options = inner;
    }
    let data = &interaction.data;
    let (command_type, target) = match data.kind {
        DiscordType::User => (CommandType::UserMenu, entity::chosen_user(data)),
        DiscordType::Message => (CommandType::MessageMenu, entity::chosen_message(data)),
        _ => (CommandType::Slash, None),
    };
    Interaction {
        id: EventId(interaction.id.get()),
        caller: Caller {
            member: interaction.member.as_deref().map(member::calling),
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

/// Whether the command's guild installed the bot. What Discord does not say counts as no. The bot is in no group.
pub(crate) fn picked(interaction: &CommandInteraction) -> CallMethod {
    let owners = &interaction.authorizing_integration_owners.0;
    let is_guilds = owners.iter().any(|owner| matches!(owner, AuthorizingIntegrationOwner::GuildInstall(_)));
    let is_group = interaction.context == Some(InteractionContext::PrivateChannel);
    match is_guilds || (interaction.guild_id.is_none() && !is_group) {
        true => CallMethod::Picked,
        false => CallMethod::PickedByUserInstall,
    }
}

/// The name of the focused option.
pub(crate) fn focused(interaction: &CommandInteraction) -> Option<String> {
    interaction.data.autocomplete().map(|option| option.name.to_owned())
}

/// A message. `bot` is the bot's own id; every message in `chat_channels` is addressed to the bot. A message does not
/// carry its author's locale, so it is answered in `language`.
pub(crate) fn message(
    message: &DiscordMessage,
    bot: UserId,
    chat_channels: &[ChannelId],
    language: Language,
) -> Inbound {
    let author = match message {
        _ if message.author.id.get() == bot.0 => AuthorKind::Itself,
        _ if message.webhook_id.is_some() => AuthorKind::Webhook,
        _ if message.author.bot => AuthorKind::Bot,
        // Discord adds kinds of notices, so these two are listed and not those.
        _ if !matches!(message.kind, MessageType::Regular | MessageType::InlineReply) => AuthorKind::Notice,
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
        caller: Caller { member: message.member.as_deref().map(member::writing), ..caller(&message.author, language) },
        author,
        place: place(message.guild_id.map(|id| id.get()), message.channel_id.get()),
        addressed,
        bot,
        text: message.content.clone(),
        came_with: came_with(message, bot),
        sent: sent(message.id.get()),
    })
}

/// A message that a request returned.
pub(crate) fn read_message(answer: serde_json::Value) -> Option<DiscordMessage> {
    DiscordMessage::deserialize(&answer).ok().or_else(|| reduced::message(&answer))
}

/// A person as the event describes them, and the language to answer them in.
pub(crate) fn caller(user: &User, language: Language) -> Caller {
    Caller { language, ..Caller::new(UserId(user.id.get()), user.display_name()) }
}

/// The language to answer a command in.
pub(crate) fn of_command(interaction: &CommandInteraction, default: Language) -> Language {
    language(&interaction.locale, interaction.guild_locale.as_deref(), default)
}

/// The language of an interaction: the person's own, else the guild's, else the default.
pub(crate) fn language(locale: &str, guild: Option<&str>, default: Language) -> Language {
    Language::of_locale(locale).or_else(|| guild.and_then(Language::of_locale)).unwrap_or(default)
}

/// The place of an event, by the ids of guild and channel.
pub(crate) fn place(guild: Option<u64>, channel: u64) -> Place {
    let channel = ChannelId(channel);
    guild.map_or(Place::Direct { channel }, |guild| Place::Guild { guild: GuildId(guild), channel })
}
