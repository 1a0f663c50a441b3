//! The bot's own texts, in the reader's language.
//!
//! Each language is one file in `src/core/language/`, in Fluent's format (<https://projectfluent.org>), named by its
//! language tag. A new file adds a language. English comes first and is the fallback for each missing message. Modules
//! may bring separate [`Texts`]. Text of people and models is never translated.

use std::fmt;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use include_dir::{Dir, include_dir};
use unic_langid::LanguageIdentifier;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/language");

/// English first, then by tag.
static OWN: LazyLock<Texts> = LazyLock::new(|| {
    let files =
        FILES.files().filter_map(|file| Some((file.path().to_str()?.strip_suffix(".ftl")?, file.contents_utf8()?)));
    let mut files: Vec<_> = files.collect();
    files.sort_by_key(|(tag, _)| (*tag != ENGLISH, *tag));
    Texts::new(&files)
});

const ENGLISH: &str = "en";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Language(usize);

impl Language {
    /// The fallback when no better language is known.
    pub const ENGLISH: Self = Self(0);

    /// Returns every language, English first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..OWN.0.len()).map(Self)
    }

    /// Returns the language of a locale such as `de`, `de-AT` or `en-US`. `None` if the bot has no texts in it.
    pub fn of_locale(locale: &str) -> Option<Self> {
        let (spoken, _) = locale.split_once(['-', '_']).unwrap_or((locale, ""));
        let position = |wanted: &str| OWN.0.iter().position(|known| known.tag.eq_ignore_ascii_case(wanted));
        position(locale).or_else(|| position(spoken)).map(Self)
    }

    pub fn tag(self) -> &'static str {
        OWN.0.get(self.0).map_or(ENGLISH, |catalogue| catalogue.tag)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

/// Formats one of the bot's own messages. Used by [`say!`].
pub fn message(language: Language, key: &'static str, arguments: &FluentArgs<'_>) -> String {
    OWN.message(language, key, arguments)
}

/// Texts in several languages: the bot's own, or those of a module, read with [`say_from!`].
#[derive(Debug)]
pub struct Texts(Vec<Catalogue>);

impl Texts {
    /// Parses these files, each given with its language tag. The first language is the fallback for messages that
    /// another one lacks.
    pub fn new(files: &[(&'static str, &str)]) -> Self {
        Self(files.iter().filter_map(|(tag, text)| Catalogue::read(tag, text)).collect())
    }

    /// Formats a message in the language, or in the first one if the language lacks it.
    pub fn message(&self, language: Language, key: &'static str, arguments: &FluentArgs<'_>) -> String {
        let own = self.0.iter().find(|catalogue| catalogue.tag == language.tag());
        let said = own.and_then(|catalogue| catalogue.say(key, arguments));
        let said = said.or_else(|| self.0.first()?.say(key, arguments));
        // Tests check that every key in use is in every file.
        said.unwrap_or_else(|| format!("⟨{key}⟩"))
    }
}

/// Formats one of the bot's own messages: `say!(language, "unknown-command", command = "/staus")`. Arguments are
/// inserted unchanged; the caller must quote untrusted text first.
#[macro_export]
macro_rules! say {
    ($language:expr, $key:literal $(, $name:ident = $value:expr)* $(,)?) => {{
        #[allow(unused_mut, clippy::allow_attributes_without_reason)]
        let mut arguments = $crate::language::Arguments::new();
        $(arguments.set(stringify!($name), $value);)*
        $crate::language::message($language, $key, &arguments)
    }};
}
pub use say;

/// Formats one of a module's messages from its [`Texts`]: `say_from!(TEXTS, language, "added", title = "milk")`. As
/// with [`say!`], the caller must quote untrusted text first.
#[macro_export]
macro_rules! say_from {
    ($texts:expr, $language:expr, $key:literal $(, $name:ident = $value:expr)* $(,)?) => {{
        #[allow(unused_mut, clippy::allow_attributes_without_reason)]
        let mut arguments = $crate::language::Arguments::new();
        $(arguments.set(stringify!($name), $value);)*
        $texts.message($language, $key, &arguments)
    }};
}
pub use say_from;

/// Replaces the decimal point of a written number by the language's decimal sign.
pub fn number(written: &str, language: Language) -> String {
    written.replace('.', &say!(language, "decimal-point"))
}

pub type Arguments<'a> = FluentArgs<'a>;

struct Catalogue {
    tag: &'static str,
    bundle: FluentBundle<FluentResource>,
}

impl Catalogue {
    fn read(tag: &'static str, text: &str) -> Option<Self> {
        let language: LanguageIdentifier = tag.parse().ok()?;
        // Tests find unreadable entries; the rest of the file is still used.
        let resource = FluentResource::try_new(text.to_owned()).unwrap_or_else(|(readable, _)| readable);
        let mut bundle = FluentBundle::new_concurrent(vec![language]);
        // Discord shows the isolation marks around arguments as boxes in code.
        bundle.set_use_isolating(false);
        bundle.add_resource_overriding(resource);
        Some(Self { tag, bundle })
    }

    fn say(&self, key: &str, arguments: &FluentArgs<'_>) -> Option<String> {
        let pattern = self.bundle.get_message(key)?.value()?;
        let mut problems = Vec::new();
        let said = self.bundle.format_pattern(pattern, Some(arguments), &mut problems).into_owned();
        problems.is_empty().then_some(said)
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalogue").field("tag", &self.tag).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_finds_its_language() {
        for (locale, tag) in [("en-US", "en"), ("de", "de"), ("de-AT", "de"), ("DE", "de")] {
            assert_eq!(Language::of_locale(locale).map(Language::tag), Some(tag), "{locale}");
        }
        assert_eq!(Language::of_locale("tlh"), None);
        assert_eq!(Language::default(), Language::ENGLISH);
    }

    #[test]
    fn what_a_language_lacks_is_said_in_the_first_one() {
        let texts = Texts::new(&[("en", "one = One\ntwo = Two { $n }"), ("de", "two = Zwei { $n }")]);
        let german = Language::of_locale("de").unwrap();
        assert_eq!(say_from!(texts, german, "two", n = 2), "Zwei 2");
        assert_eq!(say_from!(texts, german, "one"), "One");
        assert_eq!(say_from!(texts, Language::ENGLISH, "two", n = 2), "Two 2");
        assert_eq!(say_from!(texts, german, "three"), "⟨three⟩");
    }
}
