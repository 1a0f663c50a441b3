//! Finds subcommands and options that a reply names and that this bot does not have: `/status alerts`.
//!
//! Names of other commands are not looked at: Discord, other bots and programs have commands of their own.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::pattern;
use crate::agent::turn::Turn;
use crate::agent::turn::review::lexicon::is_in;
use crate::agent::turn::review::reply::Reply;
use crate::contract::{CommandKind, Leaf, OptionKind, text_form};
use crate::language::{Language, say};
use crate::record::GuardFinding;
use crate::registry::Catalog;
use crate::text::{CodeRules, SegmentKind, first_characters, segments, words};

/// The most lines that are said.
const FOUND_MAX: usize = 5;

/// The longest word that is shown, in characters.
const WORD_LENGTH_MAX: usize = 40;

/// A command where one may begin, not inside a word, a path or an address; and the first word behind it.
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:^|[\s(\[{"'“„«*_–—,;|])(/([\w-]+)) ([\p{L}\p{N}][\w-]*)"#));

/// What begins an item of a list or a row of a table that begins with a command.
static ITEM: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*[\d*+•.)|> -]+/"));

/// Words that may stand behind a command.
struct Known<'a> {
    catalog: &'a Catalog,
    /// Those of the request, and the names of commands: where a value may stand.
    said: BTreeSet<String>,
    /// The names of what commands show: `/status cpu`.
    shown: BTreeSet<String>,
}

/// Gives a line for each part that this bot does not have. What the person said may stand behind a command.
pub(super) fn check(reply: &mut Reply<'_>, turn: &Turn) {
    let prose = reply.prose();
    if !turn.setup.guard.command_names || !prose.contains('/') {
        return;
    }
    let catalog = &turn.setup.catalog;
    let names = catalog.commands().flat_map(|command| command.leaves().flat_map(|leaf| leaf.path().names()));
    let shown = turn.setup.offered.known().flat_map(|tool| &tool.words.figures);
    let known = Known {
        catalog,
        said: words(&turn.setup.request).chain(names.map(str::to_owned)).collect(),
        shown: shown.flat_map(|shown| words(shown)).collect(),
    };
    let parts = segments(&prose, CodeRules::Discord).flat_map(|segment| {
        let text = prose.get(segment.range).unwrap_or_default();
        match segment.kind {
            SegmentKind::Fence { .. } => Vec::new(),
            SegmentKind::Inline => known.strange(text.trim_matches('`'), true),
            SegmentKind::Text => text.lines().flat_map(|line| known.strange(line, false)).collect(),
        }
    });
    for part in parts.take(FOUND_MAX) {
        reply.findings.push(GuardFinding::UnknownCommandName);
        reply.note(say!(turn.setup.language, "note-command", command = part));
    }
}

impl Known<'_> {
    /// The parts of commands in a line that do not exist. In code all that follows a command is its own.
    fn strange(&self, line: &str, is_code: bool) -> Vec<String> {
        // One word behind a command may go on with the sentence; a list of them names commands.
        let is_list = ITEM.is_match(line) || NAMED.captures_iter(line).nth(1).is_some();
        let strange = NAMED.captures_iter(line).filter_map(|named| {
            let (start, name, word) = (named.get(1)?.start(), named[2].to_lowercase(), named.get(3)?);
            let command = self.catalog.in_force(&name).filter(|_| !is_code || start == 0)?;
            let (before, rest, behind) = (line.get(..start)?, line.get(word.start()..)?, line.get(word.end()..)?);
            let word = word.as_str();
            let ends = behind.trim_start().is_empty()
                || behind.starts_with(|sign: char| ".,;:!?)*_\"”'|".contains(sign))
                || words(behind).next().is_some_and(|next| goes_on(&next));
            // Others than those with subcommands stand in bold or behind a word that tells to write them.
            let is_meant =
                || is_list || before.ends_with("**") || words(before).last().is_some_and(|last| is_in("typed", &last));
            let is_strange = match &command.kind {
                CommandKind::Leaf(leaf) if is_code => self.is_strange(leaf, rest),
                CommandKind::Leaf(leaf) => is_meant() && self.is_strange(leaf, word),
                CommandKind::Parent { .. } => {
                    !command.leaves().any(|leaf| leaf.path.below().any(|part| part == word.to_lowercase()))
                }
            };
            let is_part = !goes_on(&word.to_lowercase()) && (is_code || ends) && is_strange;
            is_part.then(|| format!("/{name} {}", first_characters(word, WORD_LENGTH_MAX)))
        });
        strange.collect()
    }

    /// Whether the words behind a command are not how it is written.
    fn is_strange(&self, leaf: &Leaf, rest: &str) -> bool {
        let is_any_of = |known: &BTreeSet<String>| words(rest).any(|word| known.contains(&word));
        // A word with a figure in it is a value: the id of a receipt, a number.
        if rest.contains(['<', '[', '{', '…']) || rest.contains(char::is_numeric) || is_any_of(&self.shown) {
            return false;
        }
        if text_form::parse(leaf, rest.trim(), Language::ENGLISH).is_err() {
            return true;
        }
        // A value that must be given, or that the command completes, may be any word. One that may be left out may be
        // an invented subcommand.
        let is_free = |kind: &OptionKind| matches!(kind, OptionKind::String { choices, .. } if choices.is_empty());
        let takes = leaf.options.iter().find(|option| is_free(&option.kind));
        takes.is_some_and(|option| !option.required && !option.autocomplete)
            && !rest.contains(':')
            && !is_any_of(&self.said)
    }
}

/// Whether a sentence goes on with this word, which is no part of the command before it.
fn goes_on(word: &str) -> bool {
    is_in("go_on", word) || word.ends_with("ly")
}
