//! Finds subcommands and options that a reply names and that this bot does not have: `/status alerts`.
//!
//! Names of other commands are not looked at: Discord, other bots and programs have commands of their own.

use std::collections::BTreeSet;

use crate::agent::turn::Turn;
use crate::agent::turn::review::finding::Finding;
use crate::agent::turn::review::lexicon::{LEXICON, words};
use crate::agent::turn::review::reply::Reply;
use crate::contract::{CommandKind, Leaf, OptionKind, text_form};
use crate::inbound::CommandPath;
use crate::language::{Language, say};
use crate::record::GuardFinding;
use crate::registry::Catalog;
use crate::text::{CodeRules, SegmentKind, first_characters, segments};

/// The most that are returned.
const FOUND_MAX: usize = 5;

/// The longest word that is shown, in characters.
const WORD_LENGTH_MAX: usize = 40;

/// Gives a line for each part that this bot does not have. What the person said may stand behind a command.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    if !turn.setup.guard.command_names {
        return Vec::new();
    }
    let shown: Vec<_> = turn.setup.offered.known().flat_map(|tool| &tool.words.figures).collect();
    let parts = unknown_parts(&reply.prose, &turn.setup.catalog, &turn.setup.request, &shown);
    let line = |part: String| Finding {
        line: Some(say!(turn.setup.language, "note-command", command = part)),
        ..Finding::counted(GuardFinding::UnknownCommandName)
    };
    parts.into_iter().map(line).collect()
}

/// Words that may stand behind a command.
struct Known {
    /// Those of the request, and the names of commands: where a value may stand.
    said: BTreeSet<String>,
    /// The names of what commands show: `/status cpu`.
    shown: BTreeSet<String>,
}

/// The command parts that do not exist, as written, each once. Words of the request, and the names of what commands
/// show, may follow a command.
fn unknown_parts(reply: &str, catalog: &Catalog, request: &str, shown: &[&String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if !reply.contains('/') {
        return found;
    }
    let names = catalog.commands().flat_map(|command| command.leaves().flat_map(|leaf| leaf.path().names()));
    let said = words(request).chain(names.map(str::to_owned)).collect();
    let known = Known { said, shown: shown.iter().flat_map(|shown| words(shown)).collect() };
    for segment in segments(reply, CodeRules::Discord) {
        let Some(text) = reply.get(segment.range) else { continue };
        match segment.kind {
            SegmentKind::Fence { .. } => {}
            SegmentKind::Inline => found.extend(unknown(text.trim_matches('`'), true, catalog, &known)),
            SegmentKind::Text => {
                for line in text.lines() {
                    let starts = line.match_indices('/').map(|(at, _)| line.split_at(at));
                    let starts = starts.filter(|(before, _)| may_begin(before));
                    let named: Vec<_> = starts
                        .filter_map(|(before, text)| {
                            Some((is_told(before, text, catalog), unknown(text, false, catalog, &known)?))
                        })
                        .collect();
                    // One word behind a command may go on with the sentence; a list of them names commands.
                    let is_list = is_of_a_list(line) || 1 < named.len();
                    found.extend(named.into_iter().filter(|(is_told, _)| is_list || *is_told).map(|(_, part)| part));
                }
            }
        }
        if FOUND_MAX <= found.len() {
            break;
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|part| seen.insert(part.clone()));
    found.truncate(FOUND_MAX);
    found
}

/// Whether a line is an item of a list or a row of a table that begins with a command.
fn is_of_a_list(line: &str) -> bool {
    let item = line.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit() || "-*+•.)|> ".contains(sign));
    item.starts_with('/') && item.len() < line.trim_start().len()
}

/// Whether one word behind the command at the beginning of this text is meant as a part of it: nobody can call a
/// command with subcommands by its name alone, and others stand in bold or behind a word that tells to write them.
fn is_told(before: &str, text: &str, catalog: &Catalog) -> bool {
    let name = words(text).next().unwrap_or_default();
    let is_parent = catalog.in_force(&name).is_some_and(|command| matches!(command.kind, CommandKind::Parent { .. }));
    let last = words(before).last();
    is_parent || before.ends_with("**") || last.is_some_and(|last| LEXICON.typed.contains(&last))
}

/// Whether a command may begin behind this text: not inside a word, a path or an address.
fn may_begin(before: &str) -> bool {
    before.chars().next_back().is_none_or(|before| before.is_whitespace() || "([{\"'“„«*_–—,;|".contains(before))
}

/// The first part that does not exist of the command at the beginning of a text. In code all that follows is the
/// command; in words it is one word, and only where the sentence does not go on with it.
fn unknown(text: &str, is_code: bool, catalog: &Catalog, known: &Known) -> Option<String> {
    let line = text.strip_prefix('/')?.lines().next()?;
    let rest = line.trim_start_matches(|sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_'));
    let name = line.get(..line.len() - rest.len())?.to_lowercase();
    let command = catalog.in_force(&name)?;
    let rest = rest.strip_prefix(' ')?;
    let (word, behind) = word(rest)?;
    let goes_on = |word: &String| LEXICON.go_on.contains(word) || word.ends_with("ly");
    let ends = behind.trim_start().is_empty()
        || behind.starts_with(|sign: char| ".,;:!?)*_\"”'|".contains(sign))
        || words(behind).next().is_some_and(|next| goes_on(&next));
    if goes_on(&word.to_lowercase()) || !(is_code || ends) {
        return None;
    }
    let is_unknown = match &command.kind {
        CommandKind::Leaf(leaf) => is_strange(leaf, if is_code { rest } else { word }, known),
        CommandKind::Parent { .. } => !below(command.leaves().map(|leaf| &leaf.path)).contains(&word.to_lowercase()),
    };
    is_unknown.then(|| format!("/{name} {}", first_characters(word, WORD_LENGTH_MAX)))
}

/// The first word of a text, and what is behind it. None where something else stands: a placeholder, a dash.
fn word(text: &str) -> Option<(&str, &str)> {
    let behind = text.trim_start_matches(|sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_'));
    let word = text.get(..text.len() - behind.len())?;
    word.starts_with(char::is_alphanumeric).then_some((word, behind))
}

/// The names of the groups and subcommands in these paths.
fn below<'a>(paths: impl Iterator<Item = &'a CommandPath>) -> BTreeSet<String> {
    paths.flat_map(|path| path.below().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether the words behind a command are not how it is written.
fn is_strange(leaf: &Leaf, rest: &str, known: &Known) -> bool {
    // A word with a figure in it is a value: the id of a receipt, a number.
    if rest.contains(['<', '[', '{', '…']) || rest.contains(|sign: char| sign.is_ascii_digit()) {
        return false;
    }
    let is_any_of = |known: &BTreeSet<String>| words(rest).any(|word| known.contains(&word));
    if is_any_of(&known.shown) {
        return false;
    }
    if text_form::parse(leaf, rest.trim(), Language::ENGLISH).is_err() {
        return true;
    }
    // A value that must be given, or that the command completes, may be any word. One that may be left out may be an
    // invented subcommand.
    let is_free = |kind: &OptionKind| matches!(kind, OptionKind::String { choices, .. } if choices.is_empty());
    let takes = leaf.options.iter().find(|option| is_free(&option.kind));
    takes.is_some_and(|option| !option.required && !option.autocomplete)
        && !rest.contains(':')
        && !is_any_of(&known.said)
}
