//! What the receipts of a turn say, to be compared with what a model says.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Blocks that are compared in one reply; further ones count as made up. Each is looked for in every result, so
/// without a bound the time would grow with the product of both.
const COMPARED_MAX: usize = 16;
/// What the host tells a model of a call that ran. Models repeat it whole.
const TOLD_KEYS: &[&str] = &["tool", "outcome", "receipt", "result", "cut"];
/// Shorter texts occur in any result by chance.
const LENGTH_MIN: usize = 8;

/// The results of a turn.
pub(super) struct Said {
    texts: Vec<String>,
    values: Vec<Value>,
    /// The figures of all texts, once they are needed.
    figures: Option<BTreeSet<String>>,
    compared: usize,
}

impl Said {
    pub(super) fn new(results: &[&str]) -> Self {
        let values = results.iter().filter_map(|result| serde_json::from_str(result).ok()).collect();
        Self { texts: results.iter().map(|result| spaced(result)).collect(), values, figures: None, compared: 0 }
    }

    /// Whether a result says this: the same JSON value, the same text, or a text that holds it. White space makes no
    /// difference. What the host told the model of a call says what the result in it says.
    pub(super) fn says(&mut self, content: &str) -> bool {
        if self.texts.is_empty() || self.compared == COMPARED_MAX {
            return false;
        }
        self.compared += 1;
        if self.holds(content) {
            return true;
        }
        let Ok(value) = serde_json::from_str::<Value>(content) else { return false };
        let told = value.as_object().and_then(told);
        self.values.contains(&value)
            || told.is_some_and(|told| self.values.contains(told) || told.as_str().is_some_and(|text| self.holds(text)))
    }

    /// Whether a text has figures, and each of them occurs in a result.
    pub(super) fn has_figures_of(&mut self, content: &str) -> bool {
        let texts = &self.texts;
        let known = self.figures.get_or_insert_with(|| texts.iter().flat_map(|text| figures(text)).collect());
        let mut wanted = figures(content).peekable();
        wanted.peek().is_some() && wanted.all(|figure| known.contains(&figure))
    }

    fn holds(&self, content: &str) -> bool {
        let text = spaced(content);
        let is_long = LENGTH_MIN <= text.chars().count();
        let is_same = |known: &String| *known == text || (is_long && known.contains(&text));
        !text.is_empty() && self.texts.iter().any(is_same)
    }
}

/// The result in what the host told a model of a call.
fn told(object: &Map<String, Value>) -> Option<&Value> {
    let is_told = object.contains_key("outcome") && object.keys().all(|key| TOLD_KEYS.contains(&key.as_str()));
    object.get("result").filter(|_| is_told)
}

/// Words with a digit in them, without the marks around them: `12.5`, `db1`.
fn figures(text: &str) -> impl Iterator<Item = String> {
    text.split(|part: char| part != '.' && !part.is_alphanumeric())
        .map(|part| part.trim_matches('.'))
        .filter(|part| part.contains(|digit: char| digit.is_numeric()))
        .map(str::to_lowercase)
}

/// The text with single spaces for any white space.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
