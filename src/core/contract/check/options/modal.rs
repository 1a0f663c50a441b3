//! Checks `form = true`: options that a modal asks for when they are missing.

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::{Part, type_word};
use crate::contract::limits;
use crate::contract::manifest::{WrittenLeaf, WrittenOption};
use crate::contract::spec::OptionKind;
use crate::diagnostic::Code;

/// Returns whether a modal asks for the option. Reports an option of a type that no modal can ask for.
pub(crate) fn check(kind: &OptionKind, written: Option<&WrittenOption>, required: bool, found: &mut Findings) -> bool {
    let Some((written, form)) = written.and_then(|written| Some((written, written.form.as_ref()?))) else {
        return false;
    };
    if !form.value {
        return false;
    }
    let (why, help) = match kind {
        OptionKind::String { choices, .. } if !choices.is_empty() => {
            ("it has choices, and a form takes any text".to_owned(), "take `form` or the choices out".to_owned())
        }
        OptionKind::String { min_length: Some(min), .. } if limits::MODAL_TEXT_LENGTH_MAX < *min => (
            format!("it has at least {min} characters, and a form takes {}", limits::MODAL_TEXT_LENGTH_MAX),
            "take `form` out, or write a smaller `min_length`".to_owned(),
        ),
        OptionKind::String { .. } if !required => (
            "it may be left out, and a form asks for what is needed".to_owned(),
            "write `required = true`, or take `form` out".to_owned(),
        ),
        OptionKind::String { .. } => return true,
        other => {
            (format!("it is of the type `{}`", type_word(other)), "take `form` out; a form asks for texts".to_owned())
        }
    };
    found
        .at(Code::FormInvalid, &form.span)
        .label(why)
        .report(format!("no form can ask for `{}`", written.name.value), help);
    false
}

/// Reports more options than fit in one modal.
pub(crate) fn check_count(written: &WrittenLeaf, part: &Part, found: &mut Findings) {
    let asked = written.options.iter().filter_map(|option| option.form.as_ref()).filter(|form| form.value);
    if let Some(beyond) = asked.clone().nth(limits::MODAL_OPTIONS_MAX) {
        found.at(Code::FormInvalid, &beyond.span).label("one too many").report(
            format!(
                "{} asks for {} options in a form, and Discord accepts {}",
                part.title(),
                asked.count(),
                limits::MODAL_OPTIONS_MAX
            ),
            "take `form` out where the text is short",
        );
    }
}
