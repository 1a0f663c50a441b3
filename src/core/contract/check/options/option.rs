//! Checks one option: the handler's signature declares it; the manifest describes and narrows it.

use crate::contract::check::cooldown;
use crate::contract::check::findings::Findings;
use crate::contract::check::options::{channel, choices, modal, private, range};
use crate::contract::check::subject::{OptionSite, type_word};
use crate::contract::check::wording::{self, NameRule};
use crate::contract::limits;
use crate::contract::manifest::{Text, WrittenOption};
use crate::contract::signature::Parameter;
use crate::contract::spec::{OptionKind, OptionSpec};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::in_code_spans;

const TYPES: [&str; 9] =
    ["string", "integer", "number", "boolean", "user", "channel", "role", "mentionable", "attachment"];

/// Merges manifest and signature. The manifest may describe and narrow an option but never widen or contradict it.
pub(crate) fn merge(
    parameter: &Parameter,
    written: Option<&WrittenOption>,
    has_completer: bool,
    place: &OptionSite<'_>,
    found: &mut Findings,
) -> OptionSpec {
    let name = &parameter.name;
    wording::check(name, place.span, "an option", found, |wanted| {
        format!("call the field `{wanted}` in the arguments of `{}`", place.handler)
    });
    let kind = match written {
        Some(written) if type_agrees(parameter, written, found) => narrowed(&parameter.kind, written, found),
        _ => parameter.kind.clone(),
    };
    choices::check(&kind, name, written, place.span, found);
    check_autocomplete(&kind, parameter, written, has_completer, place, found);
    let description = description(parameter, written, place, found);
    let required = required(parameter, written, found);
    let modal = modal::check(&kind, written, required, found);
    let private = private::check(&kind, written, found);
    let cooldowns = written.map(|written| cooldown::cooldowns(&written.cooldowns, found)).unwrap_or_default();
    let localized = written
        .map(|written| wording::read(&written.localized, NameRule::Slash, &format!("the option `{name}`"), found));
    OptionSpec {
        autocomplete: has_completer,
        modal,
        private,
        cooldowns,
        localized: localized.unwrap_or_default(),
        written_at: written.and_then(|written| found.written_at(&written.name.span)),
        ..OptionSpec::new(name, description, kind, required)
    }
}

fn description(
    parameter: &Parameter,
    written: Option<&WrittenOption>,
    place: &OptionSite<'_>,
    found: &mut Findings,
) -> String {
    let name = &parameter.name;
    let comment = parameter.description.as_deref().unwrap_or_default();
    let (text, span) = match written.map(|written| &written.description) {
        Some(Text::Given(wording)) => (wording.value.trim(), &wording.span),
        Some(Text::Unreadable) => return String::new(),
        Some(Text::Missing) | None => (comment, place.span),
    };
    if text.is_empty() {
        found.at(Code::DescriptionMissing, span).report(
            format!("the option `{name}` has no description"),
            format!(
                "write `description = \"…\"` under `[{}.options.{name}]`, or a doc comment on the field `{name}`",
                place.path
            ),
        );
    } else if !limits::is_description(text) {
        wording::report_description_length(text, &format!("the option `{name}`"), span, found);
    }
    wording::check_line(text, &format!("the description of the option `{name}`"), span, found);
    text.to_owned()
}

/// Returns whether the option is required. The manifest may make an optional parameter required, but not the reverse.
fn required(parameter: &Parameter, written: Option<&WrittenOption>, found: &mut Findings) -> bool {
    let name = &parameter.name;
    match written.and_then(|written| written.required.as_ref()) {
        Some(Spanned { value: false, span }) if parameter.required => {
            found.at(Code::HandlerSignatureMismatch, span).label("the handler fails without it").report(
                format!("the handler needs `{name}`, and the manifest says it is optional"),
                format!("take `required = false` out, or make the field `{name}` an `Option`"),
            );
            true
        }
        Some(Spanned { value, .. }) => *value,
        None => parameter.required,
    }
}

fn type_agrees(parameter: &Parameter, written: &WrittenOption, found: &mut Findings) -> bool {
    let Some(Spanned { value: word, span }) = &written.kind else {
        return true;
    };
    let name = &parameter.name;
    let actual = type_word(&parameter.kind);
    if !TYPES.contains(&word.as_str()) {
        found.at(Code::ManifestWrongType, span).report(
            format!("`type` takes {}, but this is `{word}`", in_code_spans(TYPES)),
            format!("write `type = \"{actual}\"`, or take the key out"),
        );
    } else if word != actual {
        found.at(Code::HandlerSignatureMismatch, span).label(format!("the handler takes `{actual}`")).report(
            format!("the manifest says that `{name}` is `{word}`, and the handler takes `{actual}`"),
            format!("write `type = \"{actual}\"`, or take the key out"),
        );
    }
    word == actual
}

