//! The names that a reply may use.

use std::collections::{BTreeMap, HashSet};

use crate::contract::Command;
use crate::registry::Catalog;

/// What may be named.
pub(super) struct Names<'a> {
    commands: BTreeMap<&'a str, &'a Command>,
    /// Words that may stand behind a command: of the known texts, and the names of commands, for `/help status`.
    words: HashSet<String>,
}

impl<'a> Names<'a> {
    pub(super) fn of(catalog: &'a Catalog, known: &[&str]) -> Self {
        let commands: BTreeMap<_, _> = catalog.commands().map(|command| (command.name.as_str(), command)).collect();
        let known = known.iter().flat_map(|text| words(text));
        let names = commands.values().flat_map(|command| {
            let below = command.leaves().flat_map(|leaf| leaf.path.below().flat_map(words).collect::<Vec<_>>());
            words(&command.name).chain(below)
        });
        Self { words: known.chain(names).collect(), commands }
    }

    /// The command of that name, whatever its case: a reply may begin a sentence with it.
    pub(super) fn command(&self, name: &str) -> Option<&'a Command> {
        self.commands.get(name.to_lowercase().as_str()).copied()
    }

    /// Whether every part of a word may stand behind a command.
    pub(super) fn knows(&self, word: &str) -> bool {
        words(word).all(|part| self.words.contains(&part))
    }
}

/// Letters and digits in a row, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|part: char| !part.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
