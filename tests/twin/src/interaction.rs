//! Interactions that a person would start: commands, completions, menus, buttons and forms.

mod component;
mod entity;
mod event;
mod options;

use serde_json::{Value, json};

use crate::interaction::entity::Entity;
use crate::interaction::options::Given;
use crate::payload::{CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, USER_ID};

pub(crate) use component::component_type;

/// The interaction types by their numbers in Discord's docs.
const COMMAND: u64 = 2;
const COMPONENT: u64 = 3;
const AUTOCOMPLETE: u64 = 4;
const MODAL_SUBMIT: u64 = 5;

/// The type of a message menu's command.
const MESSAGE_MENU: u64 = 3;
/// The component type of a button.
const BUTTON: u64 = 2;

/// What to send. Built by one of the first functions, refined by the others, sent by [`Twin::interact`].
///
/// [`Twin::interact`]: crate::Twin::interact
#[derive(Clone, Debug)]
pub struct Interaction {
    pub(crate) kind: u64,
    shape: Shape,
    steps: Vec<String>,
    options: Vec<Given>,
    caller: u64,
    roles: Vec<u64>,
    /// The person that a user menu was opened on, if not the caller.
    target: Option<u64>,
    from_message: Option<u64>,
    pub(crate) user_installed: bool,
    place: Place,
    permissions: Option<u64>,
    locale: String,
    pub(crate) age_ms: u64,
}

/// An interaction on its way: what answers to it are recognised by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sent {
    /// The interaction's id, a snowflake.
    pub id: u64,
    /// The interaction's token.
    pub token: String,
}

/// Where it happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Guild { guild: u64, channel: u64 },
    Dm,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A command of this type and name.
    Command { data_kind: u64, name: String },
    /// Exactly this `data`.
    Data(Value),
    /// A press on a button of this message, which the bot sent, or a choice of these values in its menu.
    Press { message: u64, custom_id: String, values: Vec<String> },
    /// A command of this message's own menu.
    OnMessage { message: u64, name: String },
}

impl Interaction {
    /// A slash command, for example `status`.
    pub fn slash(name: &str) -> Interaction {
        Interaction::command(COMMAND, 1, name)
    }

    /// The question for completions while a slash command is typed. Name the field by [`Interaction::focused`].
    pub fn autocomplete(name: &str) -> Interaction {
        Interaction::command(AUTOCOMPLETE, 1, name)
    }

    /// A command of a person's context menu. The person is the caller unless [`Interaction::on_user`] says otherwise.
    pub fn user_menu(name: &str) -> Interaction {
        Interaction::command(COMMAND, 2, name)
    }

    /// A command of a message's context menu. The message is one that the caller wrote.
    pub fn message_menu(name: &str) -> Interaction {
        Interaction::command(COMMAND, 3, name)
    }

    /// The application's entry point, a command of type 4.
    pub fn entry_point(name: &str) -> Interaction {
        Interaction::command(COMMAND, 4, name)
    }

    /// A command of the menu of a stored message, whoever wrote that. [`Twin::interact`] panics if there is none.
    ///
    /// [`Twin::interact`]: crate::Twin::interact
    pub fn on_message(name: &str, message_id: u64) -> Interaction {
        Interaction::of(COMMAND, Shape::OnMessage { message: message_id, name: name.to_owned() })
    }

    /// Any interaction type with any `data`.
    pub fn raw(kind: u64, data: Value) -> Interaction {
        Interaction::of(kind, Shape::Data(data))
    }

    fn command(kind: u64, data_kind: u64, name: &str) -> Interaction {
        Interaction::of(kind, Shape::Command { data_kind, name: name.to_owned() })
    }

    fn of(kind: u64, shape: Shape) -> Interaction {
        Interaction {
            kind,
            shape,
            steps: Vec::new(),
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
        }
    }

    /// The subcommand. Called twice, the first names the group.
    pub fn subcommand(mut self, name: &str) -> Interaction {
        self.steps.push(name.to_owned());
        self
    }

    /// An option. Its type follows from the value: string, whole number, boolean or number.
    pub fn option(mut self, name: &str, value: impl Into<Value>) -> Interaction {
        self.options.push(Given::inferred(name, value.into()));
        self
    }

    /// An option of a given type. For 6, 7 and 8 the id's object is added to `resolved`.
    pub fn option_as(mut self, kind: u64, name: &str, value: impl Into<Value>) -> Interaction {
        let value = value.into();
        let entity = Entity::of_option(kind, &value);
        self.options.push(Given { kind, entity, ..Given::inferred(name, value) });
        self
    }

    /// The option being typed, with the text so far.
    pub fn focused(mut self, name: &str, text: &str) -> Interaction {
        self.options.push(Given { focused: true, ..Given::inferred(name, json!(text)) });
        self
    }

    /// Who does it. The default is [`USER_ID`].
    pub fn by(mut self, user_id: u64) -> Interaction {
        self.caller = user_id;
        self
    }

    /// The roles of who does it, in a guild. None unless said.
    pub fn roles(mut self, ids: &[u64]) -> Interaction {
        self.roles = ids.to_vec();
        self
    }

    /// As if the application were there only because the caller installed it for themselves: five follow-ups at most.
    pub fn user_installed(mut self) -> Interaction {
        self.user_installed = true;
        self
    }

    /// The person on whom a user menu was opened.
    pub fn on_user(mut self, user_id: u64) -> Interaction {
        self.target = Some(user_id);
        self
    }

    /// In the direct channel with the bot.
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

    /// The caller's permissions in the channel.
    pub fn permissions(mut self, bits: u64) -> Interaction {
        self.permissions = Some(bits);
        self
    }

    /// The caller's language.
    pub fn locale(mut self, locale: &str) -> Interaction {
        self.locale = locale.to_owned();
        self
    }

    /// As if it had been sent so many milliseconds ago: the id says so, and the three seconds count from there.
    pub fn aged_ms(mut self, age_ms: u64) -> Interaction {
        self.age_ms = age_ms;
        self
    }

    /// The type and name of the command, if it is one.
    pub(crate) fn command_named(&self) -> Option<(u64, &str)> {
        match &self.shape {
            Shape::Command { data_kind, name } => Some((*data_kind, name)),
            Shape::OnMessage { name, .. } => Some((MESSAGE_MENU, name)),
            Shape::Data(_) | Shape::Press { .. } => None,
        }
    }

    /// The stored message that it is about, if it is about one.
    pub(crate) fn about(&self) -> Option<u64> {
        match &self.shape {
            Shape::Press { message, .. } | Shape::OnMessage { message, .. } => Some(*message),
            Shape::Command { .. } | Shape::Data(_) => self.from_message,
        }
    }

    /// The message whose button or menu it uses.
    pub(crate) fn pressed(&self) -> Option<(u64, &str)> {
        match &self.shape {
            Shape::Press { message, custom_id, .. } => Some((*message, custom_id)),
            Shape::Command { .. } | Shape::Data(_) | Shape::OnMessage { .. } => None,
        }
    }

    /// The message below which it happens, which its answer may change.
    pub(crate) fn below(&self) -> Option<u64> {
        self.pressed().map(|(message, _)| message).or(self.from_message)
    }

    /// The channel as Discord writes ids.
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