fn narrowed(kind: &OptionKind, written: &WrittenOption, found: &mut Findings) -> OptionKind {
    check_keys_fit(kind, written, found);
    match kind {
        OptionKind::String { min_length, max_length, choices } => {
            let (min_length, max_length) = range::of_lengths((*min_length, *max_length), written, found);
            OptionKind::String { min_length, max_length, choices: choices::narrowed(choices, written, found) }
        }
        OptionKind::Integer { min, max, choices } => {
            let (min, max) = range::of_integers((*min, *max), written, found);
            OptionKind::Integer { min, max, choices: choices::narrowed(choices, written, found) }
        }
        OptionKind::Number { min, max, choices } => {
            let (min, max) = range::of_numbers((*min, *max), written, found);
            OptionKind::Number { min, max, choices: choices::narrowed(choices, written, found) }
        }
        OptionKind::Channel { types } => OptionKind::Channel { types: channel::narrowed(types, written, found) },
        other => other.clone(),
    }
}

/// Reports keys that do not apply to the option's type and would have no effect.
fn check_keys_fit(kind: &OptionKind, written: &WrittenOption, found: &mut Findings) {
    let is_text = matches!(kind, OptionKind::String { .. });
    let is_number = kind.may_have_choices() && !is_text;
    let is_channel = matches!(kind, OptionKind::Channel { .. });
    let keys = [
        ("min_length", is_text, written.min_length.as_ref().map(|spot| &spot.span)),
        ("max_length", is_text, written.max_length.as_ref().map(|spot| &spot.span)),
        ("min", is_number, written.min.as_ref().map(|spot| &spot.span)),
        ("max", is_number, written.max.as_ref().map(|spot| &spot.span)),
        ("choices", kind.may_have_choices(), written.choices.as_ref().map(|spot| &spot.span)),
        ("channel_types", is_channel, written.channel_types.as_ref().map(|spot| &spot.span)),
    ];
    let strangers = keys.into_iter().filter(|(_, fits, _)| !fits);
    for (key, span) in strangers.filter_map(|(key, _, span)| Some((key, span?))) {
        let actual = type_word(kind);
        found.at(Code::HandlerSignatureMismatch, span).label(format!("the handler takes `{actual}`")).report(
            format!("`{key}` says nothing about `{}`, which is `{actual}`", written.name.value),
            format!("take `{key}` out"),
        );
    }
}

fn check_autocomplete(
    kind: &OptionKind,
    parameter: &Parameter,
    written: Option<&WrittenOption>,
    has_completer: bool,
    place: &OptionSite<'_>,
    found: &mut Findings,
) {
    let name = &parameter.name;
    let handler = place.handler;
    let declared = written.and_then(|written| written.autocomplete.as_ref()).filter(|spot| spot.value);
    let Some(Spanned { span, .. }) = declared else {
        if has_completer {
            found.at(Code::AutocompleteMismatch, place.span).label("Discord would never ask for them").report(
                format!("the code suggests values for `{name}`, and the manifest does not say so"),
                format!("write `autocomplete = true` under `[{}.options.{name}]`", place.path),
            );
        }
        return;
    };
    if !kind.may_have_choices() {
        found.at(Code::AutocompleteMismatch, span).report(
            format!("`{name}` is of the type `{}`, for which Discord suggests nothing", type_word(kind)),
            "take `autocomplete` out",
        );
    } else if !kind.choices().is_empty() {
        let mut problem = found.at(Code::AutocompleteMismatch, span);
        if let Some(choices) = written.and_then(|written| written.choices.as_ref()) {
            problem = problem.also(&choices.span, "its choices");
        }
        problem.report(
            format!("`{name}` has choices, and Discord suggests nothing beside them"),
            "take `autocomplete` or the choices out",
        );
    } else if !has_completer {
        found.at(Code::AutocompleteMismatch, span).label("nobody would answer").report(
            format!("no code suggests values for `{name}`"),
            format!("add `.complete(\"{handler}\", \"{name}\", …)` to the module's code, or take `autocomplete` out"),
        );
    }
}
