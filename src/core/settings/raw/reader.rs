//! Reads one section of the settings: takes keys by name, type and range.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::{self, Path, PathBuf};
use std::time::Duration;

use url::Url;

use super::id::{self, IdKind};
use crate::diagnostic::spanned::{Codes, Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostics};
use crate::language::Language;
use crate::settings::address::{ADDRESS_HELP, INSECURE_HELP, is_readable_on_the_way, web_address};
use crate::text::{Zone, in_code_spans, nearest};

/// The codes of problems with the shape of the settings file.
pub(super) const CODES: Codes =
    Codes { syntax: Code::ConfigSyntax, unknown_key: Code::ConfigUnknownKey, wrong_type: Code::ConfigWrongType };

/// The result of [`SectionReader::ids_or_word`].
pub(super) enum IdsOrWord<T> {
    Ids(BTreeSet<u64>),
    /// The meaning of one of the words.
    Word(T),
}

/// A section, and the diagnostics that collect its problems.
pub(super) struct SectionReader<'a> {
    section: Section,
    found: &'a mut Diagnostics,
}

impl<'a> SectionReader<'a> {
    pub(super) fn new(section: Section, found: &'a mut Diagnostics) -> Self {
        Self { section, found }
    }

    pub(super) fn finish(self) {
        self.section.finish(self.found);
    }

