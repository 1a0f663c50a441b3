//! The buttons and lists of an answer at a terminal: how they are listed, and the call that `/press` makes with one.

use candor_core::contract::text_form::as_typed;
use candor_core::language::{Language, say};
use candor_core::reply::{Control, Picked, PreparedCall};

/// The most channels or roles of one choice, as at Discord.
const PICKED_MAX: usize = 25;

/// The use of a button or list.
#[derive(Debug, PartialEq)]
pub(super) struct Press {
    pub(super) call: PreparedCall,
    /// The option of a list and its chosen value.
    pub(super) choice: Option<(String, String)>,
    /// Whether the person is asked before the call runs.
    pub(super) asks: bool,
}

/// Returns the use that a line means: the number or label of a button, or the number of a list and a choice.
///
/// # Errors
/// Returns the words for the person if there is no such button or choice.
pub(super) fn press(controls: &[Control], wanted: &str, language: Language) -> Result<Press, String> {
    let (first, rest) = wanted.split_once(char::is_whitespace).unwrap_or((wanted, ""));
    let numbered = first.parse().ok().and_then(|n: usize| Some((n, controls.get(n.checked_sub(1)?)?, rest.trim())));
    // A label may begin with a number, such as `2 of 3`.
    let numbered = numbered.filter(|(_, control, rest)| rest.is_empty() || control.button().is_none());
    let is_labelled =
        |control: &&Control| control.button().is_some_and(|(label, _)| label.eq_ignore_ascii_case(wanted));
    let labelled = || Some((0, controls.iter().find(is_labelled)?, ""));
    let none = || say!(language, "console-no-button", button = wanted);
    let (n, control, choice) = numbered.or_else(labelled).ok_or_else(none)?;
    let runs = |call: &PreparedCall, choice| Press { call: call.clone(), choice, asks: false };
    match control {
        Control::Button { call: Some(call), .. } => Ok(runs(call, None)),
        Control::Ask { call, .. } => Ok(Press { asks: true, ..runs(call, None) }),
        Control::Button { call: None, .. } => Err(none()),
        Control::Select { choices, option, call, .. } => match choice_value(choices, choice) {
            Some(value) => Ok(runs(call, Some((option.clone(), value)))),
            None => Err(say!(language, "console-no-choice", n = n, choice = choice)),
        },
        Control::Pick { from, option, call, .. } => match mentions(*from, choice) {
            Some(value) => Ok(runs(call, Some((option.clone(), value)))),
            None => Err(say!(language, "console-pick", n = n)),
        },
    }
}

/// Returns a line for each button and list with its number and its command, and then how to use them.
pub(super) fn lines(controls: &[&Control], language: Language) -> Vec<String> {
    let mut lines: Vec<_> = (1..).zip(controls).filter_map(|(n, control)| line(n, control)).collect();
    let first = |is_kind: fn(&Control) -> bool| controls.iter().position(|control| is_kind(control)).map(|n| n + 1);
    let button = first(|control| control.button().is_some());
    let select = first(|control| matches!(control, Control::Select { .. }));
    let pick = first(|control| matches!(control, Control::Pick { .. }));
    lines.extend(button.map(|n| say!(language, "console-press", n = n)));
    lines.extend(select.map(|n| say!(language, "console-choose", n = n)));
    lines.extend(pick.map(|n| say!(language, "console-pick", n = n)));
    lines
}

fn line(n: usize, control: &Control) -> Option<String> {
    let call = |call: &PreparedCall| as_typed(&call.path, call.arguments.keys(), &call.arguments, usize::MAX);
    Some(match control {
        Control::Button { .. } | Control::Ask { .. } => {
            let (label, prepared) = control.button()?;
            format!("{n} [{label}] {}", call(prepared))
        }
        Control::Select { placeholder, option, choices, call: prepared } => {
            let choices = (1..).zip(choices).map(|(n, (label, _)): (usize, _)| format!("{n} {label}"));
            let choices = choices.collect::<Vec<_>>().join(" · ");
            format!("{n} [{placeholder}] {} {option}: {choices}", call(prepared))
        }
        Control::Pick { placeholder, option, call: prepared, .. } => {
            format!("{n} [{placeholder}] {} {option}: …", call(prepared))
        }
    })
}

