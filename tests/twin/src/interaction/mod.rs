//! Interactions that a user starts: commands, autocomplete, components and modals.

pub(crate) mod component;
mod entity;
mod event;
pub(crate) mod options;

use serde_json::{Value, json};

use crate::interaction::entity::Entity;
use crate::interaction::options::OptionValue;
use crate::payload::{CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, USER_ID};

/// Discord's interaction types.
const COMMAND: u64 = 2;
const COMPONENT: u64 = 3;
const AUTOCOMPLETE: u64 = 4;
const MODAL_SUBMIT: u64 = 5;

/// The command type of context-menu commands on messages.
const MESSAGE_COMMAND: u64 = 3;
/// The component type of a button.
const BUTTON: u64 = 2;

/// An interaction to send. Built by an associated function such as [`Interaction::slash`], refined by methods, sent by
/// [`Twin::interact`].
///
/// [`Twin::interact`]: crate::Twin::interact
#[derive(Clone, Debug)]
pub struct Interaction {
    pub(crate) kind: u64,
    shape: Shape,
    subcommands: Vec<String>,
    options: Vec<OptionValue>,
    caller: u64,
    roles: Vec<u64>,
    /// The target of a context-menu command on a user, if not the caller.
    target: Option<u64>,
    from_message: Option<u64>,
    pub(crate) user_installed: bool,
    place: Place,
    permissions: Option<u64>,
    locale: String,
    pub(crate) age_ms: i64,
    /// What is set in the payload at last: places and values, null for what is left out.
    changes: Vec<(String, Value)>,
}

/// The id and token of an interaction that was sent. They identify the responses to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sent {
    /// The interaction's id, a snowflake.
    pub id: u64,
    /// The interaction's token.
    pub token: String,
}

/// Where an interaction is started.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Guild { guild: u64, channel: u64 },
    Dm,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A command of this type and name.
    Command { command_type: u64, name: String },
    /// Exactly this `data`.
    Data(Value),
    /// A click on a button of this stored message, or a choice of these values in one of its select menus.
    Component { message: u64, custom_id: String, values: Vec<String> },
    /// A context-menu command on this stored message.
    OnMessage { message: u64, name: String },
}

impl Interaction {
    /// A slash command, for example `status`.
    pub fn slash(name: &str) -> Interaction {
        Interaction::with_command(COMMAND, 1, name)
    }

    /// An autocomplete request for a slash command. [`Interaction::focused`] sets the option that is being typed.
    pub fn autocomplete(name: &str) -> Interaction {
        Interaction::with_command(AUTOCOMPLETE, 1, name)
    }

    /// A context-menu command on a user. The target is the caller unless [`Interaction::on_user`] sets another.
    pub fn user_menu(name: &str) -> Interaction {
        Interaction::with_command(COMMAND, 2, name)
    }

    /// A context-menu command on a message. The target is a made-up message of the caller; for a stored message see
    /// [`Interaction::on_message`].
    pub fn message_menu(name: &str) -> Interaction {
        Interaction::with_command(COMMAND, 3, name)
    }

    /// The entry point command of an activity: a command of type 4.
    pub fn entry_point(name: &str) -> Interaction {
        Interaction::with_command(COMMAND, 4, name)
    }

    /// A context-menu command on a stored message of any author. [`Twin::interact`] panics if there is no such message.
    ///
    /// [`Twin::interact`]: crate::Twin::interact
    pub fn on_message(name: &str, message_id: u64) -> Interaction {
        Interaction::of(COMMAND, Shape::OnMessage { message: message_id, name: name.to_owned() })
    }

    /// An interaction of any type with any `data`.
    pub fn raw(kind: u64, data: Value) -> Interaction {
        Interaction::of(kind, Shape::Data(data))
    }

    fn with_command(kind: u64, command_type: u64, name: &str) -> Interaction {
        Interaction::of(kind, Shape::Command { command_type, name: name.to_owned() })
    }

    fn of(kind: u64, shape: Shape) -> Interaction {
        Interaction {
            kind,
            shape,
            subcommands: Vec::new(),
            options: Vec::new(),
            caller: USER_ID,
            roles: Vec::new(),
            target: None,
            from_message: None,
            user_installed: false,
            place: Place::Guild { guild: GUILD_ID, channel: CHANNEL_ID },
            permissions: None,
            locale: "en-US".to_owned(),
            age_ms: 0,
            changes: Vec::new(),
        }
    }

    /// The subcommand. If called twice, the first call names the group.
    pub fn subcommand(mut self, name: &str) -> Interaction {
        self.subcommands.push(name.to_owned());
        self
    }

    /// An option. Its type follows from the JSON value: string, integer, boolean or number.
    pub fn option(mut self, name: &str, value: impl Into<Value>) -> Interaction {
        self.options.push(OptionValue::inferred(name, value.into()));
        self
    }