    /// Reads a section below this one, if it exists.
    pub(super) fn section(&mut self, key: &str, read: impl FnOnce(&mut SectionReader<'_>)) {
        self.table(key, |section, found| {
            let mut reader = SectionReader::new(section, found);
            read(&mut reader);
            reader.finish();
        });
    }

    /// Reads a table whose keys the operator chose.
    pub(super) fn table(&mut self, key: &str, read: impl FnOnce(Section, &mut Diagnostics)) {
        let Some((_, Spanned { value, span })) = self.section.take(key) else { return };
        match value {
            TomlValue::Table(section) => read(section, self.found),
            other => {
                let name = self.section.path_of(key);
                let message = format!("`{name}` takes a table, but this is {}", other.kind());
                let help = format!("write `[{name}]` on a line of its own, and its settings below");
                self.report(Code::ConfigWrongType, &span, message, help);
            }
        }
    }

    /// Returns the keys that were not read yet, of a table whose keys the operator chose.
    pub(super) fn keys(&self) -> Vec<Spanned<String>> {
        self.section.keys()
    }

    /// Reports a key of an earlier version, with its replacement.
    pub(super) fn gone(&mut self, key: &str, help: &str) {
        if !self.section.has(key) {
            return;
        }
        let Some((name, _)) = self.section.take(key) else { return };
        let message = format!("`{}` is no longer a setting", self.section.path_of(key));
        self.report(Code::ConfigUnknownKey, &name.span, message, help.to_owned());
    }

    /// Reports a key of an earlier version that has no effect.
    pub(super) fn unused(&mut self, key: &str) {
        self.section.unused(key, self.found);
    }

    /// Returns whether the section has this key and it was not read yet.
    pub(super) fn has(&self, key: &str) -> bool {
        self.section.has(key)
    }

    /// Returns the path of a key in this section: `modules.path`.
    pub(super) fn path_of(&self, key: &str) -> String {
        self.section.path_of(key)
    }

    pub(super) fn missing(&mut self, key: &str, help: &str) {
        let message = format!("`[{}]` has no `{key}`", self.section.path());
        self.invalid(&self.section.span(), message, help.to_owned());
    }

    pub(super) fn boolean(&mut self, key: &str) -> Option<bool> {
        self.spanned_boolean(key).map(|truth| truth.value)
    }

    pub(super) fn spanned_boolean(&mut self, key: &str) -> Option<Spanned<bool>> {
        self.section.boolean(key, self.found)
    }

    /// Reads `true` or `false`; or this word, for `None`.
    pub(super) fn boolean_or(&mut self, key: &str, word: &str) -> Option<Option<bool>> {
        let (_, Spanned { value, span }) = self.section.take(key)?;
        match value {
            TomlValue::Boolean(truth) => Some(Some(truth)),
            TomlValue::String(text) if text == word => Some(None),
            other => {
                let wanted = format!("true, false or \"{word}\"");
                self.found.push(self.section.wrong_type(key, &wanted, &other, &span));
                None
            }
        }
    }

    /// Reads an integer within `range`.
    pub(super) fn whole<N>(&mut self, key: &str, range: RangeInclusive<N>) -> Option<N>
    where
        N: TryFrom<i64> + PartialOrd + Display,
    {
        let written = self.section.integer(key, self.found)?;
        let number = N::try_from(written.value).ok().filter(|number| range.contains(number));
        if number.is_none() {
            let message = format!("`{}` cannot be {}", self.section.path_of(key), written.value);
            let help = format!("write a whole number from {} to {}", range.start(), range.end());
            self.invalid(&written.span, message, help);
        }
        number
    }

    /// Reads a list of ports. Other numbers are reported and left out.
    pub(super) fn ports(&mut self, key: &str) -> BTreeSet<u16> {
        let written = self.section.integers(key, self.found).map(|list| list.value).unwrap_or_default();
        let mut ports = BTreeSet::new();
        for Spanned { value, span } in written {
            match u16::try_from(value).ok().filter(|port| 0 < *port) {
                Some(port) => _ = ports.insert(port),
                None => {
                    let message = format!("`{}` takes ports, and {value} is none", self.section.path_of(key));
                    self.invalid(&span, message, "write numbers from 1 to 65535".to_owned());
                }
            }
        }
        ports
    }

    /// Reads a number within `range`, whole or not.
    pub(super) fn number(&mut self, key: &str, range: RangeInclusive<f64>) -> Option<f64> {
        let written = self.section.number(key, self.found)?;
        let fits = range.contains(&written.value);
        if !fits {
            let message = format!("`{}` cannot be {}", self.section.path_of(key), written.value);
            let help = format!("write a number from {} to {}", range.start(), range.end());
            self.invalid(&written.span, message, help);
        }
        fits.then_some(written.value)
    }

    /// Reads whole seconds, 1 to `max`.
    pub(super) fn seconds(&mut self, key: &str, max: u64) -> Option<Duration> {
        self.whole(key, 1..=max).map(Duration::from_secs)
    }

    /// Reads text that `parse` accepts. `problem` describes any other text.
    pub(super) fn parsed<T>(
        &mut self,
        key: &str,
        problem: &str,
        help: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.section.string(key, self.found)?;
        let parsed = parse(&text.value);
        if parsed.is_none() {
            self.invalid(&text.span, format!("`{}` {problem}", self.section.path_of(key)), help.to_owned());
        }
        parsed
    }

    /// Reads a language of the bot, by its tag.
    pub(super) fn language(&mut self, key: &str) -> Option<Language> {
        let help = format!("write one of {}", in_code_spans(Language::all()));
        let spoken = |tag: &str| Language::all().find(|known| known.tag() == tag);
        self.parsed(key, "is not a language that this bot speaks", &help, spoken)
    }

    pub(super) fn zone(&mut self, key: &str) -> Option<Zone> {
        let Spanned { value, span } = self.section.string(key, self.found)?;
        let near = match Zone::named(&value) {
            Ok(zone) => return Some(zone),
            Err(near) => near,
        };
        let help = match near.is_empty() {
            true => "write a name of the IANA database, such as `Europe/Berlin`".to_owned(),
            false => format!("did you mean {}?", in_code_spans(&near)),
        };
        self.invalid(&span, format!("`{}` is not a known time zone", self.section.path_of(key)), help);
        None
    }

    pub(super) fn spanned_name(&mut self, key: &str) -> Option<Spanned<String>> {
        self.section.string(key, self.found).filter(|name| !name.value.trim().is_empty())
    }

    /// Reads a name: non-blank text.
    pub(super) fn name(&mut self, key: &str) -> Option<String> {
        self.parsed(key, "is empty", "write a name, or take the key out", |text| {
            (!text.trim().is_empty()).then(|| text.to_owned())
        })
    }

    /// Reads the path of a folder, which need not exist.
    pub(super) fn folder(&mut self, key: &str) -> Option<PathBuf> {
        self.parsed(key, "is empty", "write a path, or take the key out", |text| {
            (!text.trim().is_empty()).then(|| PathBuf::from(text))
        })
    }

    /// Reads the path of a file, which need not exist, and its position.
    pub(super) fn file(&mut self, key: &str) -> Option<Spanned<PathBuf>> {
        let Spanned { value, span } = self.section.string(key, self.found)?;
        let (problem, help) = if value.trim().is_empty() {
            ("is empty", "write a path, or take the key out")
        } else if value.ends_with(path::is_separator) || Path::new(&value).file_name().is_none() {
            ("names a folder, not a file", "write the file's name behind it")
        } else {
            return Some(Spanned { value: PathBuf::from(value), span });
        };
        self.invalid(&span, format!("`{}` {problem}", self.section.path_of(key)), help.to_owned());
        None
    }

    /// Reads one of a few words.
    pub(super) fn one_of<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.section.string(key, self.found)?;
        let chosen = words.iter().find(|(word, _)| *word == text.value).map(|(_, meaning)| *meaning);
        if chosen.is_none() {
            let names = words.iter().map(|(word, _)| *word);
            let listed = |between| words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(between);
            let help = match nearest(&text.value, names, 1).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write {}", listed(" or ")),
            };
            self.invalid(&text.span, format!("`{}` must be one of {}", self.section.path_of(key), listed(", ")), help);
        }
        chosen
    }

    /// Reads an `http` or `https` address. Messages never repeat it, because addresses may contain passwords.
    pub(super) fn address(&mut self, key: &str) -> Option<Spanned<Url>> {
        let text = self.section.string(key, self.found)?;
        match web_address(&text.value) {
            Ok(url) => Some(Spanned { value: url, span: text.span }),
            Err(problem) => {
                self.invalid(&text.span, format!("`{}` {problem}", self.section.path_of(key)), ADDRESS_HELP.to_owned());
                None
            }
        }
    }

    /// Reports an address to which `secret` would be sent in clear.
    pub(super) fn encrypted(&mut self, key: &str, url: &Url, span: &Range<usize>, secret: &str) {
        if is_readable_on_the_way(url) {
            let message = format!("`{}` would send {secret} unencrypted to another machine", self.section.path_of(key));
            self.invalid(span, message, INSECURE_HELP.to_owned());
        }
    }

    /// Reads a list of names. Empty ones are reported and left out.
    pub(super) fn names(&mut self, key: &str) -> Option<Vec<Spanned<String>>> {
        let (empty, names): (Vec<_>, Vec<_>) =
            self.texts(key)?.value.into_iter().partition(|name| name.value.trim().is_empty());
        for empty in empty {
            let message = format!("`{}` holds an empty name", self.section.path_of(key));
            self.invalid(&empty.span, message, "take it out".to_owned());
        }
        Some(names)
    }

    /// Reads a list of texts, unchanged.
    pub(super) fn texts(&mut self, key: &str) -> Option<Spanned<Vec<Spanned<String>>>> {
        self.section.strings(key, self.found)
    }

    /// Reads a list of commands as people type them, `/tasks add`. Malformed ones are reported and left out; the
    /// commands need not exist.
    pub(super) fn commands(&mut self, key: &str) -> Vec<Spanned<String>> {
        let texts = self.texts(key).map(|texts| texts.value).unwrap_or_default();
        let mut commands = Vec::with_capacity(texts.len());
        for Spanned { value, span } in texts {
            let words = value.split_whitespace().collect::<Vec<_>>().join(" ");
            let name = words.trim_start_matches(['/', ' ']);
            // Do not repeat any other text in a message: it may be a secret.
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || " -_".contains(c));
            if is_name && words == format!("/{name}") {
                commands.push(Spanned { value: words, span });
                continue;
            }
            let message = format!("`{}` takes commands, and this is not one", self.section.path_of(key));
            let help = match is_name {
                true => format!("write `/{name}`"),
                false => "write a command as people type it, such as `/tasks add`, or take it out".to_owned(),
            };
            self.invalid(&span, message, help);
        }
        commands
    }

    /// Reads a list of Discord ids, each an integer or a text of digits: programs that convert JSON to TOML often have
    /// ids as text.
    pub(super) fn ids(&mut self, key: &str, kind: IdKind) -> BTreeSet<u64> {
        self.spanned_ids(key, kind).into_iter().map(|id| id.value).collect()
    }

    pub(super) fn one_id(&mut self, key: &str, kind: IdKind) -> Option<Spanned<u64>> {
        let (_, written) = self.section.take(key)?;
        let id = self.id(key, kind, &written)?;
        Some(Spanned { value: id, span: written.span })
    }

    /// Reads a list of Discord ids with their positions. Ids that are too small for Discord are reported and left out.
    pub(super) fn snowflakes(&mut self, key: &str, kind: IdKind) -> Vec<Spanned<u64>> {
        let (snowflakes, others): (Vec<_>, Vec<_>) =
            self.spanned_ids(key, kind).into_iter().partition(|id| id::LEAST <= id.value);
        for Spanned { value: id, span } in others {
            let name = self.section.path_of(key);
            let kind_name = kind.plural();
            let message =
                format!("`{name}` takes the ids of {kind_name}, and {id} is not an id: ids have 17 to 20 digits");
            self.invalid(&span, message, kind.help());
        }
        snowflakes
    }

    fn spanned_ids(&mut self, key: &str, kind: IdKind) -> Vec<Spanned<u64>> {
        let Some((_, list)) = self.section.take(key) else { return Vec::new() };
        let TomlValue::Array(items) = list.value else {
            let message =
                format!("`{}` takes a list of ids, but this is {}", self.section.path_of(key), list.value.kind());
            let help = match list.value {
                TomlValue::Integer(id) => format!("write `{key} = [{id}]`"),
                _ => format!("write `{key} = [ID, ID]`, with the ids of {}", kind.plural()),
            };
            self.report(Code::ConfigWrongType, &list.span, message, help);
            return Vec::new();
        };
        let id = |item: Spanned<TomlValue>| Some(Spanned { value: self.id(key, kind, &item)?, span: item.span });
        items.into_iter().filter_map(id).collect()
    }

    /// Reads a list of Discord ids, or one of a few words.
    pub(super) fn ids_or_word<T: Clone>(
        &mut self,
        key: &str,
        kind: IdKind,
        words: &[(&str, T)],
    ) -> Option<IdsOrWord<T>> {
        let (_, Spanned { value, span }) = self.section.take(key)?;
        let meaning = match value {
            TomlValue::Array(items) => {
                return Some(IdsOrWord::Ids(items.iter().filter_map(|item| self.id(key, kind, item)).collect()));
            }
            TomlValue::String(text) => words.iter().find(|(word, _)| **word == *text).map(|(_, meaning)| meaning),
            _ => None,
        };
        if meaning.is_none() {
            let listed = words.iter().map(|(word, _)| format!("`\"{word}\"`")).collect::<Vec<_>>().join(" or ");
            let message = format!("`{}` takes a list of ids, {listed}", self.section.path_of(key));
            let help = format!("write `{key} = [ID, ID]`, with the ids of {}, or {listed}", kind.plural());
            self.invalid(&span, message, help);
        }
        meaning.cloned().map(IdsOrWord::Word)
    }

    fn id(&mut self, key: &str, kind: IdKind, item: &Spanned<TomlValue>) -> Option<u64> {
        let id = match &item.value {
            TomlValue::Integer(number) => u64::try_from(*number).ok(),
            TomlValue::String(text) => id::digits(text),
            other => {
                let message = format!("`{}` takes ids, but this is {}", self.section.path_of(key), other.kind());
                self.report(Code::ConfigWrongType, &item.span, message, kind.help());
                return None;
            }
        };
        let id = id.filter(|&id| 0 < id);
        if id.is_none() {
            let message =
                format!("`{}` takes the ids of {}, but this is not an id", self.section.path_of(key), kind.plural());
            self.invalid(&item.span, message, kind.help());
        }
        id
    }

    /// Warns about a value that has no effect because of another one.
    pub(super) fn contradiction(&mut self, span: &Range<usize>, message: String, help: String) {
        self.report(Code::ConfigContradiction, span, message, help);
    }

    /// Reports a value outside its range or form.
    pub(super) fn invalid(&mut self, span: &Range<usize>, message: String, help: String) {
        self.report(Code::ConfigValueInvalid, span, message, help);
    }

    fn report(&mut self, code: Code, span: &Range<usize>, message: String, help: String) {
        self.found.push(self.section.problem(code, span, message, help));
    }
}

/// Replaces the default if a value is written.
pub(super) fn set<T>(setting: &mut T, written: Option<T>) {
    if let Some(written) = written {
        *setting = written;
    }
}
