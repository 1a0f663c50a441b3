//! Reads and writes several named values in one text: `welcome.hint = Say hello; dice.sides = 6`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::text::{excerpt, nearest};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoAssignments {
    /// A name has no value, or two.
    Malformed,
    Unknown {
        name: String,
        /// The nearest known name.
        near: Option<String>,
    },
}

/// Parses values, separated by line ends or semicolons. A value may be quoted as in JSON. With `known`, each name must
/// be one of these.
pub(super) fn read(text: &str, known: Option<&BTreeSet<String>>) -> Result<BTreeMap<String, String>, NoAssignments> {
    let mut all = BTreeMap::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|sign: char| sign.is_whitespace() || sign == ';');
        if rest.is_empty() {
            return Ok(all);
        }
        let (name, after) = rest.split_once('=').ok_or(NoAssignments::Malformed)?;
        let name = name.trim().to_lowercase();
        if let Some(known) = known.filter(|known| !known.contains(&name)) {
            let near = nearest(&name, known.iter().map(String::as_str), 1).first().map(|&near| near.to_owned());
            return Err(NoAssignments::Unknown { name: excerpt(&name), near });
        }
        let (written, after) = one(after).ok_or(NoAssignments::Malformed)?;
        if all.insert(name, written).is_some() {
            return Err(NoAssignments::Malformed);
        }
        rest = after;
    }
}

/// Returns the value after an equals sign, and the rest of the text.
fn one(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start_matches(' ');
    if !text.starts_with('"') {
        let (written, after) = text.split_once([';', '\n']).unwrap_or((text, ""));
        return Some((written.trim().to_owned(), after));
    }
    let mut quoted = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let written = quoted.next()?.ok()?;
    let after = text.get(quoted.byte_offset()..)?.trim_start_matches(' ');
    (after.is_empty() || after.starts_with([';', '\n', '\r'])).then_some((written, after))
}

/// Writes values in the form that [`read`] reads.
pub(super) fn write<'a>(all: impl Iterator<Item = (&'a str, &'a str)>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (n, (name, text)) in all.enumerate() {
        let separator = if n == 0 { "" } else { "; " };
        let is_plain = text.trim() == text && !text.starts_with('"') && !text.contains([';', '\n']);
        match is_plain {
            true => write!(f, "{separator}{name} = {text}")?,
            false => write!(f, "{separator}{name} = {}", Value::from(text))?,
        }
    }
    Ok(())
}