    /// An option of this type. For users, channels and roles (6, 7 and 8), the id's object is added to `resolved`.
    pub fn option_as(mut self, kind: u64, name: &str, value: impl Into<Value>) -> Interaction {
        let value = value.into();
        let entity = Entity::of_option(kind, &value);
        self.options.push(OptionValue { kind, entity, ..OptionValue::inferred(name, value) });
        self
    }

    /// The option that is being typed, with the text so far.
    pub fn focused(mut self, name: &str, text: &str) -> Interaction {
        self.options.push(OptionValue { focused: true, ..OptionValue::inferred(name, json!(text)) });
        self
    }

    /// The same for an option of this type. Whatever its type, Discord sends what is typed as text.
    pub(crate) fn focused_as(mut self, kind: u64, name: &str, text: &str) -> Interaction {
        self.options.push(OptionValue { focused: true, kind, ..OptionValue::inferred(name, json!(text)) });
        self
    }

    /// The caller. The default is [`USER_ID`].
    pub fn by(mut self, user_id: u64) -> Interaction {
        self.caller = user_id;
        self
    }

    /// The caller's roles in the guild. The default is none.
    pub fn roles(mut self, ids: &[u64]) -> Interaction {
        self.roles = ids.to_vec();
        self
    }

    /// As if only the caller, and not the guild, installed the application. This allows at most five follow-ups.
    pub fn user_installed(mut self) -> Interaction {
        self.user_installed = true;
        self
    }

    /// The target of a context-menu command on a user.
    pub fn on_user(mut self, user_id: u64) -> Interaction {
        self.target = Some(user_id);
        self
    }

    /// In the DM channel with the bot.
    pub fn in_dm(mut self) -> Interaction {
        self.place = Place::Dm;
        self
    }

    pub(crate) fn at(self, place: Place) -> Interaction {
        Interaction { place, ..self }
    }

    /// In another guild and channel.
    pub fn in_guild(mut self, guild: u64, channel: u64) -> Interaction {
        self.place = Place::Guild { guild, channel };
        self
    }

    /// The caller's permissions in the channel, as a bit set.
    pub fn permissions(mut self, bits: u64) -> Interaction {
        self.permissions = Some(bits);
        self
    }

    /// The caller's locale. The default is `en-US`.
    pub fn locale(mut self, locale: &str) -> Interaction {
        self.locale = locale.to_owned();
        self
    }

    /// As if it had been sent this many milliseconds ago: the id has that time, and the deadlines count from it.
    pub fn aged_ms(mut self, age_ms: u64) -> Interaction {
        self.age_ms = i64::try_from(age_ms).unwrap_or(i64::MAX);
        self
    }

    /// As if it were sent this many milliseconds from now: the id has that time.
    pub fn ahead_ms(mut self, ahead_ms: u64) -> Interaction {
        self.age_ms = -i64::try_from(ahead_ms).unwrap_or(i64::MAX);
        self
    }

    /// Sets this field of the object at this JSON pointer, such as `("/member", "flags", json!(7))`. Null leaves the
    /// field out.
    pub fn with(mut self, object: &str, field: &str, value: Value) -> Interaction {
        self.changes.push((format!("{object}/{field}"), value));
        self
    }

    /// The type and name of the command, if this is one.
    pub(crate) fn command(&self) -> Option<(u64, &str)> {
        match &self.shape {
            Shape::Command { command_type, name } => Some((*command_type, name)),
            Shape::OnMessage { name, .. } => Some((MESSAGE_COMMAND, name)),
            Shape::Data(_) | Shape::Component { .. } => None,
        }
    }

    /// The stored message that this refers to: with the component that is used, or as the target of a command.
    pub(crate) fn stored_message(&self) -> Option<u64> {
        match &self.shape {
            Shape::Component { message, .. } | Shape::OnMessage { message, .. } => Some(*message),
            Shape::Command { .. } | Shape::Data(_) => self.from_message,
        }
    }

    /// The stored message and the custom id of the component that is used.
    pub(crate) fn component(&self) -> Option<(u64, &str)> {
        match &self.shape {
            Shape::Component { message, custom_id, .. } => Some((*message, custom_id)),
            Shape::Command { .. } | Shape::Data(_) | Shape::OnMessage { .. } => None,
        }
    }

    /// The stored message with the component that is used or that opened the modal. The response may update it.
    pub(crate) fn source_message(&self) -> Option<u64> {
        self.component().map(|(message, _)| message).or(self.from_message)
    }

    /// The id of the channel, as a string.
    pub(crate) fn channel(&self) -> String {
        match self.place {
            Place::Guild { channel, .. } => channel.to_string(),
            Place::Dm => DM_CHANNEL_ID.to_string(),
        }
    }

    pub(crate) fn is_dm(&self) -> bool {
        matches!(self.place, Place::Dm)
    }
}
