//! Slash commands that a reply names.
//!
//! In a sentence only the name counts: in "use /tasks to see them" the next word is none of the command's. Where a
//! command is set apart, in code, in emphasis or in quotation marks, the words behind the name count as well.

mod mention;
mod names;
#[cfg(test)]
mod tests;
mod written;

use crate::registry::Catalog;
use crate::text::markdown::{Line, Span, lines, spans};
use mention::{Mention, mentions};
use names::Names;
use written::Written;

/// Findings returned.
const FINDINGS_MAX: usize = 5;

/// The commands a reply names that do not exist for this caller, as written, each once, at most five. A word behind a
/// real command counts as part of its name, unless it stands in a known text or is how the command is written.
///
/// Paths are no commands, and "there is no `/x`" names none.
pub fn unknown_commands(prose: &str, catalog: &Catalog, known: &[&str]) -> Vec<String> {
    if !prose.contains('/') {
        return Vec::new();
    }
    let names = Names::of(catalog, known);
    let mut found: Vec<String> = Vec::new();
    for name in lines(prose).flat_map(|line| in_line(line, &names)) {
        if !found.contains(&name) {
            found.push(name);
        }
        if found.len() == FINDINGS_MAX {
            break;
        }
    }
    found
}

/// The commands of a line that do not exist.
fn in_line(line: Line<'_>, names: &Names<'_>) -> Vec<String> {
    let line = match line {
        Line::Prose(line) => line,
        Line::Code(line) => {
            return Written::read(line.trim()).and_then(|written| written.unknown(names)).into_iter().collect();
        }
    };
    let mut found = Vec::new();
    let mut at = 0;
    for span in spans(line) {
        match span {
            Span::Code { whole, inside } => {
                let unknown = Written::read(inside.trim()).and_then(|written| written.unknown(names));
                found.extend(unknown.filter(|_| !is_denied(line, at, at + whole.len())));
                at += whole.len();
            }
            Span::Words(words) => {
                let unknown = mentions(words).filter_map(|mention| {
                    let name = of_mention(&mention, names)?;
                    (!is_denied(line, at + mention.at, at + mention.at + name.len())).then_some(name)
                });
                found.extend(unknown);
                at += words.len();
            }
        }
    }
    found
}

fn of_mention(mention: &Mention<'_>, names: &Names<'_>) -> Option<String> {
    match mention.set_apart.and_then(Written::read) {
        Some(written) => written.in_words().unknown(names),
        None => mention.written.name_alone().unknown(names),
    }
}

/// Whether the words around a name say that there is no such command. Looks at a bounded piece of the line.
fn is_denied(line: &str, start: usize, end: usize) -> bool {
    const WINDOW: usize = 80;
    let denies = |word: &str| {
        matches!(word, "no" | "not" | "never" | "unknown" | "without" | "cannot" | "nonexistent")
            || word.ends_with("n't")
    };
    let existence = |word: &str| {
        matches!(
            word,
            "available"
                | "command"
                | "commands"
                | "exist"
                | "exists"
                | "known"
                | "nonexistent"
                | "real"
                | "recognized"
                | "registered"
                | "supported"
                | "there"
                | "unknown"
                | "valid"
        )
    };
    let ends = |character: &char| matches!(character, '.' | '!' | '?' | ';' | ',');
    let plain = |text: String| text.replace('’', "'").to_lowercase();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|part: char| !part.is_alphanumeric() && part != '\'');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };

    let before = line.get(..start).unwrap_or_default().chars().rev().take(WINDOW).take_while(|next| !ends(next));
    let before: Vec<_> = before.collect();
    let before = words(&plain(before.into_iter().rev().collect()));
    let behind = line.get(end..).unwrap_or_default().chars().take(WINDOW).take_while(|next| !ends(next));
    let behind = words(&plain(behind.collect()));
    before.iter().rev().take(5).any(|word| denies(word))
        || (behind.iter().take(6).any(|word| denies(word)) && behind.iter().take(6).any(|word| existence(word)))
}
