//! Checks localized names and descriptions: known locales, and no duplicate names within one list.

use std::ops::Range;

use crate::contract::check::declared_names::Declaration;
use crate::contract::check::findings::Findings;
use crate::contract::check::wording::name;
use crate::contract::limits;
use crate::contract::manifest::WrittenLocalized;
use crate::contract::spec::Localized;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{in_code_spans, nearest};

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
        NameRule::Slash => name::check(name, span, subject, found, |wanted| format!("write `name = \"{wanted}\"`")),
        NameRule::Menu => name::check_menu_name(name, span, subject, found),
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
        name::report_description_length(text, subject, span, found);
    }
    name::check_line(text, &format!("the description of {subject}"), span, found);
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

#[cfg(test)]
mod tests {
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
