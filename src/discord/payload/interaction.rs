//! Interactions: commands, autocomplete, presses of components, and submitted modals.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer};
use serenity::model::id::{ChannelId, GuildId, InteractionId};

use super::lenient::{
    ById, Object, Scalar, by_id, flag, has_key, id, list, needed_id, needed_number, needed_object, needed_text, number,
    object, plain_text, text, texts,
};
use super::message::{Attachment, Message};
use crate::payload::message::{Member, User};
use candor_core::inbound::CommandType;

/// Discord's numbers. See its documentation: interaction types, contexts, component types, and option types.
const COMMAND: u64 = 2;
const PRESS: u64 = 3;
const TYPING: u64 = 4;
const SUBMISSION: u64 = 5;
const PRIVATE_CHANNEL: u64 = 2;
const TEXT_INPUT: u64 = 4;
const STRING_SELECT: u64 = 3;
const ROLE_SELECT: u64 = 6;
const CHANNEL_SELECT: u64 = 8;
const OPTION_TYPES: RangeInclusive<u64> = 1..=11;

#[derive(Clone, Debug)]
pub(crate) struct Interaction<'a, D> {
    pub(crate) id: InteractionId,
    /// The token for its responses.
    pub(crate) token: Cow<'a, str>,
    pub(crate) user: User<'a>,
    /// The person as a member, in a guild.
    pub(crate) member: Option<Member<'a>>,
    pub(crate) guild_id: Option<GuildId>,
    pub(crate) channel_id: ChannelId,
    /// The language of the person's client.
    pub(crate) locale: Cow<'a, str>,
    pub(crate) guild_locale: Option<Cow<'a, str>>,
    pub(crate) data: D,
}

impl<'a> Interaction<'a, ()> {
    fn about<D>(self, data: D) -> Interaction<'a, D> {
        let Self { id, token, user, member, guild_id, channel_id, locale, guild_locale, data: () } = self;
        Interaction { id, token, user, member, guild_id, channel_id, locale, guild_locale, data }
    }
}

pub(crate) type CommandInteraction<'a> = Interaction<'a, CommandData<'a>>;
pub(crate) type ComponentInteraction<'a> = Interaction<'a, ComponentData<'a>>;
pub(crate) type ModalInteraction<'a> = Interaction<'a, ModalData<'a>>;

pub(crate) enum Read<'a> {
    Command(CommandInteraction<'a>),
    /// Autocomplete: a person types in an option and wants suggestions.
    Typing(CommandInteraction<'a>),
    Component(ComponentInteraction<'a>),
    Modal(ModalInteraction<'a>),
    /// An interaction that cannot be decoded: only plain text can answer it.
    Unread(Unread<'a>),
}

impl Read<'_> {
    pub(crate) fn id(&self) -> InteractionId {
        match self {
            Self::Command(read) | Self::Typing(read) => read.id,
            Self::Component(read) => read.id,
            Self::Modal(read) => read.id,
            Self::Unread(read) => read.id,
        }
    }

    pub(crate) fn token(&self) -> &str {
        match self {
            Self::Command(read) | Self::Typing(read) => &read.token,
            Self::Component(read) => &read.token,
            Self::Modal(read) => &read.token,
            Self::Unread(read) => &read.token,
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => "Command",
            Self::Typing(_) => "Autocomplete",
            Self::Component(_) => "Component",
            Self::Modal(_) => "Modal",
            Self::Unread(_) => "Unread",
        }
    }
}

/// An interaction that cannot be decoded. It can still be answered with its id and token.
#[derive(Debug, Deserialize)]
pub(crate) struct Unread<'a> {
    #[serde(deserialize_with = "needed_id")]
    pub(crate) id: InteractionId,
    #[serde(borrow, deserialize_with = "needed_text")]
    pub(crate) token: Cow<'a, str>,
    #[serde(default, deserialize_with = "number", rename = "type")]
    kind: Option<u64>,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) locale: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) guild_locale: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "object")]
    data: Option<UnreadData<'a>>,
}

