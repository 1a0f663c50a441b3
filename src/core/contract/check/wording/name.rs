//! Checks names and description lengths: one rule for commands, subcommands and options, one for context-menu commands.

use std::ops::Range;

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Part;
use crate::contract::limits;
use crate::contract::manifest::Text;
use crate::diagnostic::Code;
use crate::text::first_control;

/// Reports a name that Discord refuses. `what` describes its owner; `help` says how to write the suggested name.
pub(crate) fn check(
    name: &str,
    span: &Range<usize>,
    what: &str,
    found: &mut Findings,
    help: impl FnOnce(String) -> String,
) {
    if limits::is_name(name) {
        return;
    }
    let n_characters = name.chars().count();
    let why = if name.is_empty() {
        "it is empty".to_owned()
    } else if limits::NAME_LENGTH_MAX < n_characters {
        format!("{n_characters} characters, and Discord accepts {}", limits::NAME_LENGTH_MAX)
    } else if let Some(strange) = name.chars().find(|&character| !limits::is_name_character(character)) {
        format!("a name holds letters, numbers, `-`, `_` and `'`, and not {strange:?}")
    } else {
        "a name is in lower case".to_owned()
    };
    let help = suggestion(name).map_or_else(|| "give it another name".to_owned(), help);
    found.at(Code::NameInvalid, span).label(why).report(format!("`{name}` cannot be the name of {what}"), help);
}

/// Reports a name that Discord refuses for a context-menu command. `what` describes its owner.
pub(crate) fn check_menu_name(name: &str, span: &Range<usize>, what: &str, found: &mut Findings) {
    let reads_as_command = name.starts_with('/');
    if limits::is_menu_name(name) && !reads_as_command {
        return;
    }
    let n_characters = name.chars().count();
    let why = if name.trim().is_empty() {
        "it is empty".to_owned()
    } else if limits::NAME_LENGTH_MAX < n_characters {
        format!("{n_characters} characters, and Discord accepts {}", limits::NAME_LENGTH_MAX)
    } else if reads_as_command {
        "with its slash it would read as a command, in receipts too".to_owned()
    } else if name.trim() != name {
        "it begins or ends with white space".to_owned()
    } else {
        "it is not one line of plain text".to_owned()
    };
    let help = format!("write 1 to {} characters on one line", limits::NAME_LENGTH_MAX);
    found
        .at(Code::NameInvalid, span)
        .label(why)
        .report(format!("`{}` cannot be the name of {what}", name.trim()), help);
}

pub(crate) fn suggestion(name: &str) -> Option<String> {
    let wanted: String = name
        .trim()
        .chars()
        .flat_map(char::to_lowercase)
        .map(|character| if character.is_whitespace() || character == '.' { '-' } else { character })
        .filter(|&character| limits::is_name_character(character))
        .take(limits::NAME_LENGTH_MAX)
        .collect();
    limits::is_name(&wanted).then_some(wanted)
}

pub(crate) fn report_description_length(text: &str, title: &str, span: &Range<usize>, found: &mut Findings) {
    found.at(Code::DescriptionLength, span).label(format!("{} characters", text.chars().count())).report(
        format!("the description of {title} is too long"),
        format!("shorten it to {} characters; Discord accepts no more", limits::DESCRIPTION_LENGTH_MAX),
    );
}

/// Reports a line break or another control character in a text. `what` describes the text.
pub(crate) fn check_line(text: &str, what: &str, span: &Range<usize>, found: &mut Findings) {
    if let Some(strange) = first_control(text) {
        found.at(Code::TextInvalid, span).label(format!("it holds {strange:?}")).report(
            format!("{what} is not one line of plain text"),
            "write it in one line, without line breaks, tabs and other control characters",
        );
    }
}

/// Checks a description and returns it as Discord will show it. `path` is the table it belongs to.
pub(crate) fn description(written: &Text, part: &Part, path: &str, found: &mut Findings) -> String {
    let (text, span) = match written {
        Text::Given(description) => (description.value.trim(), &description.span),
        Text::Unreadable => return String::new(),
        Text::Missing => ("", &part.span),
    };
    if text.is_empty() {
        let longest = limits::DESCRIPTION_LENGTH_MAX;
        found.at(Code::DescriptionMissing, span).report(
            format!("{} has no description", part.title()),
            format!("write `description = \"…\"` under `[{path}]`, in 1 to {longest} characters"),
        );
    } else if !limits::is_description(text) {
        report_description_length(text, &part.title(), span, found);
    }
    check_line(text, &format!("the description of {}", part.title()), span, found);
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn a_suggestion_is_the_name_with_what_is_refused_taken_out() {
        let long = "x".repeat(40);
        let cases = [
            ("Status", Some("status")),
            (" Add Task ", Some("add-task")),
            ("git.push", Some("git-push")),
            ("/status", Some("status")),
            ("／status", Some("status")),
            (&long, Some("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")),
            ("!!", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(suggestion(name).as_deref(), expected, "{name}");
        }
    }
}
