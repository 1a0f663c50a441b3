//! Used components and modals: the user, place and time, and the command call of each.

use std::borrow::Cow;
use std::num::NonZeroU64;

use serde_json::{Map, Value};

use super::event;
use crate::convert::inclusions::sent;
use crate::payload::{Chosen, ComponentInteraction, Interaction as DiscordInteraction, ModalInteraction};
use candor_core::contract::{OptionKind, OptionSpec, text_form};
use candor_core::inbound::{CallMethod, Caller, CommandPath, CommandType, EventId, GoOn, Interaction, Place};
use candor_core::language::Language;
use candor_core::record::TurnId;

pub(crate) struct Used {
    id: u64,
    /// The person who used it, with the language of their client.
    pub(crate) caller: Caller,
    pub(crate) place: Place,
    pub(crate) method: CallMethod,
}

impl Used {
    pub(crate) fn press(press: &ComponentInteraction<'_>, default: Language) -> Self {
        Self::of(press, CallMethod::Pressed, default)
    }

    pub(crate) fn submission(modal: &ModalInteraction<'_>, default: Language) -> Self {
        Self::of(modal, CallMethod::Submitted, default)
    }

    fn of<D>(used: &DiscordInteraction<'_, D>, method: CallMethod, default: Language) -> Self {
        let language = event::language(&used.locale, used.guild_locale.as_deref(), default);
        let member = used.member.as_ref().map(event::calling_member);
        let caller = Caller { member, ..event::caller(&used.user, language) };
        let place = event::place(used.guild_id.map(|id| id.get()), used.channel_id.get());
        Self { id: used.id.get(), caller, place, method }
    }

    /// Marks it as a button for a call that a chat model wrote.
    pub(crate) fn of_offer(self) -> Self {
        Self { method: CallMethod::Offered, ..self }
    }

    pub(crate) fn event(&self) -> EventId {
        EventId(self.id)
    }

    pub(crate) fn going_on(self, turn: TurnId) -> GoOn {
        GoOn { id: EventId(self.id), caller: self.caller, place: self.place, turn: turn.0 }
    }

    /// Converts the use of a control into an inbound that calls its command.
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

/// The maximum number of channels or roles read from a picker; Discord's own maximum.
const PICKED_MAX: usize = 25;

/// Returns the value chosen in a select menu, or the channels or roles chosen in a picker, as mentions.
pub(crate) fn chosen<'a>(press: &'a ComponentInteraction<'_>) -> Option<Cow<'a, str>> {
    let mentions = |ids: &[NonZeroU64], sign: &str| {
        let all: Vec<_> = ids.iter().take(PICKED_MAX).map(|id| format!("<{sign}{id}>")).collect();
        (!all.is_empty()).then(|| Cow::Owned(all.join(" ")))
    };
    match &press.data.chosen {
        Chosen::Text(value) => Some(Cow::Borrowed(value)),
        Chosen::Channels(ids) => mentions(ids, "#"),
        Chosen::Roles(ids) => mentions(ids, "@&"),
        Chosen::Nothing => None,
    }
}

/// Sets an option to the value chosen in a select menu.
pub(crate) fn put_chosen(arguments: &mut Map<String, Value>, name: &str, value: &str, option: Option<&OptionSpec>) {
    let value = match option {
        Some(option) => text_form::value(&option.kind, value),
        None => Value::from(value),
    };
    arguments.insert(name.to_owned(), value);
}

/// Adds the inputs of a modal to the arguments. An empty input of an optional option is left out.
pub(crate) fn with_fields(
    mut arguments: Map<String, Value>,
    modal: &ModalInteraction<'_>,
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

pub(crate) fn fields<'a>(modal: &'a ModalInteraction<'_>) -> impl Iterator<Item = (&'a str, &'a str)> {
    modal.data.inputs.iter().map(|input| (&*input.custom_id, &*input.value))
}
