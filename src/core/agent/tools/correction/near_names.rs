//! Finds the tools that a model may have meant by a name. They are suggested to it, never called for it.

use crate::text::nearest;

/// A longer name is not a misspelling of a tool.
const COMPARED_LENGTH_MAX: usize = 100;
const SUGGESTED_MAX: usize = 2;

/// Returns the offered names that differ only in case, spaces, punctuation and prefix; otherwise the nearest ones.
pub(super) fn near_names<'a>(name: &str, offered: &[&'a str]) -> Vec<&'a str> {
    let spellings = spellings(name);
    let is_same = |offered: &&&str| spellings.contains(&plain(offered));
    let same: Vec<_> = offered.iter().filter(is_same).copied().take(SUGGESTED_MAX).collect();
    if !same.is_empty() {
        return same;
    }
    let mut near = Vec::new();
    for spelling in &spellings {
        for found in nearest(spelling, offered.iter().copied(), SUGGESTED_MAX) {
            if !near.contains(&found) && near.len() < SUGGESTED_MAX {
                near.push(found);
            }
        }
    }
    near
}

/// Returns possible readings of a name, in the characters of tool names: the whole name, and each part that remains
/// without a prefix or namespace. Empty if the name is too long for a tool.
pub(super) fn spellings(name: &str) -> Vec<String> {
    if COMPARED_LENGTH_MAX < name.len() {
        return Vec::new();
    }
    let mut spellings = vec![plain(name)];
    let parts: Vec<_> = name.split(['.', ':', '/']).flat_map(|part| part.split("__")).map(plain).collect();
    // Most often the last part is the name itself.
    for part in parts.into_iter().rev() {
        if !spellings.contains(&part) {
            spellings.push(part);
        }
    }
    spellings.retain(|spelling| !spelling.is_empty());
    spellings
}

/// Converts to lower case, with one underscore between words.
fn plain(name: &str) -> String {
    let name = name.trim().trim_start_matches('/').to_lowercase();
    name.split([' ', '-', '_']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}
