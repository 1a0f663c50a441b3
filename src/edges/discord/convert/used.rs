//! Components and modals that were used: by whom, where and when, and the command call they stand for.

use std::borrow::Cow;

use serde_json::{Map, Value};
use serenity::model::application::{
    ActionRowComponent, ComponentInteraction, ComponentInteractionDataKind, ModalInteraction,
};
use serenity::model::guild::Member as DiscordMember;

use super::{event, member};
use crate::edges::discord::convert::sent::sent;
use candor_core::contract::{OptionKind, OptionSpec, text_form};
use candor_core::inbound::{CallMethod, Caller, CommandPath, CommandType, EventId, GoOn, Interaction, Place};
use candor_core::language::Language;
use candor_core::record::TurnId;

/// A component or modal that was used.
pub(crate) struct Used {
    id: u64,
    /// Who used it. Their language is that of their client.
    pub(crate) caller: Caller,
    /// Where.
    pub(crate) place: Place,
    /// Whether a component was pressed or a modal submitted.
    pub(crate) method: CallMethod,
}

impl Used {
    /// From a button or a select menu.
    pub(crate) fn press(press: &ComponentInteraction, default: Language) -> Self {
        let language = event::language(&press.locale, press.guild_locale.as_deref(), default);
        let caller = caller(event::caller(&press.user, language), press.member.as_ref());
        let place = event::place(press.guild_id.map(|id| id.get()), press.channel_id.get());
        Self { id: press.id.get(), caller, place, method: CallMethod::Pressed }
    }

    /// From a submitted modal.
    pub(crate) fn submission(modal: &ModalInteraction, default: Language) -> Self {
        let language = event::language(&modal.locale, modal.guild_locale.as_deref(), default);
        let caller = caller(event::caller(&modal.user, language), modal.member.as_ref());
        let place = event::place(modal.guild_id.map(|id| id.get()), modal.channel_id.get());
        Self { id: modal.id.get(), caller, place, method: CallMethod::Submitted }
    }

    /// The same, of a button for a call that a chat model wrote.
    pub(crate) fn of_offer(self) -> Self {
        Self { method: CallMethod::Offered, ..self }
    }

    /// The event of this use.
    pub(crate) fn event(&self) -> EventId {
        EventId(self.id)
    }

    /// The press of *Go on* that it stands for, as an inbound.
    pub(crate) fn going_on(self, turn: TurnId) -> GoOn {
        GoOn { id: EventId(self.id), caller: self.caller, place: self.place, turn: turn.0 }
    }

    /// The call of a command that it stands for, as an inbound.
    pub(crate) fn calling(self, path: &CommandPath, arguments: Map<String, Value>) -> Interaction {
        Interaction {
            method: self.method,
            command_type: CommandType::Slash,
            id: EventId(self.id),
            caller: self.caller,
            place: self.place,
            path: path.names().map(str::to_owned).collect(),
            arguments,
            target: None,
            sent: sent(self.id),
        }
    }
}

pub(crate) fn caller(caller: Caller, member: Option<&DiscordMember>) -> Caller {
    Caller { member: member.map(member::calling), ..caller }
}

/// The most channels or roles that are read of a picker: Discord lets nobody choose more.
const PICKED_MAX: usize = 25;

/// The value chosen in a select menu, or the channels or roles chosen in a picker, as mentions.
pub(crate) fn chosen(press: &ComponentInteraction) -> Option<Cow<'_, str>> {
    let mentions = |all: &mut dyn Iterator<Item = String>| {
        let all: Vec<_> = all.take(PICKED_MAX).collect();
        (!all.is_empty()).then(|| Cow::Owned(all.join(" ")))
    };
    match &press.data.kind {
        ComponentInteractionDataKind::StringSelect { values } => values.first().map(|value| value.as_str().into()),
        ComponentInteractionDataKind::ChannelSelect { values } => {
            mentions(&mut values.iter().map(|channel| format!("<#{channel}>")))
        }
        ComponentInteractionDataKind::RoleSelect { values } => {
            mentions(&mut values.iter().map(|role| format!("<@&{role}>")))
        }
        _ => None,
    }
}

/// Gives an option the value that was chosen for it in a select menu.
pub(crate) fn put_chosen(arguments: &mut Map<String, Value>, name: &str, value: &str, option: Option<&OptionSpec>) {
    let value = match option {
        Some(option) => text_form::value(&option.kind, value),
        None => Value::from(value),
    };
    arguments.insert(name.to_owned(), value);
}

/// The arguments with what was written into a modal's inputs. Of an option that may be left out, an empty input is
/// nothing.
pub(crate) fn with_fields(
    mut arguments: Map<String, Value>,
    modal: &ModalInteraction,
    option: impl Fn(&str) -> Option<OptionSpec>,
) -> Map<String, Value> {
    for (name, text) in fields(modal) {
        let option = option(name);
        let may_be_missing = option.as_ref().is_some_and(|option| !option.required);
        if !(text.is_empty() && may_be_missing) {
            let is_text = option.as_ref().is_none_or(|option| matches!(option.kind, OptionKind::String { .. }));
            put_chosen(&mut arguments, name, if is_text { text } else { text.trim() }, option.as_ref());
        }
    }
    arguments
}

/// The values of a modal's inputs, by their custom ids.
pub(crate) fn fields(modal: &ModalInteraction) -> impl Iterator<Item = (&str, &str)> {
    let inputs = modal.data.components.iter().flat_map(|row| &row.components);
    inputs.filter_map(|input| match input {
        ActionRowComponent::InputText(input) => Some((input.custom_id.as_str(), input.value.as_deref()?)),
        _ => None,
    })
}
