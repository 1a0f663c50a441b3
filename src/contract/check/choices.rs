//! The choices of a text option.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::contract::check::findings::Findings;
use crate::contract::limits;
use crate::contract::manifest::{WrittenChoice, WrittenOption};
use crate::contract::spec::{Choice, OptionKind, fits};
use crate::diagnostic::Code;

/// The choices of the manifest if it has any, else those of the signature. A manifest may name and leave
/// out what the handler's enum has, not add to it.
pub(super) fn narrowed(own: &[Choice], written: &WrittenOption, found: &mut Findings) -> Vec<Choice> {
    let Some(list) = &written.choices else {
        return own.to_vec();
    };
    if list.value.is_empty() {
        found.at(Code::ChoiceInvalid, &list.span).report(
            format!("`{}` has a list of choices without a choice", written.name.value),
            "write at least one, or take `choices` out",
        );
    }
    list.value.iter().filter_map(|choice| taken(choice, own, found)).collect()
}

fn taken(written: &WrittenChoice, own: &[Choice], found: &mut Findings) -> Option<Choice> {
    let (Some(name), Some(value)) = (&written.name, &written.value) else {
        found.at(Code::ChoiceInvalid, &written.span).report(
            "a choice needs a name and a value",
            "write `{ name = \"…\", value = \"…\" }`, or one text for both",
        );
        return None;
    };
    if !own.is_empty() && !own.iter().any(|known| known.value == *value) {
        let known = own.iter().map(|known| format!("`{}`", known.value)).collect::<Vec<_>>().join(", ");
        found
            .at(Code::HandlerSignatureMismatch, &written.span)
            .report(format!("the handler does not take the choice `{value}`"), format!("it takes {known}"));
        return None;
    }
    Some(Choice { name: name.clone(), value: value.clone() })
}

/// Checks the choices that an option ends up with, wherever they come from. `place` is underlined where the
/// manifest has no list of them.
pub(super) fn check(
    kind: &OptionKind,
    option: &str,
    written: Option<&WrittenOption>,
    place: &Range<usize>,
    found: &mut Findings,
) {
    let OptionKind::String { min_length, max_length, choices } = kind else {
        return;
    };
    let list = written.and_then(|written| written.choices.as_ref());
    let whole = list.map_or(place, |list| &list.span);
    if limits::CHOICES_MAX < choices.len() {
        found.at(Code::TooManyChoices, whole).report(
            format!("`{option}` has {} choices, and Discord takes {}", choices.len(), limits::CHOICES_MAX),
            "offer fewer, or suggest them while a person types: `autocomplete = true`",
        );
    }
    let any = OptionKind::String { min_length: *min_length, max_length: *max_length, choices: Vec::new() };
    let (mut names, mut values) = (BTreeSet::new(), BTreeSet::new());
    for choice in choices {
        let problem = problem_of(choice, &any).or_else(|| {
            let twice = !names.insert(&choice.name) || !values.insert(&choice.value);
            twice
                .then(|| ("it is there twice".to_owned(), "give every choice a name and a value of its own".to_owned()))
        });
        if let Some((label, help)) = problem {
            let mut written = list.into_iter().flat_map(|list| &list.value);
            // The last one of that value: of two alike the second is the one to change.
            let own = written.rfind(|written| written.value.as_ref() == Some(&choice.value));
            let label = if own.is_some() { label } else { format!("`{}`: {label}", choice.value) };
            found
                .at(Code::ChoiceInvalid, own.map_or(whole, |written| &written.span))
                .label(label)
                .report(format!("`{option}` has a choice that cannot be offered"), help);
        }
    }
}

fn problem_of(choice: &Choice, any: &OptionKind) -> Option<(String, String)> {
    let (name, value) = (choice.name.trim().chars().count(), choice.value.chars().count());
    if name == 0 || value == 0 {
        let help = format!("write 1 to {} characters", limits::CHOICE_NAME_LENGTH_MAX);
        return Some(("its name or value is empty".to_owned(), help));
    }
    if limits::CHOICE_NAME_LENGTH_MAX < name {
        let help = format!("shorten the name to {} characters", limits::CHOICE_NAME_LENGTH_MAX);
        return Some((format!("its name has {name} characters"), help));
    }
    if limits::CHOICE_VALUE_LENGTH_MAX < value {
        let help = format!("shorten the value to {} characters", limits::CHOICE_VALUE_LENGTH_MAX);
        return Some((format!("its value has {value} characters"), help));
    }
    let problem = fits(any, &choice.value.as_str().into()).err()?;
    Some((format!("its value {problem}"), "change the value or the lengths".to_owned()))
}