#[derive(Debug, Deserialize)]
struct UnreadData<'a> {
    #[serde(default, deserialize_with = "number", rename = "type")]
    kind: Option<u64>,
    #[serde(borrow, default, deserialize_with = "text")]
    name: Option<Cow<'a, str>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seeming<'a> {
    Command(CommandType, &'a str),
    Typing,
    Component,
    Modal,
    /// One that opens an app, or of a kind that Discord added.
    Other,
}

impl Unread<'_> {
    pub(crate) fn seeming(&self) -> Seeming<'_> {
        let data = self.data.as_ref();
        match (self.kind, data.and_then(|data| data.kind), data.and_then(|data| data.name.as_deref())) {
            (Some(COMMAND), None | Some(1), Some(name)) => Seeming::Command(CommandType::Slash, name),
            (Some(COMMAND), Some(2), Some(name)) => Seeming::Command(CommandType::UserMenu, name),
            (Some(COMMAND), Some(3), Some(name)) => Seeming::Command(CommandType::MessageMenu, name),
            (Some(TYPING), ..) => Seeming::Typing,
            (Some(PRESS), ..) => Seeming::Component,
            (Some(SUBMISSION), ..) => Seeming::Modal,
            _ => Seeming::Other,
        }
    }

    pub(crate) fn kind(&self) -> Option<u64> {
        self.kind
    }
}

/// An interaction on the wire. Its `data` may be of each kind.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(deserialize_with = "needed_id")]
    id: InteractionId,
    #[serde(borrow, deserialize_with = "needed_text")]
    token: Cow<'a, str>,
    #[serde(deserialize_with = "needed_number", rename = "type")]
    kind: u64,
    /// In a direct message.
    #[serde(borrow, default, deserialize_with = "object")]
    user: Option<User<'a>>,
    /// In a guild.
    #[serde(borrow, default, deserialize_with = "object")]
    member: Option<Member<'a>>,
    #[serde(default, deserialize_with = "id")]
    guild_id: Option<GuildId>,
    #[serde(default, deserialize_with = "id")]
    channel_id: Option<ChannelId>,
    #[serde(default, deserialize_with = "object")]
    channel: Option<WireChannel>,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    locale: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "text")]
    guild_locale: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "of_guild", rename = "authorizing_integration_owners")]
    is_installed_in_guild: bool,
    #[serde(default, deserialize_with = "number")]
    context: Option<u64>,
    #[serde(borrow, default, deserialize_with = "object")]
    message: Option<Message<'a>>,
    #[serde(borrow, deserialize_with = "needed_object")]
    data: Data<'a>,
}

#[derive(Deserialize)]
struct WireChannel {
    #[serde(deserialize_with = "needed_id")]
    id: ChannelId,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    name: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "number", rename = "type")]
    kind: Option<u64>,
    #[serde(borrow, default, deserialize_with = "list")]
    options: Vec<CommandOption<'a>>,
    #[serde(borrow, default, deserialize_with = "object")]
    resolved: Option<Resolved<'a>>,
    #[serde(default, deserialize_with = "id")]
    target_id: Option<NonZeroU64>,
    #[serde(borrow, default, deserialize_with = "text")]
    custom_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "number")]
    component_type: Option<u64>,
    #[serde(borrow, default, deserialize_with = "texts")]
    values: Vec<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "list")]
    components: Vec<Row<'a>>,
}

/// A command that was chosen, or is being typed.
#[derive(Clone, Debug)]
pub(crate) struct CommandData<'a> {
    pub(crate) name: Cow<'a, str>,
    /// Discord's number of its type.
    pub(crate) kind: u64,
    pub(crate) options: Vec<CommandOption<'a>>,
    /// The objects that options and target refer to.
    pub(crate) resolved: Resolved<'a>,
    /// The target of a context-menu command.
    pub(crate) target_id: Option<NonZeroU64>,
    pub(crate) is_installed_in_guild: bool,
    /// Whether it was chosen in a channel that the bot is not in.
    pub(crate) is_in_private_channel: bool,
}

