//! Components and modals that were used: by whom, where and when, and the command call they stand for.

use std::borrow::Cow;
use std::num::NonZeroU64;

use super::{event, member};
use crate::edges::discord::convert::sent::sent;
use crate::edges::discord::payload::{
    Chosen, ComponentInteraction, Interaction as DiscordInteraction, ModalInteraction,
};
use candor_core::contract::{OptionKind, OptionSpec, text_form};
use candor_core::inbound::{CallMethod, Caller, CommandPath, CommandType, EventId, GoOn, Interaction, Place};
use candor_core::language::Language;
use candor_core::record::TurnId;
use serde_json::{Map, Value};

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
    pub(crate) fn press(press: &ComponentInteraction<'_>, default: Language) -> Self {
        Self::of(press, CallMethod::Pressed, default)
    }

    /// From a submitted modal.
    pub(crate) fn submission(modal: &ModalInteraction<'_>, default: Language) -> Self {
        Self::of(modal, CallMethod::Submitted, default)
    }

    fn of<D>(used: &DiscordInteraction<'_, D>, method: CallMethod, default: Language) -> Self {
        let language = event::language(&used.locale, used.guild_locale.as_deref(), default);
        let member = used.member.as_ref().map(member::calling);
        let caller = Caller { member, ..event::caller(&used.user, language) };
        let place = event::place(used.guild_id.map(|id| id.get()), used.channel_id.get());
        Self { id: used.id.get(), caller, place, method }
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

/// The most channels or roles that are read of a picker: Discord lets nobody choose more.
const PICKED_MAX: usize = 25;

/// The value chosen in a select menu, or the channels or roles chosen in a picker, as mentions.
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

/// The values of a modal's inputs, by their custom ids.
pub(crate) fn fields<'a>(modal: &'a ModalInteraction<'_>) -> impl Iterator<Item = (&'a str, &'a str)> {
    modal.data.inputs.iter().map(|input| (&*input.custom_id, &*input.value))
}
