//! Finds secrets put into the settings file by mistake, by the names of their keys; reports and masks them.
//!
//! A diagnostic shows whole lines, so masking the underlined text is not enough. All diagnostics of a file with a
//! secret use a copy of the file with the secret masked with asterisks. The copy has the same length in bytes, so that
//! positions stay valid.

use std::ops::Range;
use std::sync::Arc;

use super::reader::CODES;
use crate::contract::is_named_like_secret;
use crate::diagnostic::spanned::{self, Section, Spanned, TomlValue};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Location, SourceFile};

const HELP: &str = "take it out, and replace it where it was issued if anyone saw this file; the model's key belongs \
                    in a file that `key_file` in `[model]` names, a module's secret in one that `…_file` in its table \
                    names, Discord's token in one that the environment variable `DISCORD_TOKEN_FILE` names";

#[derive(Default)]
pub(super) struct FoundSecrets {
    /// The keys named like a secret.
    keys: Vec<Spanned<String>>,
    /// Everything to be masked.
    hidden: Vec<Range<usize>>,
}

/// Finds secrets: the values of keys named like a secret. If the file is not TOML, also masks all text that may be a
/// secret.
pub(super) fn find(file: &Arc<SourceFile>, is_toml: bool) -> FoundSecrets {
    let mut secrets = FoundSecrets::default();
    // Read again, because reading the settings consumes the values. The problems are already known.
    secrets.of_section(spanned::read(file, CODES, &mut Diagnostics::default()));
    if !is_toml {
        secrets.hidden.extend(suspects(&file.text));
    }
    secrets
}

impl FoundSecrets {
    /// Returns the file with secrets masked.
    pub(super) fn without(&self, file: &SourceFile) -> Arc<SourceFile> {
        Arc::new(file.masked(&self.hidden))
    }

    /// Returns these diagnostics and one per secret, in the order of the file. `shown` is the masked file.
    pub(super) fn told_with(&self, found: &Diagnostics, shown: &Arc<SourceFile>) -> Diagnostics {
        let is_of_secret = |place: &Location| self.keys.iter().any(|key| key.span == place.span);
        let others = found.iter().filter(|diagnostic| !is_of_secret(&diagnostic.place)).cloned();
        let mut told: Vec<_> = self.keys.iter().map(|key| diagnostic(key, shown)).chain(others).collect();
        told.sort_by_key(|diagnostic| diagnostic.place.span.start);
        let mut diagnostics = Diagnostics::default();
        for mut diagnostic in told {
            diagnostic.place.file = Arc::clone(shown);
            diagnostics.push(diagnostic);
        }
        diagnostics
    }

    fn of_section(&mut self, mut section: Section) {
        for key in section.keys() {
            let Some((key, value)) = section.take(&key.value) else { continue };
            match value.value {
                // It may be a group of metrics, which is not a mistake; but its contents need not be shown.
                TomlValue::Table(inner) if is_named_like_secret(&key.value) => self.hide(inner),
                _ if is_named_like_secret(&key.value) => {
                    self.keys.push(key);
                    self.hidden.push(value.span);
                }
                _ => self.of_value(value),
            }
        }
    }

    fn hide(&mut self, mut section: Section) {
        for key in section.keys() {
            match section.take(&key.value) {
                Some((_, Spanned { value: TomlValue::Table(inner), .. })) => self.hide(inner),
                Some((_, value)) => self.hidden.push(value.span),
                None => {}
            }
        }
    }

    fn of_value(&mut self, value: Spanned<TomlValue>) {
        match value.value {
            TomlValue::Table(section) => self.of_section(section),
            TomlValue::Array(items) => items.into_iter().for_each(|item| self.of_value(item)),
            TomlValue::String(text) if may_hold_password(&text) => self.hidden.push(value.span),
            TomlValue::String(_)
            | TomlValue::Integer(_)
            | TomlValue::Number(_)
            | TomlValue::Boolean(_)
            | TomlValue::Other(_) => {}
        }
    }
}

fn diagnostic(key: &Spanned<String>, file: &Arc<SourceFile>) -> Diagnostic {
    Diagnostic {
        code: Code::ConfigUnknownKey,
        message: format!("`{}` is a secret, and the settings file holds none", key.value),
        place: Location { file: Arc::clone(file), span: key.span.clone(), label: String::new(), also: None },
        help: HELP.to_owned(),
    }
}

/// Returns whether text looks like `https://user:password@host`.
fn may_hold_password(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| rest.contains('@'))
}

/// Finds possible secrets in invalid TOML: the text after a word named like a secret, to the end of its line, or of the
/// file if the value may continue. Masking too much costs a little comfort, masking too little a key.
fn suspects(text: &str) -> Vec<Range<usize>> {
    let mut suspects = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let line_end = line_start + line.len();
        if let Some(behind) = behind_suspicious_word(line) {
            let opens = ["\"\"\"", "'''", "[", "{"].iter().any(|opening| behind.contains(opening));
            let goes_on = opens || !behind.contains(char::is_alphanumeric);
            let is_comment = line.trim_start().starts_with('#');
            let end = if goes_on && !is_comment { text.len() } else { line_end };
            suspects.push(line_end - behind.len()..end);
        }
        // The line may hold an address whose password contains such a word.
        if may_hold_password(line) {
            suspects.push(line_start..line_end);
        }
        line_start = line_end;
    }
    suspects
}

fn behind_suspicious_word(line: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let from_word = rest.get(start..)?;
        let end = from_word.find(|c| !is_part(c)).unwrap_or(from_word.len());
        let (word, behind) = from_word.split_at_checked(end)?;
        if is_named_like_secret(word) {
            return Some(behind);
        }
        rest = behind;
    }
    None
}
