//! Checks the descriptions of commands and subcommands.

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Part;
use crate::contract::check::wording::name;
use crate::contract::limits;
use crate::contract::manifest::Text;
use crate::diagnostic::Code;

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
        name::report_description_length(text, &part.title(), span, found);
    }
    name::check_line(text, &format!("the description of {}", part.title()), span, found);
    text.to_owned()
}
