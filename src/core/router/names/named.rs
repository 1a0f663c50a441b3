//! A message that is nothing but the name of a command or tool, as people call functions: `status()`, `run tasks_list`.
//!
//! A chat model would only pretend to run it, so it never gets it.

use crate::contract::{Command, Leaf, Press, text_form};
use crate::inbound::CommandPath;
use crate::registry::NameLookup;
use crate::router::names::Reached;
use crate::router::normalize;
use crate::router::route::Named;

/// The longest message that is looked at, in bytes.
const LENGTH_MAX: usize = 120;
/// What may stand around the name: marks of code and emphasis, and quotation marks.
const AROUND: [char; 9] = ['`', '*', '"', '\'', '“', '”', '„', '«', '»'];
const VERBS: [&str; 5] = ["run", "call", "execute", "use", "invoke"];
const NOUNS: [&str; 3] = ["function", "command", "tool"];

/// The command that these words name and that the caller may use.
pub(in crate::router) fn named(words: &str, names: &dyn NameLookup) -> Option<Named> {
    let wanted = wanted(words)?;
    // Who may use what is only looked up if there is one.
    names.registry().commands().find_map(|command| found(command, &wanted))?;
    names.usable().commands().find_map(|command| found(command, &wanted))
}

/// The names that these words may be: all of them, and without the verb in front.
fn wanted(words: &str) -> Option<Vec<String>> {
    let words = words.trim().trim_matches(AROUND);
    if LENGTH_MAX < words.len() || words.contains('\n') {
        return None;
    }
    let words = words.trim_end_matches(['!', '.', ';']).trim_end_matches(AROUND);
    let words = words.strip_suffix("()").unwrap_or(words).trim_start_matches(['!', '.']);
    let words = spoken(words);
    let all: Vec<_> = words.split(' ').collect();
    let mut rest = all.as_slice();
    if let Some((_, behind)) = rest.split_first().filter(|(verb, _)| VERBS.contains(verb)) {
        rest = behind;
        rest = rest.split_first().filter(|(the, _)| **the == "the").map_or(rest, |(_, behind)| behind);
        rest = rest.split_first().filter(|(noun, behind)| is_noun(noun) && !behind.is_empty()).map_or(rest, |(_, b)| b);
        rest = rest.split_last().filter(|(noun, before)| is_noun(noun) && !before.is_empty()).map_or(rest, |(_, b)| b);
    }
    let mut wanted = vec![words.clone(), rest.join(" ")];
    wanted.retain(|name| !name.is_empty());
    wanted.dedup();
    (!wanted.is_empty()).then_some(wanted)
}

fn is_noun(word: &str) -> bool {
    NOUNS.contains(&word)
}

/// A name as it is spoken: `Tasks_List` is `tasks list`.
fn spoken(name: &str) -> String {
    let name = normalize::name(name).to_lowercase();
    let parts = name.split(|sign: char| sign.is_whitespace() || "_-".contains(sign)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" ")
}

fn found(command: &Command, wanted: &[String]) -> Option<Named> {
    let is_it = |name: &str| wanted.contains(&spoken(name));
    if is_it(&command.name) {
        return Some(match Reached::at(command) {
            Reached::Leaf(path, leaf) => of_leaf(path, leaf),
            Reached::Level(level) => Named { path: level.path().clone(), usage: level.usage(), has_button: false },
        });
    }
    let is_leaf = |leaf: &&Leaf| {
        let path = leaf.path().names().collect::<Vec<_>>().join(" ");
        is_it(&path) || leaf.tool.as_ref().is_some_and(|tool| is_it(&tool.name))
    };
    command.leaves().find(is_leaf).map(|leaf| of_leaf(leaf.path().clone(), leaf))
}

fn of_leaf(path: CommandPath, leaf: &Leaf) -> Named {
    let has_button = leaf.press(&serde_json::Map::new()) != Press::Impossible;
    Named { path, usage: vec![text_form::usage(leaf)], has_button }
}
