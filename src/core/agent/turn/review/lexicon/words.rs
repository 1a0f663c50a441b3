//! The words that no single tool has, of all languages: `words.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::agent::turn::review::lexicon::phrase::Phrase;

/// The words as the file has them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    openers: Vec<String>,
    behind_openers: Vec<String>,
    changes: Vec<String>,
    unless: Vec<String>,
    polite: Vec<String>,
    beside_figures: Vec<String>,
}

/// The words, ready to be looked for. Their meaning stands in the file.
pub(in crate::agent::turn::review) struct Lexicon {
    pub(in crate::agent::turn::review) openers: Vec<Vec<String>>,
    pub(in crate::agent::turn::review) behind_openers: Vec<String>,
    pub(in crate::agent::turn::review) changes: Vec<Phrase>,
    pub(in crate::agent::turn::review) unless: Vec<Phrase>,
    pub(in crate::agent::turn::review) polite: Vec<String>,
    pub(in crate::agent::turn::review) beside_figures: Vec<String>,
}

/// The one lexicon.
pub(in crate::agent::turn::review) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // The file is compiled in and the tests read it. An unreadable one would find nothing.
    let words: Words = toml::from_str(include_str!("words.toml")).unwrap_or_default();
    let phrases = |texts: Vec<String>| texts.iter().map(|text| Phrase::read(text)).collect();
    Lexicon {
        openers: words.openers.iter().map(|opener| opener.split(' ').map(str::to_owned).collect()).collect(),
        behind_openers: words.behind_openers,
        changes: phrases(words.changes),
        unless: phrases(words.unless),
        polite: words.polite,
        beside_figures: words.beside_figures,
    }
});