impl CommandData<'_> {
    /// Returns the type of the command. `None` for a type that the bot cannot have.
    pub(crate) fn command_type(&self) -> Option<CommandType> {
        match self.kind {
            1 => Some(CommandType::Slash),
            2 => Some(CommandType::UserMenu),
            3 => Some(CommandType::MessageMenu),
            _ => None,
        }
    }

    /// Returns the option that the person is typing in, also within a subcommand.
    pub(crate) fn focused(&self) -> Option<&CommandOption<'_>> {
        fn within<'o, 'a>(options: &'o [CommandOption<'a>]) -> Option<&'o CommandOption<'a>> {
            options.iter().find_map(|option| if option.focused { Some(option) } else { within(&option.options) })
        }
        within(&self.options)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CommandOption<'a> {
    #[serde(borrow, deserialize_with = "needed_text")]
    pub(crate) name: Cow<'a, str>,
    /// Discord's number of its type.
    #[serde(deserialize_with = "needed_number", rename = "type")]
    pub(crate) kind: u64,
    #[serde(borrow, default)]
    pub(crate) value: Scalar<'a>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(crate) options: Vec<CommandOption<'a>>,
    #[serde(default, deserialize_with = "flag")]
    pub(crate) focused: bool,
}

impl CommandOption<'_> {
    pub(crate) fn is_subcommand(&self) -> bool {
        matches!(self.kind, 1 | 2)
    }

    /// Returns the text typed so far, in an option of any type.
    pub(crate) fn typed(&self) -> &str {
        if let Scalar::Text(text) = &self.value { text } else { "" }
    }

    /// Returns whether its value, or each value within a subcommand, matches its type. A value that is still being
    /// typed may be anything.
    fn fits(&self) -> bool {
        match (self.kind, &self.value) {
            (1 | 2, _) => self.options.iter().all(Self::fits),
            (3, Scalar::Text(_)) | (4 | 10, Scalar::Integer(_)) | (5, Scalar::Boolean(_)) | (10, Scalar::Number(_)) => {
                true
            }
            (6..=9 | 11, id) => id.id().is_some(),
            _ => !OPTION_TYPES.contains(&self.kind),
        }
    }

    /// Returns whether the bot can know its value: Discord may add types with values of another form.
    pub(crate) fn is_of_use(&self) -> bool {
        OPTION_TYPES.contains(&self.kind) || self.value != Scalar::None
    }
}

/// The objects that a command refers to by id.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Resolved<'a> {
    #[serde(borrow, default, deserialize_with = "by_id")]
    pub(crate) users: ById<User<'a>>,
    #[serde(borrow, default, deserialize_with = "by_id")]
    pub(crate) members: ById<Member<'a>>,
    #[serde(borrow, default, deserialize_with = "by_id")]
    pub(crate) roles: ById<Role<'a>>,
    #[serde(borrow, default, deserialize_with = "by_id")]
    pub(crate) channels: ById<Channel<'a>>,
    #[serde(borrow, default, deserialize_with = "by_id")]
    pub(crate) messages: ById<Message<'a>>,
    #[serde(borrow, default, deserialize_with = "by_id")]
    pub(crate) attachments: ById<Attachment<'a>>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Role<'a> {
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) name: Cow<'a, str>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Channel<'a> {
    #[serde(borrow, default, deserialize_with = "text")]
    pub(crate) name: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "number", rename = "type")]
    kind: Option<u64>,
}

