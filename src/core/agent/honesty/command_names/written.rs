//! A command as a reply writes it, compared with the command as it is.

use crate::agent::honesty::command_names::names::Names;
use crate::contract::limits::NAME_LENGTH_MAX;
use crate::contract::{CommandKind, Group, Leaf, OptionKind, Subcommand, text_form};
use crate::language::Language;

/// A command as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written<'a> {
    /// Without its slash.
    name: &'a str,
    /// What stands behind the name.
    rest: &'a str,
    manner: Manner,
}

/// How sure it is that the words behind a name belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// It is code: they do.
    Code,
    /// It is quoted or emphasized: a few words do.
    SetApart,
    /// It is in a sentence: they do not.
    Sentence,
}

/// Text behind a name that is looked at, in characters. Longer values are cut, which changes no option's name.
const REST_LENGTH_MAX: usize = 200;
/// Characters of a word that is shown.
const WORD_LENGTH_MAX: usize = 60;
/// Words of a command that is set apart; more are a sentence.
const WORDS_MAX: usize = 3;
/// Folders at the root of a file system: a reply that names one of these names no command.
const ROOT_FOLDERS: &[&str] = &[
    "app",
    "bin",
    "boot",
    "data",
    "dev",
    "etc",
    "home",
    "lib",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "workspace",
];

impl<'a> Written<'a> {
    /// Reads text that begins with a slash. Nothing if no name follows, or if it is a path: `/home/x`, `/etc.conf`.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let behind = text.strip_prefix('/')?;
        let rest = behind.trim_start_matches(|part: char| part.is_alphanumeric() || matches!(part, '-' | '_'));
        let name = behind.strip_suffix(rest)?.trim_end_matches(['-', '_']);
        let mut next = rest.chars();
        let is_path = match next.next() {
            Some('/' | '\\' | '*') => !rest.starts_with("**") && !is_emphasis_end(rest),
            Some('.') => next.next().is_some_and(char::is_alphanumeric),
            _ => false,
        };
        let is_name = name.starts_with(char::is_alphabetic) && name.chars().count() <= NAME_LENGTH_MAX;
        let is_switch = name.len() == 1 && name.chars().all(char::is_uppercase);
        let rest = rest.char_indices().nth(REST_LENGTH_MAX).and_then(|(at, _)| rest.get(..at)).unwrap_or(rest);
        (is_name && !is_path && !is_switch).then_some(Self { name, rest, manner: Manner::Code })
    }

    /// The same, quoted or emphasized.
    pub(super) fn in_words(self) -> Self {
        let is_sentence = WORDS_MAX <= self.rest.split_whitespace().count();
        Self { manner: if is_sentence { Manner::Sentence } else { Manner::SetApart }, ..self }
    }

    /// The same without what stands behind the name.
    pub(super) fn name_alone(self) -> Self {
        Self { manner: Manner::Sentence, ..self }
    }

    /// What of it does not exist, as written.
    pub(super) fn unknown(self, names: &Names<'_>) -> Option<String> {
        let Some(command) = names.command(self.name) else {
            return (!ROOT_FOLDERS.contains(&self.name)).then(|| format!("/{}", self.name));
        };
        let follows = self.rest.starts_with(char::is_whitespace) && self.manner != Manner::Sentence;
        let rest = if follows { self.rest.trim() } else { "" };
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let word = word.trim_end_matches(['.', ',', ';', '!', '?', ':']);
        if word.is_empty() || !self.is_part(rest) {
            return None;
        }
        match &command.kind {
            CommandKind::Leaf(leaf) => unknown_behind(leaf, rest, names).map(|word| format!("/{} {word}", self.name)),
            CommandKind::Parent { subcommands, groups } => {
                let group = groups.iter().find(|known| known.name.eq_ignore_ascii_case(word));
                let unknown = match group {
                    Some(group) => unknown_below(&group.subcommands, &[], behind.trim(), names)
                        .map(|behind| format!("{word} {behind}")),
                    None => unknown_below(subcommands, groups, rest, names),
                };
                unknown.map(|behind| format!("/{} {behind}", self.name))
            }
        }
    }

    /// Whether the words behind the name can be part of the command: not a placeholder, a dash or an explanation.
    fn is_part(self, rest: &str) -> bool {
        let is_explained = self.manner == Manner::SetApart
            && rest.split_whitespace().next().is_some_and(|word| {
                matches!(word, "and" | "command" | "commands" | "for" | "is" | "or" | "to" | "with")
            });
        !is_placeholder(rest) && !is_explained
    }
}

/// What of the words behind a command or a group does not exist.
fn unknown_below(subcommands: &[Subcommand], groups: &[Group], rest: &str, names: &Names<'_>) -> Option<String> {
    let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let word = word.trim_end_matches(['.', ',', ';', '!', '?', ':']);
    if word.is_empty() || is_placeholder(rest) {
        return None;
    }
    let find = |name: &str| subcommands.iter().find(|known| known.name.eq_ignore_ascii_case(name));
    let exists = |name: &str| find(name).is_some() || groups.iter().any(|known| known.name.eq_ignore_ascii_case(name));
    match find(word) {
        Some(found) => {
            let unknown = unknown_behind(&found.leaf, behind.trim(), names);
            unknown.map(|behind| format!("{word} {behind}"))
        }
        // `/tasks add|list`
        None if word.split('|').all(exists) => None,
        None => Some(excerpt(word).to_owned()),
    }
}

/// The first word behind a command that is not how it is written and that nobody said.
fn unknown_behind<'a>(leaf: &Leaf, rest: &'a str, names: &Names<'_>) -> Option<&'a str> {
    let word = rest.split_whitespace().next()?;
    let names_option = word.split_once(':').is_some_and(|(name, _)| leaf.option(name).is_some());
    if names_option || is_placeholder(rest) {
        return None;
    }
    let is_unknown = match text_form::parse(leaf, rest, Language::ENGLISH) {
        Err(_) => !rest.contains(['<', '[', '{', '…']),
        Ok(_) => match leaf.options.as_slice() {
            // What must be given anyway is a value. What may be left out may be an invented subcommand.
            [only] if !only.required => match &only.kind {
                OptionKind::String { choices, .. } => choices.is_empty() && !names.knows(word),
                _ => false,
            },
            _ => false,
        },
    };
    is_unknown.then(|| excerpt(word.trim_end_matches(['.', ',', ';', '!', '?', ':'])))
}

/// Whether what stands behind a command is a sign for what to write there, or no word at all.
fn is_placeholder(rest: &str) -> bool {
    rest.starts_with(|first: char| !first.is_alphanumeric() && !matches!(first, '"' | '\''))
}

/// Whether a name's mark of emphasis ends here: `*/status*`, but not `/tmp*`.
fn is_emphasis_end(rest: &str) -> bool {
    rest.strip_prefix('*').is_some_and(|behind| !behind.starts_with(|next: char| next.is_alphanumeric() || next == '/'))
}

fn excerpt(word: &str) -> &str {
    word.char_indices().nth(WORD_LENGTH_MAX).and_then(|(at, _)| word.get(..at)).unwrap_or(word)
}
