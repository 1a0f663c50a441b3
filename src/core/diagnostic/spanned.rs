//! Reads a TOML file and keeps the source position of every key and value.
//!
//! Reading is lenient: a wrong type or an unknown key becomes a diagnostic and reading continues, so one pass finds
//! every problem. The reader of a section takes the keys it knows by name and type. [`Section::finish`] reports the
//! keys left over as unknown, and its help lists those that were asked for.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Number, Value};
use toml::de::{DeTable, DeValue, Error};

use crate::diagnostic::repaired::{self, Repaired};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location, SourceFile};
use crate::text::{in_code_spans, nearest};

/// The name of an integer in messages.
const WHOLE: &str = "a whole number";

/// A value with its byte range in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Range<usize>,
}

/// The codes used for problems of one kind of file.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The file is not TOML.
    pub syntax: Code,
    pub unknown_key: Code,
    pub wrong_type: Code,
}

/// A table of the file.
#[derive(Debug)]
pub struct Section {
    file: Arc<SourceFile>,
    codes: Codes,
    path: String,
    span: Range<usize>,
    entries: Vec<Entry>,
    /// The keys that were asked for, in that order.
    known: Vec<String>,
}

#[derive(Debug)]
struct Entry {
    key: Spanned<String>,
    value: Spanned<TomlValue>,
}

#[derive(Debug)]
pub enum TomlValue {
    String(String),
    Integer(i64),
    Number(f64),
    Boolean(bool),
    Array(Vec<Spanned<TomlValue>>),
    Table(Section),
    /// A date, or a number out of range. The text names which.
    Other(&'static str),
}

impl TomlValue {
    /// Returns the name of its type, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::String(_) => "text",
            Self::Integer(_) => WHOLE,
            Self::Number(_) => "a number",
            Self::Boolean(_) => "true or false",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
            Self::Other(kind) => kind,
        }
    }
}

impl TomlValue {
    /// Converts to JSON. `None` if a part has no JSON form: a date, or a number that is not finite.
    pub fn into_json(self) -> Option<Value> {
        match self {
            Self::String(text) => Some(Value::from(text)),
            Self::Integer(number) => Some(Value::from(number)),
            Self::Number(number) => Number::from_f64(number).map(Value::Number),
            Self::Boolean(truth) => Some(Value::from(truth)),
            Self::Array(items) => items.into_iter().map(|item| item.value.into_json()).collect(),
            Self::Table(section) => {
                let fields = section.entries.into_iter();
                fields.map(|entry| Some((entry.key.value, entry.value.value.into_json()?))).collect()
            }
            Self::Other(_) => None,
        }
    }
}

/// Reads a file. Invalid TOML is reported, and the rest of the file is still read.
pub fn read(file: &Arc<SourceFile>, codes: Codes, found: &mut Diagnostics) -> Section {
    let (table, errors) = DeTable::parse_recoverable(&file.text);
    let mut told = Vec::new();
    let line = |error: &Error| file.position(error.span().unwrap_or(0..0).start).line;
    for error in &errors {
        // In `[a."b]` the quotation mark is missing, not the bracket.
        let is_another = |other: &Error| repaired::missing(other).is_none() && line(other) == line(error);
        if repaired::missing(error).is_some() && errors.iter().any(is_another) {
            continue;
        }
        let span = error.span().unwrap_or(0..0);
        let (message, help) = match is_escape(&file.text, span.start) {
            // One text may hold many wrong escapes: report one per line.
            true if told.contains(&file.position(span.start).line) => continue,
            true => {
                told.push(file.position(span.start).line);
                (
                    "in double quotes a backslash begins an escape, and this is none that TOML knows",
                    "write the text in single quotes, '…', where a backslash is one, or write / in a path",
                )
            }
            false if repaired::missing(error).is_some() => (
                "the name of a table is not closed",
                "write the brackets that it lacks: `[table]`, or `[[table]]` in a list of tables",
            ),
            false => (
                error.message().lines().next().unwrap_or_default(),
                "see https://toml.io for how keys, text and tables are written",
            ),
        };
        found.push(Diagnostic {
            code: codes.syntax,
            message: format!("this is not TOML: {message}"),
            place: Location { file: Arc::clone(file), span, label: String::new(), also: None },
            help: help.to_owned(),
        });
    }
    let repaired = Repaired::of(&file.text, &errors);
    let again = repaired.is_another().then(|| DeTable::parse_recoverable(repaired.text()).0);
    let table = again.as_ref().unwrap_or(&table);
    section(&Reading { file, codes, repaired: &repaired }, String::new(), 0..0, table.get_ref())
}

/// Returns whether the error is in an escape: behind a backslash, or behind `\u`.
fn is_escape(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.ends_with('\\') || before.trim_end_matches(['u', 'U', 'x']).ends_with('\\')
}