impl Channel<'_> {
    /// Returns Discord's number of its type, or 255 if it is unreadable.
    pub(crate) fn kind(&self) -> u8 {
        self.kind.and_then(|kind| u8::try_from(kind).ok()).unwrap_or(u8::MAX)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ComponentData<'a> {
    pub(crate) custom_id: Cow<'a, str>,
    pub(crate) chosen: Chosen<'a>,
    pub(crate) message: Message<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum Chosen<'a> {
    /// A button, or a menu that no control of the bot has.
    Nothing,
    Text(Cow<'a, str>),
    Channels(Vec<NonZeroU64>),
    Roles(Vec<NonZeroU64>),
}

#[derive(Clone, Debug)]
pub(crate) struct ModalData<'a> {
    pub(crate) custom_id: Cow<'a, str>,
    /// The texts written by the person, in the order of the inputs.
    pub(crate) inputs: Vec<Input<'a>>,
    /// The message with the component that opened it.
    pub(crate) message: Option<Message<'a>>,
}

/// A row of inputs. The newer label component holds one input.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    components: Vec<Input<'a>>,
    #[serde(borrow, default, deserialize_with = "object")]
    component: Option<Input<'a>>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Input<'a> {
    #[serde(default, deserialize_with = "number", rename = "type")]
    kind: Option<u64>,
    #[serde(borrow, deserialize_with = "needed_text")]
    pub(crate) custom_id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "plain_text")]
    pub(crate) value: Cow<'a, str>,
}

/// Parses an interaction from the data of its event. `None` if it cannot be answered.
pub(crate) fn read_interaction(data: &str) -> Option<Read<'_>> {
    let wire = serde_json::from_str::<Object<Wire<'_>>>(data).ok().and_then(|Object(wire)| wire);
    match wire.and_then(of_wire) {
        Some(read) => Some(read),
        None => serde_json::from_str::<Object<Unread<'_>>>(data).ok()?.0.map(Read::Unread),
    }
}

fn of_wire(wire: Wire<'_>) -> Option<Read<'_>> {
    let Wire { id, token, kind, user, mut member, guild_id, locale, guild_locale, message, data, .. } = wire;
    let user = user.or_else(|| member.as_mut()?.user.take())?;
    let channel_id = wire.channel_id.or(wire.channel.map(|channel| channel.id))?;
    let bare = Interaction { id, token, user, member, guild_id, channel_id, locale, guild_locale, data: () };
    Some(match kind {
        COMMAND if !data.options.iter().all(CommandOption::fits) => return None,
        COMMAND | TYPING => {
            let command = bare.about(CommandData {
                name: data.name?,
                kind: data.kind.unwrap_or(1),
                options: data.options,
                resolved: data.resolved.unwrap_or_default(),
                target_id: data.target_id,
                is_installed_in_guild: wire.is_installed_in_guild,
                is_in_private_channel: wire.context == Some(PRIVATE_CHANNEL),
            });
            if kind == COMMAND { Read::Command(command) } else { Read::Typing(command) }
        }
        PRESS => {
            let chosen = chosen(data.component_type, data.values);
            Read::Component(bare.about(ComponentData { custom_id: data.custom_id?, chosen, message: message? }))
        }
        SUBMISSION => {
            let inputs = data.components.into_iter().flat_map(|row| row.components.into_iter().chain(row.component));
            let inputs = inputs.filter(|input| input.kind == Some(TEXT_INPUT)).collect();
            Read::Modal(bare.about(ModalData { custom_id: data.custom_id?, inputs, message }))
        }
        _ => return None,
    })
}

fn chosen(component_type: Option<u64>, values: Vec<Cow<'_, str>>) -> Chosen<'_> {
    let ids = |values: &[Cow<'_, str>]| values.iter().filter_map(|value| value.parse().ok()).collect();
    match component_type {
        Some(STRING_SELECT) => values.into_iter().next().map_or(Chosen::Nothing, Chosen::Text),
        Some(CHANNEL_SELECT) => Chosen::Channels(ids(&values)),
        Some(ROLE_SELECT) => Chosen::Roles(ids(&values)),
        _ => Chosen::Nothing,
    }
}

/// Returns whether the guild installed the application: `authorizing_integration_owners` then has the key 0.
fn of_guild<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    has_key(deserializer, "0")
}
