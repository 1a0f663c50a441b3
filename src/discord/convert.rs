//! Discord's events in our own words.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use serenity::model::application::{CommandDataOption, CommandDataOptionValue, CommandInteraction};
use serenity::model::channel::Message as DiscordMessage;
use serenity::model::user::User;

use crate::inbound::{
    Addressed, Author, Caller, ChannelId, EventId, GuildId, Inbound, Interaction, Message, Place, UserId,
};

/// The first millisecond of Discord's ids: the start of 2015. See its documentation on snowflakes.
const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// A slash command from the picker.
pub(super) fn interaction(interaction: &CommandInteraction) -> Interaction {
    let mut path = vec![interaction.data.name.clone()];
    let mut options = interaction.data.options.as_slice();
    while let [CommandDataOption { name, value, .. }] = options {
        let (CommandDataOptionValue::SubCommand(inner) | CommandDataOptionValue::SubCommandGroup(inner)) = value else {
            break;
        };
        path.push(name.clone());
        options = inner;
    }
    Interaction {
        id: EventId(interaction.id.get()),
        caller: caller(&interaction.user),
        place: place(interaction.guild_id.map(|id| id.get()), interaction.channel_id.get()),
        path,
        arguments: arguments(options),
        sent: sent(interaction.id.get()),
    }
}

/// The name of the option that is being typed.
pub(super) fn focused(interaction: &CommandInteraction) -> Option<String> {
    interaction.data.autocomplete().map(|option| option.name.to_owned())
}

/// A message. `bot` is the bot's own id; every message of `chat_channels` is for the bot.
pub(super) fn message(message: &DiscordMessage, bot: UserId, chat_channels: &[ChannelId]) -> Inbound {
    let author = match message {
        _ if message.author.id.get() == bot.0 => Author::Itself,
        _ if message.webhook_id.is_some() => Author::Webhook,
        _ if message.author.bot => Author::Bot,
        _ => Author::Person,
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
        caller: caller(&message.author),
        author,
        place: place(message.guild_id.map(|id| id.get()), message.channel_id.get()),
        addressed,
        bot,
        text: message.content.clone(),
        sent: sent(message.id.get()),
    })
}

/// A person, as the event names them.
pub(super) fn caller(user: &User) -> Caller {
    Caller { id: UserId(user.id.get()), name: user.display_name().to_owned() }
}

/// Where something happens, by the ids of server and channel.
pub(super) fn place(guild: Option<u64>, channel: u64) -> Place {
    let channel = ChannelId(channel);
    guild.map_or(Place::Direct { channel }, |guild| Place::Guild { guild: GuildId(guild), channel })
}

/// When an event was made, by Discord's clock: its id says so.
pub(super) fn sent(id: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis((id >> 22) + DISCORD_EPOCH_MS)
}

fn arguments(options: &[CommandDataOption]) -> Map<String, Value> {
    options.iter().map(|option| (option.name.clone(), value(&option.value))).collect()
}

/// A value with its JSON type. Kinds that no option of ours has become null, which fits no option: the
/// router then says that Discord knows another form of the command.
fn value(value: &CommandDataOptionValue) -> Value {
    match value {
        CommandDataOptionValue::Boolean(truth) => Value::from(*truth),
        CommandDataOptionValue::Integer(number) => Value::from(*number),
        CommandDataOptionValue::Number(number) => Value::from(*number),
        CommandDataOptionValue::String(text) => Value::from(text.clone()),
        _ => Value::Null,
    }
}
