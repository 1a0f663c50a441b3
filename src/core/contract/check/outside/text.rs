//! Checks the replies of a text module's command.

use std::ops::Range;

use crate::contract::check::findings::Findings;
use crate::contract::check::outside::signature::type_of;
use crate::contract::manifest::{WrittenLeaf, WrittenReply};
use crate::contract::outside::{Card, Cards, PLACEHOLDERS, Template, Unreadable, colour, picture};
use crate::contract::spec::{SettingKind, SettingSpec};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::language::Language;
use crate::text::{in_code_spans, nearest};

/// The names that a command's templates may use.
pub(super) struct Known<'a> {
    /// The command's options, each with its type in the manifest.
    options: Vec<(&'a str, &'a str)>,
    /// The module's settings, without secrets.
    settings: Vec<&'a str>,
}

impl<'a> Known<'a> {
    /// Collects the names for a command's table. `target` is the object that a context-menu command is used on.
    pub(super) fn of(written: &'a WrittenLeaf, target: Option<&'a str>, specs: &'a [SettingSpec]) -> Self {
        let of_options = written.options.iter().map(|option| (option.name.value.as_str(), type_of(option)));
        let shown = specs.iter().filter(|spec| spec.kind != SettingKind::Secret);
        Self {
            options: of_options.chain(target.map(|word| (word, word))).collect(),
            settings: shown.map(|spec| spec.name.as_str()).collect(),
        }
    }
}

/// Reads the replies in a command's table. Returns `None`, and reports why, if it has no reply.
pub(super) fn cards(
    written: &WrittenLeaf,
    known: &Known<'_>,
    command: &Range<usize>,
    found: &mut Findings,
) -> Option<Cards> {
    let Some(Spanned { value: reply, span }) = &written.reply else {
        found.at(Code::ReplyMissing, command).report(
            format!("`[{}]` has no reply", written.path),
            format!("write `reply = \"…\"` under `[{}]`", written.path),
        );
        return None;
    };
    Some(of_reply(reply, span, known, found))
}

pub(super) fn of_reply(reply: &WrittenReply, span: &Range<usize>, known: &Known<'_>, found: &mut Findings) -> Cards {
    if reply.texts.is_empty() && reply.title.is_none() {
        found.at(Code::ReplyMissing, span).report(
            "the reply says nothing",
            "write `text = \"…\"` in it, or `any = [\"…\", \"…\"]` for one of several",
        );
    }
    let own = card(reply, known, found);
    let mut localized = Vec::new();
    for (tag, reply) in &reply.localized {
        let card = card(reply, known, found).or(&own);
        localized.extend(language(tag, found).map(|language| (language, card)));
    }
    Cards { own, localized }
}

/// Returns the language of a key. Reports a language that the bot does not answer in.
fn language(tag: &Spanned<String>, found: &mut Findings) -> Option<Language> {
    let named = Language::all().find(|language| language.tag() == tag.value);
    if named.is_none() {
        let help = match Language::of_locale(&tag.value) {
            Some(spoken) => format!("write `{spoken}`"),
            None => format!("take it out; known are {}", in_code_spans(Language::all().map(Language::tag))),
        };
        let message = format!("this bot does not answer in the language `{}`", tag.value);
        found.at(Code::LocaleUnknown, &tag.span).report(message, help);
    }
    named
}

fn card(reply: &WrittenReply, known: &Known<'_>, found: &mut Findings) -> Card {
    let mut read = |text: &Spanned<String>| template(text, known, found);
    Card {
        title: reply.title.as_ref().and_then(&mut read),
        texts: reply.texts.iter().filter_map(&mut read).collect(),
        colour: reply.colour.as_ref().and_then(|text| checked(text, colour(&text.value), found)),
        picture: reply.picture.as_ref().and_then(|text| checked(text, picture(text.value.clone()), found)),
    }
}

fn checked<T, E: std::fmt::Display>(text: &Spanned<String>, read: Result<T, E>, found: &mut Findings) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(problem) => {
            let help = "correct it, or take it out";
            found.at(Code::ManifestValueInvalid, &text.span).report(problem.to_string(), help);
            None
        }
    }
}

fn template(text: &Spanned<String>, Known { options, settings }: &Known<'_>, found: &mut Findings) -> Option<Template> {
    let problem = match Template::parse(&text.value, options, settings) {
        Ok(template) => return Some(template),
        Err(problem) => problem,
    };
    let (message, help) = match problem {
        Unreadable::Unknown(name, _) => {
            let of_settings: Vec<_> = settings.iter().map(|name| format!("setting.{name}")).collect();
            let own = options.iter().map(|(name, _)| *name).chain(of_settings.iter().map(String::as_str));
            let known: Vec<_> = own.chain(PLACEHOLDERS).collect();
            let help = match nearest(&name, known.iter().copied(), 1).first() {
                Some(near) => format!("did you mean `{{{near}}}`?"),
                None => format!("known are {}; `{{{{` stands for a brace", in_code_spans(&known)),
            };
            (format!("there is no placeholder `{{{name}}}`"), help)
        }
        Unreadable::Brace(at) => {
            let from: String = text.value.get(at..).unwrap_or_default().chars().take(24).collect();
            let help = "close the placeholder, or write `{{` and `}}` for braces".to_owned();
            (format!("a brace has no partner: `{from}`"), help)
        }
    };
    found.at(Code::PlaceholderUnknown, &text.span).report(message, help);
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contract::manifest::{self, WrittenCommandValue};
    use crate::diagnostic::{Diagnostics, SourceFile};

    #[test]
    fn a_reply_has_its_colour_and_picture_in_every_language() {
        let text = "[commands.\"/x\"]\n[commands.\"/x\".reply]\ntext = \"Hello\"\ncolour = \"#30a46c\"\n\
                    picture = \"https://example.org/sun.png\"\nlocalized.de = { text = \"Hallo\", colour = \"#000001\" }\n";
        let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text: text.to_owned() });
        let written = manifest::read(&file, &mut Diagnostics::default());
        let WrittenCommandValue::Table(body) = &written.commands[0].value else { panic!("{written:?}") };
        let mut found = Findings::new(file, Diagnostics::default());
        let cards = cards(&body.leaf, &Known::of(&body.leaf, None, &[]), &(0..1), &mut found).unwrap();
        let picture = Some("https://example.org/sun.png");
        assert_eq!((cards.own.colour, cards.own.picture.as_deref()), (Some(0x30_a4_6c), picture));
        let [(language, german)] = cards.localized.as_slice() else { panic!("{cards:?}") };
        assert_eq!((language.tag(), german.colour, german.picture.as_deref()), ("de", Some(1), picture));
    }
}
