//! Controls and forms that were used: by whom, where and when, and the call that they stand for.

use serde_json::{Map, Value};
use serenity::model::application::{
    ActionRowComponent, ComponentInteraction, ComponentInteractionDataKind, ModalInteraction,
};
use serenity::model::guild::Member as DiscordMember;

use super::member;
use crate::contract::{CommandPath, CommandSurface};
use crate::inbound::{Asked, Caller, EventId, Interaction, Place};
use crate::language::Language;

/// A control or a form that was used.
pub(in crate::discord) struct Used {
    id: u64,
    /// By whom. Their language is that of their app.
    pub(in crate::discord) caller: Caller,
    /// Where.
    pub(in crate::discord) place: Place,
    /// Whether it was pressed or sent in.
    pub(in crate::discord) asked: Asked,
}

impl Used {
    /// A button or a list.
    pub(in crate::discord) fn press(press: &ComponentInteraction, default: Language) -> Self {
        let language = super::language(&press.locale, press.guild_locale.as_deref(), default);
        let caller = caller(super::caller(&press.user, language), press.member.as_ref());
        let place = super::place(press.guild_id.map(|id| id.get()), press.channel_id.get());
        Self { id: press.id.get(), caller, place, asked: Asked::Pressed }
    }

    /// A form that was sent in.
    pub(in crate::discord) fn form(form: &ModalInteraction, default: Language) -> Self {
        let language = super::language(&form.locale, form.guild_locale.as_deref(), default);
        let caller = caller(super::caller(&form.user, language), form.member.as_ref());
        let place = super::place(form.guild_id.map(|id| id.get()), form.channel_id.get());
        Self { id: form.id.get(), caller, place, asked: Asked::Submitted }
    }

    /// The call of a slash command that it stands for.
    pub(in crate::discord) fn calling(self, path: &CommandPath, arguments: Map<String, Value>) -> Interaction {
        Interaction {
            asked: self.asked,
            surface: CommandSurface::Slash,
            id: EventId(self.id),
            caller: self.caller,
            place: self.place,
            path: path.names().map(str::to_owned).collect(),
            arguments,
            target: None,
            sent: super::sent(self.id),
        }
    }
}

fn caller(caller: Caller, member: Option<&DiscordMember>) -> Caller {
    Caller { member: member.map(member::calling), ..caller }
}

/// What was chosen in a list of texts.
pub(in crate::discord) fn chosen(press: &ComponentInteraction) -> Option<&str> {
    match &press.data.kind {
        ComponentInteractionDataKind::StringSelect { values } => values.first().map(String::as_str),
        _ => None,
    }
}

/// What was written into a form, by the custom ids of its inputs.
pub(in crate::discord) fn fields(form: &ModalInteraction) -> impl Iterator<Item = (&str, &str)> {
    let inputs = form.data.components.iter().flat_map(|row| &row.components);
    inputs.filter_map(|input| match input {
        ActionRowComponent::InputText(input) => Some((input.custom_id.as_str(), input.value.as_deref()?)),
        _ => None,
    })
}
