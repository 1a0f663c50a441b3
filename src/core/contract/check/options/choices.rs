//! Checks the choices of a text or number option.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use crate::contract::check::findings::Findings;
use crate::contract::check::wording::{self, NameRule};
use crate::contract::fits::fits;
use crate::contract::limits;
use crate::contract::manifest::{ChoiceValue, Figure, WrittenChoice, WrittenOption};
use crate::contract::spec::{Choice, OptionKind};
use crate::diagnostic::Code;
use crate::text::in_code_spans;

pub(crate) trait Meant: Clone + PartialEq + Display + Into<serde_json::Value> {
    /// The expected TOML value, in words.
    const WANTED: &'static str;

    fn read(written: &ChoiceValue) -> Option<Self>;
}

impl Meant for String {
    const WANTED: &'static str = "text in quotes";

    fn read(written: &ChoiceValue) -> Option<Self> {
        match written {
            ChoiceValue::Text(text) => Some(text.clone()),
            ChoiceValue::Figure(_) => None,
        }
    }
}

impl Meant for i64 {
    const WANTED: &'static str = "a whole number";

    fn read(written: &ChoiceValue) -> Option<Self> {
        match written {
            ChoiceValue::Figure(Figure::Whole(number)) => Some(*number),
            ChoiceValue::Figure(Figure::Real(_)) | ChoiceValue::Text(_) => None,
        }
    }
}

impl Meant for f64 {
    const WANTED: &'static str = "a number";

    fn read(written: &ChoiceValue) -> Option<Self> {
        match written {
            ChoiceValue::Figure(figure) => Some(figure.real()),
            ChoiceValue::Text(_) => None,
        }
    }
}

/// Returns the manifest's choices if it lists any, otherwise those of the signature. A manifest may rename or omit
/// values of the handler's enum but not add any.
pub(crate) fn narrowed<V: Meant>(own: &[Choice<V>], written: &WrittenOption, found: &mut Findings) -> Vec<Choice<V>> {
    let Some(list) = &written.choices else {
        return own.to_vec();
    };
    let option = &written.name.value;
    if list.value.is_empty() {
        found
            .at(Code::ChoiceInvalid, &list.span)
            .report(format!("`{option}` has an empty list of choices"), "write at least one, or take `choices` out");
    }
    list.value.iter().filter_map(|choice| taken(choice, own, option, found)).collect()
}

fn taken<V: Meant>(
    written: &WrittenChoice,
    own: &[Choice<V>],
    option: &str,
    found: &mut Findings,
) -> Option<Choice<V>> {
    let (Some(name), Some(value)) = (&written.name, &written.value) else {
        found.at(Code::ChoiceInvalid, &written.span).report(
            "a choice needs a name and a value",
            "write `{ name = \"…\", value = \"…\" }`, or one text or number for both",
        );
        return None;
    };
    let Some(value) = V::read(value) else {
        found.at(Code::ChoiceInvalid, &written.span).label(format!("its value is not {}", V::WANTED)).report(
            format!("`{option}` has a choice that cannot be offered"),
            format!("write {} as the value", V::WANTED),
        );
        return None;
    };
    if !own.is_empty() && !own.iter().any(|known| known.value == value) {
        let known = in_code_spans(own.iter().map(|known| &known.value));
        found
            .at(Code::HandlerSignatureMismatch, &written.span)
            .report(format!("the handler does not take the choice `{value}`"), format!("it takes {known}"));
        return None;
    }
    let what = format!("the choice `{name}`");
    let names = wording::read(&written.localized, NameRule::Choice, &what, found).names;
    Some(Choice { name: name.clone(), names, value })
}

/// Checks an option's final choices. `place` is underlined if the manifest has no list of choices.
pub(crate) fn check(
    kind: &OptionKind,
    option: &str,
    written: Option<&WrittenOption>,
    place: &Range<usize>,
    found: &mut Findings,
) {
    match kind {
        OptionKind::String { min_length, max_length, choices } => {
            let any = OptionKind::String { min_length: *min_length, max_length: *max_length, choices: Vec::new() };
            check_all(choices, &any, option, written, place, found);
        }
        OptionKind::Integer { min, max, choices } => {
            let any = OptionKind::Integer { min: *min, max: *max, choices: Vec::new() };
            check_all(choices, &any, option, written, place, found);
        }
        OptionKind::Number { min, max, choices } => {
            let any = OptionKind::Number { min: *min, max: *max, choices: Vec::new() };
            check_all(choices, &any, option, written, place, found);
        }
        _ => {}
    }
}

/// Checks all choices. `any` is the option without its choices.
fn check_all<V: Meant>(
    choices: &[Choice<V>],
    any: &OptionKind,
    option: &str,
    written: Option<&WrittenOption>,
    place: &Range<usize>,
    found: &mut Findings,
) {
    let list = written.and_then(|written| written.choices.as_ref());
    let whole = list.map_or(place, |list| &list.span);
    if limits::CHOICES_MAX < choices.len() {
        found.at(Code::TooManyChoices, whole).report(
            format!("`{option}` has {} choices, and Discord accepts {}", choices.len(), limits::CHOICES_MAX),
            "offer fewer, or suggest them while a person types: `autocomplete = true`",
        );
    }
    let mut names = BTreeSet::new();
    let mut values = BTreeSet::new();
    for choice in choices {
        let problem = problem_of(choice, any).or_else(|| {
            let shown = choice.names.iter().map(|(locale, name)| (locale.as_str(), name));
            let shown: Vec<_> = shown.chain([("", &choice.name)]).collect();
            let twice = shown.iter().any(|shown| names.contains(shown)) || !values.insert(choice.value.to_string());
            names.extend(shown);
            twice
                .then(|| ("it is there twice".to_owned(), "give every choice a name and a value of its own".to_owned()))
        });
        if let Some((label, help)) = problem {
            let mut written = list.into_iter().flat_map(|list| &list.value);
            // Of two duplicates, the later one is the one to change.
            let is_own = |value: &ChoiceValue| V::read(value).as_ref() == Some(&choice.value);
            let own = written.rfind(|written| written.value.as_ref().is_some_and(is_own));
            let label = if own.is_some() { label } else { format!("`{}`: {label}", choice.value) };
            found
                .at(Code::ChoiceInvalid, own.map_or(whole, |written| &written.span))
                .label(label)
                .report(format!("`{option}` has a choice that cannot be offered"), help);
        }
    }
}

fn problem_of<V: Meant>(choice: &Choice<V>, any: &OptionKind) -> Option<(String, String)> {
    let name = choice.name.trim().chars().count();
    let value = choice.value.to_string().chars().count();
    if name == 0 || value == 0 {
        let help = format!("write 1 to {} characters", limits::CHOICE_NAME_LENGTH_MAX);
        return Some(("its name or value is empty".to_owned(), help));
    }
    if limits::CHOICE_NAME_LENGTH_MAX < name {
        let help = format!("shorten the name to {} characters", limits::CHOICE_NAME_LENGTH_MAX);
        return Some((format!("its name has {name} characters"), help));
    }
    if matches!(any, OptionKind::String { .. }) && limits::CHOICE_VALUE_LENGTH_MAX < value {
        let help = format!("shorten the value to {} characters", limits::CHOICE_VALUE_LENGTH_MAX);
        return Some((format!("its value has {value} characters"), help));
    }
    let problem = fits(any, &choice.value.clone().into()).err()?;
    Some((format!("its value {problem}"), "change the value or the bounds".to_owned()))
}