/// Returns the value of a choice, given by its number or its label.
fn choice_value(choices: &[(String, String)], wanted: &str) -> Option<String> {
    let numbered = wanted.parse().ok().and_then(|n: usize| choices.get(n.checked_sub(1)?));
    let labelled = || choices.iter().find(|(label, _)| label.eq_ignore_ascii_case(wanted));
    numbered.or_else(labelled).map(|(_, value)| value.clone())
}

/// Returns the mentions of channels or roles that are given by their ids or as mentions.
fn mentions(from: Picked, wanted: &str) -> Option<String> {
    let sign = match from {
        Picked::Channels => "#",
        Picked::Roles => "@&",
    };
    let mention = |id: &str| {
        let id = id.strip_prefix('<').map_or(id, |id| id.trim_start_matches(sign).trim_end_matches('>'));
        id.parse().ok().filter(|id: &u64| 0 < *id).map(|id| format!("<{sign}{id}>"))
    };
    let mentions = wanted.split_whitespace().map(mention).collect::<Option<Vec<_>>>()?;
    (1..=PICKED_MAX).contains(&mentions.len()).then(|| mentions.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use candor_core::inbound::CommandPath;
    use candor_core::reply::ControlStyle;

    const EN: Language = Language::ENGLISH;

    fn call(path: CommandPath) -> PreparedCall {
        PreparedCall { path, arguments: Map::new(), in_place: true, once: false, for_everyone: false }
    }

    fn controls() -> Vec<Control> {
        let set = || call(CommandPath::new("settings", Some("set")));
        let choices = [("a fact", "fact"), ("2", "two")].map(|(label, value)| (label.to_owned(), value.to_owned()));
        let pick = |placeholder: &str, from| {
            let option = "value".to_owned();
            Control::Pick { placeholder: placeholder.to_owned(), from, option, call: set() }
        };
        let button = |label: &str| Control::Button {
            label: label.to_owned(),
            emoji: None,
            style: ControlStyle::Primary,
            call: Some(call(CommandPath::new("memory", Some("list")))),
        };
        vec![
            button("Next page"),
            Control::Select {
                placeholder: "Only one kind".to_owned(),
                option: "kind".to_owned(),
                choices: choices.into(),
                call: call(CommandPath::new("memory", Some("list"))),
            },
            pick("Channels", Picked::Channels),
            pick("Roles", Picked::Roles),
            button("1 page back"),
        ]
    }

    #[test]
    fn buttons_lists_and_pickers_are_numbered_and_followed_by_how_to_use_them() {
        let controls = controls();
        let lines = lines(&controls.iter().collect::<Vec<_>>(), EN);
        let expected = [
            "1 [Next page] /memory list".to_owned(),
            "2 [Only one kind] /memory list kind: 1 a fact · 2 2".to_owned(),
            "3 [Channels] /settings set value: …".to_owned(),
            "4 [Roles] /settings set value: …".to_owned(),
            "5 [1 page back] /memory list".to_owned(),
            say!(EN, "console-press", n = 1),
            say!(EN, "console-choose", n = 2),
            say!(EN, "console-pick", n = 3),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_line_names_a_button_or_a_choice_by_number_or_label_and_ids_for_a_picker() {
        let value = |wanted: &str| {
            let press = press(&controls(), wanted, EN)?;
            Ok(press.choice.map_or(press.call.path.to_string(), |(option, value)| format!("{option}: {value}")))
        };
        let done = [
            ("1", "/memory list"),
            ("next PAGE", "/memory list"),
            ("1 page back", "/memory list"),
            ("2 1", "kind: fact"),
            ("2  A fact", "kind: fact"),
            ("2 2", "kind: two"),
            ("3 12 <#13>", "value: <#12> <#13>"),
            ("4 <@&12>", "value: <@&12>"),
        ];
        for (wanted, expected) in done {
            assert_eq!(value(wanted), Ok(expected.to_owned()), "{wanted}");
        }
        let none = |button| say!(EN, "console-no-button", button = button);
        let refused = [
            ("0", none("0")),
            ("6", none("6")),
            ("1 2", none("1 2")),
            ("Only one kind", none("Only one kind")),
            ("2", say!(EN, "console-no-choice", n = 2, choice = "")),
            ("2 3", say!(EN, "console-no-choice", n = 2, choice = "3")),
            ("3", say!(EN, "console-pick", n = 3)),
            ("3 general", say!(EN, "console-pick", n = 3)),
            ("4 <#12>", say!(EN, "console-pick", n = 4)),
        ];
        for (wanted, expected) in refused {
            assert_eq!(value(wanted), Err(expected), "{wanted}");
        }
    }
}
