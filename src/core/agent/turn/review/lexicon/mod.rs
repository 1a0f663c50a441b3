//! The lists of `words.toml`: words of people and models that no single tool has.

use std::sync::LazyLock;

use crate::agent::pattern::Lists;
use crate::text::{stand_in, words};

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(include_str!("words.toml")));

/// A list by its name.
pub(super) fn list(name: &str) -> &'static [String] {
    LISTS.get(name)
}

/// Whether a word is in the list of this name.
pub(super) fn is_in(name: &str, word: &str) -> bool {
    list(name).iter().any(|known| known == word)
}

/// Whether a person asks for data, or gives some: the answer is likely to have it again.
pub(super) fn asks_for_data(request: &str) -> bool {
    if request.contains('{') {
        return true;
    }
    // `notes.json` is a file.
    let is_file = |word: &&str| word.trim_end_matches(['.', '?', '!', ',', ':']).contains('.');
    let said: Vec<_> = request.split_whitespace().filter(|word| !is_file(word)).flat_map(words).collect();
    stand_in(list("data"), &said)
}

/// Whether a person asks to see a call and not to have it made.
pub(super) fn asks_for_example(request: &str) -> bool {
    stand_in(list("example"), &words(request).collect::<Vec<_>>())
}
