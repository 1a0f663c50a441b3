//! Names and descriptions, in every language.

use std::ops::Range;

use crate::contract::check::declared_names::Declaration;
use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Part;
use crate::contract::limits;
use crate::contract::manifest::{Text, WrittenLocalized};
use crate::contract::spec::Localized;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{first_control, in_code_spans, nearest};

#[derive(Clone, Copy)]
pub(crate) enum NameRule {
    /// For commands, groups, subcommands and options.
    Slash,
    Menu,
    /// For choices: 1 to 100 characters.
    Choice,
}

pub(crate) struct NamedItem<'a> {
    pub(crate) name: &'a str,
    pub(crate) localized: &'a Localized,
    pub(crate) written: &'a [WrittenLocalized],
    /// The position of its key.
    pub(crate) span: &'a Range<usize>,
}

/// Returns the localizations that Discord accepts and reports the others. `what` names their owner: "the option
/// `city`".
pub(crate) fn read(written: &[WrittenLocalized], rule: NameRule, what: &str, found: &mut Findings) -> Localized {
    let mut localized = Localized::default();
    for words in written {
        let Spanned { value: locale, span } = &words.locale;
        if !limits::LOCALES.contains(&locale.as_str()) {
            report_unknown(locale, span, found);
            continue;
        }
        let subject = format!("{what} in `{locale}`");
        if let Some(Spanned { value: name, span }) = &words.name {
            check_name(name, span, rule, &subject, found);
            localized.names.insert(locale.clone(), name.clone());
        }
        if let Some(Spanned { value, span }) = &words.description {
            let text = value.trim();
            check_description(text, span, &subject, found);
            localized.descriptions.insert(locale.clone(), text.to_owned());
        }
    }
    localized
}

fn report_unknown(locale: &str, span: &Range<usize>, found: &mut Findings) {
    let spoken = locale.split(['-', '_']).next().unwrap_or_default();
    let same = limits::LOCALES.iter().filter(|known| known.split('-').next() == Some(spoken));
    let listed: Vec<_> = same.map(|known| format!("`{known}`")).collect();
    let help = match (listed.is_empty(), nearest(locale, limits::LOCALES, 1).first()) {
        (false, _) => format!("write {}", listed.join(" or ")),
        (true, Some(near)) => format!("did you mean `{near}`?"),
        (true, None) => format!("Discord knows {}", in_code_spans(limits::LOCALES)),
    };
    found.at(Code::LocaleUnknown, span).report(format!("Discord has no language `{locale}`"), help);
}

fn check_name(name: &str, span: &Range<usize>, rule: NameRule, subject: &str, found: &mut Findings) {
    match rule {
        NameRule::Slash => check(name, span, subject, found, |wanted| format!("write `name = \"{wanted}\"`")),
        NameRule::Menu => check_menu_name(name, span, subject, found),
        NameRule::Choice => {
            let n_characters = name.trim().chars().count();
            if !(1..=limits::CHOICE_NAME_LENGTH_MAX).contains(&n_characters) {
                found.at(Code::ChoiceInvalid, span).label(format!("{n_characters} characters")).report(
                    format!("`{name}` cannot be the name of {subject}"),
                    format!("write 1 to {} characters", limits::CHOICE_NAME_LENGTH_MAX),
                );
            }
        }
    }
}

fn check_description(text: &str, span: &Range<usize>, subject: &str, found: &mut Findings) {
    if text.is_empty() {
        found.at(Code::DescriptionMissing, span).report(
            format!("the description of {subject} is empty"),
            format!("write 1 to {} characters, or take it out", limits::DESCRIPTION_LENGTH_MAX),
        );
    } else if !limits::is_description(text) {
        report_description_length(text, subject, span, found);
    }
    check_line(text, &format!("the description of {subject}"), span, found);
}

/// Reports localized names that occur twice in a list. `what` names the items: "options".
pub(crate) fn check_beside(list: &[NamedItem<'_>], what: &str, found: &mut Findings) {
    for (index, later) in list.iter().enumerate() {
        let first = list.iter().take(index).find_map(|first| Some((first, clash(first.into(), later.into())?)));
        if let Some((first, (locale, name))) = first {
            let also = named_in(first.written, &locale).unwrap_or(first.span);
            let place = named_in(later.written, &locale).unwrap_or(later.span);
            found.at(Code::LocalizedNameDuplicate, place).also(also, "the first one").report(
                format!("two {what} are called `{name}` in `{locale}`"),
                format!("give `{}` or `{}` another name there", first.name, later.name),
            );
        }
    }
}

/// Reports a localized name that an earlier command of any module already has.
pub(crate) fn check_against_earlier(
    later: &NamedItem<'_>,
    earlier: &[(String, Localized, Declaration)],
    found: &mut Findings,
) {
    // Equal unlocalized names are reported elsewhere.
    let others = earlier.iter().filter(|(name, ..)| name != later.name);
    let mut clashes =
        others.filter_map(|(name, localized, first)| Some((first, clash((name, localized), later.into())?)));
    if let Some((first, (locale, name))) = clashes.next() {
        let place = named_in(later.written, &locale).unwrap_or(later.span);
        found.at(Code::LocalizedNameDuplicate, place).also_first(first).report(
            format!("`{name}` is already taken in `{locale}`: {first}"),
            format!("give `{}` another name there", later.name),
        );
    }
}

fn named_in<'a>(written: &'a [WrittenLocalized], locale: &str) -> Option<&'a Range<usize>> {
    let words = written.iter().find(|words| words.locale.value == locale)?;
    words.name.as_ref().map(|name| &name.span)
}

type NamePair<'a> = (&'a str, &'a Localized);

impl<'a> From<&NamedItem<'a>> for NamePair<'a> {
    fn from(named: &NamedItem<'a>) -> Self {
        (named.name, named.localized)
    }
}

/// Returns a language in which both items would have the same name, and that name. A localized name must differ from
/// the other names in its language and from the unlocalized names. See Discord's documentation, "Localization".
fn clash(first: NamePair<'_>, second: NamePair<'_>) -> Option<(String, String)> {
    let taken_from = |(own, other): (NamePair<'_>, NamePair<'_>)| {
        own.1.names.iter().find_map(|(locale, name)| {
            let taken = other.1.names.get(locale) == Some(name) || other.0 == name;
            taken.then(|| (locale.clone(), name.clone()))
        })
    };
    taken_from((first, second)).or_else(|| taken_from((second, first)))
}

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
mod localized_tests {
    use super::*;

    #[test]
    fn names_clash_within_a_language_and_with_names_without_one() {
        let german =
            |name: &str| Localized { names: [("de".to_owned(), name.to_owned())].into(), ..Localized::default() };
        let french =
            |name: &str| Localized { names: [("fr".to_owned(), name.to_owned())].into(), ..Localized::default() };
        let plain = Localized::default();
        let cases = [
            (("city", &german("stadt")), ("town", &german("stadt")), Some("stadt")),
            (("city", &german("stadt")), ("town", &french("stadt")), None),
            (("city", &german("town")), ("town", &plain), Some("town")),
            (("city", &plain), ("town", &german("city")), Some("city")),
            // An item's own name repeated as its localized name is no duplicate.
            (("city", &german("city")), ("town", &german("town")), None),
            (("city", &plain), ("town", &plain), None),
        ];
        for (first, second, expected) in cases {
            let name = clash(first, second).map(|(_, name)| name);
            assert_eq!(name.as_deref(), expected, "{first:?} {second:?}");
        }
    }
}

#[cfg(test)]
mod name_tests {
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
