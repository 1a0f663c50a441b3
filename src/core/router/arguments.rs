//! Checks an interaction's arguments, and decides when a modal asks for missing ones.

use serde_json::{Map, Value};

use crate::contract::{Leaf, MODAL_INPUTS_MAX, Press, fits, fits_in};
use crate::inbound::{CallMethod, CommandPath, Interaction};
use crate::language::{Language, say};
use crate::router::ModalRequest;
use crate::text::excerpt;

/// Checks that received arguments fit: all known, none missing, each of its type and within its bounds.
pub(crate) fn check_arguments(leaf: &Leaf, arguments: &Map<String, Value>, language: Language) -> Result<(), String> {
    for (name, value) in arguments {
        let option = leaf.option(name).ok_or_else(|| say!(language, "argument-not-taken", typed = excerpt(name)))?;
        fits_in(&option.kind, value, language).map_err(|problem| format!("`{name}` {problem}"))?;
    }
    match leaf.options.iter().find(|option| option.required && !arguments.contains_key(&option.name)) {
        Some(missing) => Err(say!(language, "argument-missing", option = missing.name.as_str())),
        None => Ok(()),
    }
}

/// Returns the options that a modal should ask for. `None` if nothing is missing or the command has another problem.
///
/// A button's modal asks for every missing option that can be typed, because its person saw no options. For a change
/// that a chat model wrote, the modal shows all values that the model wrote. In the picker, Discord itself asks for all
/// options but those of a form. Typed text cannot open a modal, and Discord opens none in response to a submitted one.
pub(super) fn request(interaction: &Interaction, path: &CommandPath, leaf: &Leaf) -> Option<ModalRequest> {
    let given = &interaction.arguments;
    let mut missing = match leaf.press(given) {
        Press::Asks(missing) => missing,
        Press::Runs => Vec::new(),
        Press::Impossible => return None,
    };
    if interaction.method == CallMethod::Offered && leaf.writes {
        let written = leaf.options.iter().filter(|option| given.contains_key(&option.name) && !option.kind.is_entity());
        missing.extend(written.map(|option| option.name.clone()));
    }
    if missing.is_empty() || MODAL_INPUTS_MAX < missing.len() {
        return None;
    }
    let is_of_form = |name: &String| leaf.option(name).is_some_and(|option| option.modal);
    let is_askable = match interaction.method {
        CallMethod::Pressed | CallMethod::Offered => true,
        CallMethod::Picked | CallMethod::PickedByUserInstall => missing.iter().all(is_of_form),
        CallMethod::Typed | CallMethod::Submitted => false,
    };
    // The submitted modal reports an invalid value that a model wrote.
    let all_fit = interaction.method == CallMethod::Offered
        || given.iter().all(|(name, value)| leaf.option(name).is_some_and(|option| fits(&option.kind, value).is_ok()));
    (is_askable && all_fit).then(|| ModalRequest { path: path.clone(), arguments: given.clone(), missing })
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::{Value, json};

    use super::*;
    use crate::contract::{OptionKind, OptionSpec};
    use crate::inbound::{Caller, CommandType, EventId, Place, UserId};

    fn leaf() -> Leaf {
        let text = |name: &str, required, modal| {
            let kind = OptionKind::String { min_length: Some(1), max_length: Some(9), choices: Vec::new() };
            OptionSpec { modal, ..OptionSpec::new(name, "Text", kind, required) }
        };
        let options = vec![
            text("path", true, false),
            text("title", true, true),
            text("content", true, true),
            text("note", false, true),
        ];
        Leaf::new("unused", options, None)
    }

    fn asked(method: CallMethod, arguments: Value) -> Option<Vec<String>> {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let interaction = Interaction {
            method,
            command_type: CommandType::Slash,
            id: EventId(1),
            caller: Caller::new(UserId(7), "Ada"),
            place: Place::Console,
            path: vec!["write".to_owned()],
            arguments: arguments.clone(),
            target: None,
            sent: UNIX_EPOCH,
        };
        let request = request(&interaction, &CommandPath::new("write", None), &leaf())?;
        assert_eq!(request.arguments, arguments);
        Some(request.missing)
    }

    #[test]
    fn a_form_asks_for_what_is_missing_if_nothing_else_is_wrong() {
        const ALL: &[&str] = &["path", "title", "content"];
        type Asked = Option<&'static [&'static str]>;
        let cases: [(Value, Asked, Asked); 6] = [
            (json!({"path": "a"}), Some(&["title", "content"]), Some(&["title", "content"])),
            (json!({"path": "a", "title": "t", "note": "n"}), Some(&["content"]), Some(&["content"])),
            // Nothing is missing: optional options are not asked for.
            (json!({"path": "a", "title": "t", "content": "c"}), None, None),
            // In the picker, Discord asks for the path.
            (json!({}), None, Some(ALL)),
            (json!({"path": "a", "nosuch": "x"}), None, None),
            (json!({"path": "far too long"}), None, None),
        ];
        for (given, picked, pressed) in cases {
            for (how, missing) in [(CallMethod::Picked, picked), (CallMethod::Pressed, pressed)] {
                let names = asked(how, given.clone());
                let names: Option<Vec<_>> = names.as_ref().map(|names| names.iter().map(String::as_str).collect());
                assert_eq!(names.as_deref(), missing, "{given}");
            }
            for how in [CallMethod::Typed, CallMethod::Submitted] {
                assert_eq!(asked(how, given.clone()), None, "{given}");
            }
        }
    }
}
