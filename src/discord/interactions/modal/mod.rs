//! Modals: ask for the required options that were left out.
//!
//! Given values travel in the modal's signed custom id. A value that does not fit there becomes an input, where the
//! person sees it and may change it. A modal must be the first response to an interaction, so nothing is awaited before
//! it.

#[cfg(test)]
mod tests;

use std::time::SystemTime;

use serde_json::{Map, Value};
use serenity::builder::{CreateActionRow, CreateInputText, CreateModal};
use serenity::model::application::InputTextStyle;
use tracing::{info, warn};

use crate::custom_id::{DoesNotFit, Purpose, Signer};
use crate::interactions::deliver::Delivery;
use crate::rest::SendError;
use crate::shared::Shared;
use candor_core::contract::{Leaf, MODAL_INPUTS_MAX, OptionKind, OptionSpec};
use candor_core::inbound::{Caller, EventId};
use candor_core::language::say;
use candor_core::router::ModalRequest;
use candor_core::text::{in_code_spans, shortened};

/// Discord's limits on modals. See its documentation, "Modal" and "Text Input".
const TITLE_MAX: usize = 45;
const LABEL_MAX: usize = 45;
const PLACEHOLDER_MAX: usize = 100;
const TEXT_MAX: u16 = 4_000;

/// A text that may be longer than this gets a multi-line input.
const LINE_LENGTH_MAX: u16 = 100;

impl Shared {
    /// Opens a modal: the first response to an interaction. `control` is the single-use control that opened it, claimed
    /// when the modal is submitted.
    pub(crate) async fn open_modal(
        &self,
        delivery: &Delivery<'_>,
        caller: &Caller,
        request: &ModalRequest,
        leaf: &Leaf,
        (locale, control): (&str, Option<EventId>),
    ) {
        let signer = self.custom_ids.for_person(caller.id, SystemTime::now());
        let opened = match modal(request, leaf, signer, (locale, control)) {
            Ok(modal) => delivery.open(modal).await.map_err(|error| error == SendError::Refused),
            Err(DoesNotFit) => Err(true),
        };
        match opened {
            Ok(()) => info!(command.name = %request.path, user.id = %caller.id.0, "a modal was opened"),
            // The interaction is over or Discord is not reached, so the person cannot be told.
            Err(false) => {}
            Err(true) => {
                warn!(
                    command.name = %request.path,
                    "a modal has no room for what was given, or Discord does not accept it"
                );
                let command = request.path.to_string();
                let options = in_code_spans(&request.missing);
                let text = say!(caller.language, "modal-too-much", command = command, options = options);
                delivery.refuse(&text).await;
            }
        }
    }
}

/// Builds the modal. Fails if the given values fit neither its custom id nor its inputs.
fn modal(
    request: &ModalRequest,
    leaf: &Leaf,
    signer: Signer<'_>,
    (locale, control): (&str, Option<EventId>),
) -> Result<CreateModal, DoesNotFit> {
    let mut carried = request.arguments.clone();
    carried.retain(|name, _| !request.missing.contains(name));
    let mut shown: Vec<&str> = Vec::new();
    let custom_id = loop {
        let purpose = Purpose::Submit { path: request.path.clone(), arguments: carried.clone(), control };
        if let Ok(custom_id) = signer.sign(&purpose, 0) {
            break custom_id;
        }
        // The longest text first: this adds the fewest inputs.
        let longest = leaf.options.iter().filter(|option| is_text(option) && carried.contains_key(&option.name));
        let longest = longest.max_by_key(|option| carried.get(&option.name).map(|text| text.to_string().len()));
        let option = longest.ok_or(DoesNotFit)?;
        carried.remove(&option.name);
        shown.push(&option.name);
    };
    // A value longer than an input accepts would come back truncated.
    let is_whole = |name: &&str| {
        let text = request.arguments.get(*name).and_then(Value::as_str);
        text.is_none_or(|text| text.chars().count() <= usize::from(TEXT_MAX))
    };
    if !shown.iter().all(is_whole) {
        return Err(DoesNotFit);
    }
    let is_asked = |option: &&OptionSpec| request.missing.contains(&option.name) || shown.contains(&&*option.name);
    let inputs: Vec<_> =
        leaf.options.iter().filter(is_asked).map(|option| input(option, &request.arguments, locale)).collect();
    if MODAL_INPUTS_MAX < inputs.len() {
        return Err(DoesNotFit);
    }
    let rows = inputs.into_iter().map(CreateActionRow::InputText).collect();
    Ok(CreateModal::new(custom_id, shortened(&request.path.to_string(), TITLE_MAX)).components(rows))
}

/// Returns whether a text input can ask for this option. A choice is checked when the modal is submitted.
fn is_text(option: &OptionSpec) -> bool {
    matches!(option.kind, OptionKind::String { .. })
}

/// Describes the values of a restricted input: its choices or their type.
fn values(kind: &OptionKind) -> Option<String> {
    let choices: Vec<_> = kind.choices().into_iter().map(|choice| choice.value).collect();
    match kind {
        _ if !choices.is_empty() => Some(choices.join(", ")),
        OptionKind::String { .. } => None,
        OptionKind::Boolean => Some("true, false".to_owned()),
        kind => Some(kind.name().to_owned()),
    }
}

/// Builds one input. Its label is the option's description, or its name if that is too long for a label.
fn input(option: &OptionSpec, given: &Map<String, Value>, locale: &str) -> CreateInputText {
    let (min, max) = match &option.kind {
        OptionKind::String { min_length, max_length, .. } => (*min_length, *max_length),
        _ => (None, None),
    };
    // An invalid value is shown, and its submission names the error.
    let n_given = given.get(&option.name).and_then(Value::as_str).map_or(0, |text| text.chars().count());
    let n_given = u16::try_from(n_given).unwrap_or(u16::MAX);
    let values = values(&option.kind);
    let style = match max {
        Some(max) if LINE_LENGTH_MAX < max => InputTextStyle::Paragraph,
        None if values.is_none() => InputTextStyle::Paragraph,
        Some(_) | None => InputTextStyle::Short,
    };
    let description = option.localized.descriptions.get(locale).unwrap_or(&option.description);
    let name = option.localized.names.get(locale).unwrap_or(&option.name);
    let is_short = description.chars().count() <= LABEL_MAX;
    let mut input = CreateInputText::new(style, if is_short { description } else { name }, &option.name)
        .required(option.required)
        .max_length(max.unwrap_or(TEXT_MAX).max(n_given).clamp(1, TEXT_MAX));
    let placeholder = match values {
        Some(values) if is_short => Some(values),
        Some(values) => Some(format!("{values}: {description}")),
        None => (!is_short).then(|| description.clone()),
    };
    if let Some(placeholder) = placeholder {
        input = input.placeholder(shortened(&placeholder, PLACEHOLDER_MAX));
    }
    if let Some(min) = min {
        input = input.min_length(min.min(TEXT_MAX));
    }
    match given.get(&option.name) {
        Some(Value::String(text)) => input.value(text),
        Some(value) => input.value(value.to_string()),
        None => input,
    }
}