/// The context of one read.
struct Reading<'a> {
    file: &'a Arc<SourceFile>,
    codes: Codes,
    repaired: &'a Repaired<'a>,
}

fn section(reading: &Reading<'_>, path: String, span: Range<usize>, table: &DeTable<'_>) -> Section {
    let at = |span: Range<usize>| reading.repaired.at(&span);
    let mut entries: Vec<_> = table
        .iter()
        .map(|(key, value)| {
            let name = key.get_ref().to_string();
            let inner = dotted(&path, &name);
            let read = value_of(reading, inner, at(key.span()), value.get_ref());
            let key = Spanned { value: name, span: at(key.span()) };
            Entry { key, value: Spanned { value: read, span: at(value.span()) } }
        })
        .collect();
    entries.sort_by_key(|entry| entry.key.span.start);
    Section { file: Arc::clone(reading.file), codes: reading.codes, path, span, entries, known: Vec::new() }
}

fn value_of(reading: &Reading<'_>, path: String, key: Range<usize>, value: &DeValue<'_>) -> TomlValue {
    match value {
        DeValue::String(text) => TomlValue::String(text.to_string()),
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix())
            .map_or(TomlValue::Other("a number beyond 64 bits"), TomlValue::Integer),
        DeValue::Float(digits) => {
            digits.as_str().parse().map_or(TomlValue::Other("an unreadable number"), TomlValue::Number)
        }
        DeValue::Boolean(truth) => TomlValue::Boolean(*truth),
        DeValue::Datetime(_) => TomlValue::Other("a date"),
        DeValue::Array(items) => TomlValue::Array(
            items
                .iter()
                .map(|item| Spanned {
                    value: value_of(reading, path.clone(), reading.repaired.at(&item.span()), item.get_ref()),
                    span: reading.repaired.at(&item.span()),
                })
                .collect(),
        ),
        DeValue::Table(table) => TomlValue::Table(section(reading, path, key, table)),
    }
}

