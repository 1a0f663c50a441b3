//! Controls and forms that were used: by whom, where and when, and the call that they stand for.

use serde_json::{Map, Value};
use serenity::model::application::{
    ActionRowComponent, ComponentInteraction, ComponentInteractionDataKind, ModalInteraction,
};
use serenity::model::guild::Member as DiscordMember;

use super::{event, member};
use candor_core::inbound::{Asked, Caller, CommandPath, CommandType, EventId, Interaction, Place};
use candor_core::language::Language;

/// A control or a form that was used.
pub(crate) struct Used {
    id: u64,
    /// By whom. Their language is that of their app.
    pub(crate) caller: Caller,
    /// Where.
    pub(crate) place: Place,
    /// Whether it was pressed or sent in.
    pub(crate) asked: Asked,
}

impl Used {
    /// A button or a list.
    pub(crate) fn press(press: &ComponentInteraction, default: Language) -> Self {
        let language = event::language(&press.locale, press.guild_locale.as_deref(), default);
        let caller = caller(event::caller(&press.user, language), press.member.as_ref());
        let place = event::place(press.guild_id.map(|id| id.get()), press.channel_id.get());
        Self { id: press.id.get(), caller, place, asked: Asked::Pressed }
    }

    /// A form that was sent in.
    pub(crate) fn form(form: &ModalInteraction, default: Language) -> Self {
        let language = event::language(&form.locale, form.guild_locale.as_deref(), default);
        let caller = caller(event::caller(&form.user, language), form.member.as_ref());
        let place = event::place(form.guild_id.map(|id| id.get()), form.channel_id.get());
        Self { id: form.id.get(), caller, place, asked: Asked::Submitted }
    }

    /// The call of a slash command that it stands for.
    pub(crate) fn calling(self, path: &CommandPath, arguments: Map<String, Value>) -> Interaction {
        Interaction {
            asked: self.asked,
            surface: CommandType::Slash,
            id: EventId(self.id),
            caller: self.caller,
            place: self.place,
            path: path.names().map(str::to_owned).collect(),
            arguments,
            target: None,
            sent: event::sent(self.id),
        }
    }
}

pub(crate) fn caller(caller: Caller, member: Option<&DiscordMember>) -> Caller {
    Caller { member: member.map(member::calling), ..caller }
}

/// What was chosen in a list of texts.
pub(crate) fn chosen(press: &ComponentInteraction) -> Option<&str> {
    match &press.data.kind {
        ComponentInteractionDataKind::StringSelect { values } => values.first().map(String::as_str),
        _ => None,
    }
}

/// What was written into a form, by the custom ids of its inputs.
pub(crate) fn fields(form: &ModalInteraction) -> impl Iterator<Item = (&str, &str)> {
    let inputs = form.data.components.iter().flat_map(|row| &row.components);
    inputs.filter_map(|input| match input {
        ActionRowComponent::InputText(input) => Some((input.custom_id.as_str(), input.value.as_deref()?)),
        _ => None,
    })
}