/// Returns the path of a key in a table, quoted where TOML requires it.
fn dotted(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    let key = if bare { key.to_owned() } else { format!("{key:?}") };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

impl Section {
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// Returns the position of the table's key; an empty range for the file as a whole.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the table's header without brackets: `commands."/tasks".options`. Empty for the file as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Sets the path of the table and of each table in it.
    pub(crate) fn move_to(&mut self, path: String) {
        for entry in &mut self.entries {
            if let TomlValue::Table(inner) = &mut entry.value.value {
                inner.move_to(dotted(&path, &entry.key.value));
            }
        }
        self.path = path;
    }

    /// Returns the path of a key in this table: `modules.path`.
    pub fn path_of(&self, key: &str) -> String {
        dotted(&self.path, key)
    }

    /// Returns the remaining keys, in the order written.
    pub fn keys(&self) -> Vec<Spanned<String>> {
        self.entries.iter().map(|entry| entry.key.clone()).collect()
    }

    /// Returns whether the table has this key and it was not taken yet.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key.value == key)
    }

    /// Returns whether one of its values is a table.
    pub fn has_tables(&self) -> bool {
        self.entries.iter().any(|entry| matches!(entry.value.value, TomlValue::Table(_)))
    }

    /// Returns whether the key exists, was not taken yet, and holds text.
    pub fn has_text(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key.value == key && matches!(entry.value.value, TomlValue::String(_)))
    }

    /// Takes a key with its value, of any type.
    pub fn take(&mut self, key: &str) -> Option<(Spanned<String>, Spanned<TomlValue>)> {
        self.known.push(key.to_owned());
        let index = self.entries.iter().position(|entry| entry.key.value == key)?;
        let entry = self.entries.remove(index);
        Some((entry.key, entry.value))
    }

    pub fn string(&mut self, key: &str, found: &mut Diagnostics) -> Option<Spanned<String>> {
        self.typed(key, "text in quotes", found, |value| match value {
            TomlValue::String(text) => Ok(text),
            other => Err(other),
        })
    }

    pub fn integer(&mut self, key: &str, found: &mut Diagnostics) -> Option<Spanned<i64>> {
        self.typed(key, WHOLE, found, |value| match value {
            TomlValue::Integer(number) => Ok(number),
            other => Err(other),
        })
    }

    /// Takes a number, whole or not.
    pub fn number(&mut self, key: &str, found: &mut Diagnostics) -> Option<Spanned<f64>> {
        self.typed(key, "a number", found, |value| match value {
            #[expect(clippy::cast_precision_loss, reason = "settings are far below 2^53")]
            TomlValue::Integer(number) => Ok(number as f64),
            TomlValue::Number(number) => Ok(number),
            other => Err(other),
        })
    }

    pub fn boolean(&mut self, key: &str, found: &mut Diagnostics) -> Option<Spanned<bool>> {
        self.typed(key, "true or false", found, |value| match value {
            TomlValue::Boolean(truth) => Ok(truth),
            other => Err(other),
        })
    }

    pub fn section(&mut self, key: &str, found: &mut Diagnostics) -> Option<Section> {
        self.typed(key, "a table", found, |value| match value {
            TomlValue::Table(section) => Ok(section),
            other => Err(other),
        })
        .map(|spot| spot.value)
    }

    /// Takes a table of tables, in the order written. Values of other types are reported and left out.
    pub fn sections(&mut self, key: &str, found: &mut Diagnostics) -> Vec<(Spanned<String>, Self)> {
        let Some(mut outer) = self.section(key, found) else {
            return Vec::new();
        };
        let names = outer.keys();
        names.into_iter().filter_map(|name| outer.section(&name.value, found).map(|inner| (name, inner))).collect()
    }

    /// Takes a list of texts. Items of other types are reported and left out.
    pub fn strings(&mut self, key: &str, found: &mut Diagnostics) -> Option<Spanned<Vec<Spanned<String>>>> {
        self.list(key, "a list of texts", found, |value| match value {
            TomlValue::String(text) => Ok(text),
            other => Err(other),
        })
    }

    /// Takes a list of integers. Items of other types are reported and left out.
    pub fn integers(&mut self, key: &str, found: &mut Diagnostics) -> Option<Spanned<Vec<Spanned<i64>>>> {
        self.list(key, "a list of whole numbers", found, |value| match value {
            TomlValue::Integer(number) => Ok(number),
            other => Err(other),
        })
    }

    /// Reports a key of an earlier version that has no effect, if it exists.
    pub fn unused(&mut self, key: &str, found: &mut Diagnostics) {
        if !self.has(key) {
            return;
        }
        let Some((name, _)) = self.take(key) else { return };
        let message = format!("`{}` is no longer used", self.path_of(key));
        found.push(self.problem(Code::NoLongerUsed, &name.span, message, "remove it".to_owned()));
    }

    /// Reports every remaining key and suggests the nearest of those that were asked for.
    pub fn finish(self, found: &mut Diagnostics) {
        for entry in &self.entries {
            let name = &entry.key.value;
            let place =
                if self.path.is_empty() { "at the top level".to_owned() } else { format!("in `[{}]`", self.path) };
            let help = match nearest(name, self.known.iter().map(String::as_str), 1).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.known.is_empty() => "take the key out".to_owned(),
                None => format!("known keys: {}", in_code_spans(&self.known)),
            };
            found.push(self.problem(
                self.codes.unknown_key,
                &entry.key.span,
                format!("unknown key `{name}` {place}"),
                help,
            ));
        }
    }

    /// Builds a diagnostic at a position in this file.
    pub fn problem(&self, code: Code, span: &Range<usize>, message: String, help: String) -> Diagnostic {
        let place = Location { file: Arc::clone(&self.file), span: span.clone(), label: String::new(), also: None };
        Diagnostic { code, message, place, help }
    }

    fn typed<T>(
        &mut self,
        key: &str,
        wanted: &str,
        found: &mut Diagnostics,
        pick: impl Fn(TomlValue) -> Result<T, TomlValue>,
    ) -> Option<Spanned<T>> {
        let (_, Spanned { value, span }) = self.take(key)?;
        match pick(value) {
            Ok(value) => Some(Spanned { value, span }),
            Err(other) => {
                found.push(self.wrong_type(key, wanted, &other, &span));
                None
            }
        }
    }

    fn list<T>(
        &mut self,
        key: &str,
        wanted: &str,
        found: &mut Diagnostics,
        pick: impl Fn(TomlValue) -> Result<T, TomlValue>,
    ) -> Option<Spanned<Vec<Spanned<T>>>> {
        let items = self.typed(key, wanted, found, |value| match value {
            TomlValue::Array(items) => Ok(items),
            other => Err(other),
        })?;
        let mut picked = Vec::with_capacity(items.value.len());
        for item in items.value {
            match pick(item.value) {
                Ok(value) => picked.push(Spanned { value, span: item.span }),
                Err(other) => found.push(self.wrong_type(key, wanted, &other, &item.span)),
            }
        }
        Some(Spanned { value: picked, span: items.span })
    }

    /// Builds the diagnostic for a value of the wrong type. `wanted` names the accepted type.
    pub fn wrong_type(&self, key: &str, wanted: &str, value: &TomlValue, span: &Range<usize>) -> Diagnostic {
        let actual = match value {
            TomlValue::Number(_) if wanted == WHOLE => "has a fraction".to_owned(),
            other => format!("is {}", other.kind()),
        };
        self.problem(
            self.codes.wrong_type,
            span,
            format!("`{}` takes {wanted}, but this {actual}", self.path_of(key)),
            format!("write {wanted}"),
        )
    }
}
