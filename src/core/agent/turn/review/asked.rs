//! Reads a request: which commands it asks for, and whether it is about something else.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::agent::tools::OfferedTool;
use crate::agent::turn::review::lexicon::{
    LEXICON, Sentence, begin, behind, is_polite, is_question, is_word, sentences, stand_in,
};

/// The most words in front of what somebody asks for: `hey bot, could you please`.
const POLITE_MAX: usize = 8;

/// How many sentences of a request are looked at. A long text that was pasted asks for nothing in its middle.
const ASKED_MAX: usize = 6;

/// A request that only names what it is about has at most so many words.
const SHORT_MAX: usize = 8;

/// A request, read once for all tools.
pub(super) struct Request {
    text: String,
    sentences: Vec<Sentence>,
    has_code: bool,
    /// It is about something else than this bot.
    is_elsewhere: bool,
    /// It is answered by an explanation, or by a text that is made for it.
    pub(super) is_explained: bool,
}

impl Request {
    pub(super) fn read(text: &str) -> Self {
        let sentences = sentences(text);
        let has_code = ["[", "{", "()", "```", " // "].iter().any(|mark| text.contains(mark));
        let asked = || sentences.iter().take(ASKED_MAX);
        let is_elsewhere = has_code || asked().any(|sentence| stand_in(&LEXICON.elsewhere, sentence));
        let is_explained = is_elsewhere || asked().any(is_explained);
        Self { text: text.to_lowercase(), has_code, is_elsewhere, is_explained, sentences }
    }

    /// Whether it asks for what this tool does: by the tool's own phrases, or by its name.
    pub(super) fn asks_for(&self, tool: &OfferedTool) -> bool {
        let by_phrase = self.sentences.iter().take(ASKED_MAX).enumerate().any(|(at, sentence)| {
            let later = self.sentences.get(at + 1..).unwrap_or_default();
            self.asks_in(sentence, later, tool)
        });
        by_phrase || self.names(tool)
    }

    fn asks_in(&self, sentence: &Sentence, later: &[Sentence], tool: &OfferedTool) -> bool {
        // What is only said in front of another question is said for its sake: "note that I use tabs. Why …?"
        let is_aside = || later.iter().any(|later| !is_polite(later) && (is_question(later) || is_explained(later)));
        let is_meant = |words: &[String], phrase: &str| match behind(phrase, words) {
            None => false,
            // What comes behind an open phrase may be about anything.
            Some(_) if phrase.ends_with('…') => {
                !(is_aside() || is_question(sentence) && words.len() == sentence.len())
            }
            Some(rest) => !self.has_code && !stand_in(&LEXICON.elsewhere, rest),
        };
        let named = of_its_names(tool).filter(|_| !self.is_elsewhere && sentence.len() <= SHORT_MAX);
        let by_name = |words: &[String]| named.as_ref().is_some_and(|named| behind(named, words).is_some());
        fronts(sentence).any(|words| tool.words.asks.iter().any(|phrase| is_meant(words, phrase)) || by_name(words))
    }

    /// Whether the tool's name stands in it, or it is short and nothing but the name of the tool or of what it shows.
    /// A common word names nothing amid others.
    fn names(&self, tool: &OfferedTool) -> bool {
        let said: Vec<_> = self.sentences.iter().flatten().filter(|word| *word != "?").collect();
        let (name, path) = (tool.name.to_lowercase(), tool.path.to_string());
        let called = [format!("use|run|call|execute|nutze|utilise|usa the? {name}")];
        if name.contains('_') && said.contains(&&name)
            || path.contains(' ') && self.text.contains(&path)
            || !self.is_elsewhere && self.sentences.iter().any(|sentence| stand_in(&called, sentence))
        {
            return true;
        }
        let names: Vec<_> = tool.path.names().map(str::to_owned).collect();
        let (Some(first), Some(last)) = (names.first(), names.last()) else { return false };
        let needs = tool.schema.get("required").and_then(Value::as_array).is_some_and(|needed| !needed.is_empty());
        let shown = tool.words.figures.iter().map(|figure| figure.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let is_said = |wanted: &String| said.iter().any(|word| is_word(wanted, word));
        let shown = shown.filter(|figure| figure.iter().all(is_said)).flatten();
        // `tasks` alone is no wish to add one.
        let is_read = !tool.writes && !needs || names.len() == 1;
        let subjects: BTreeSet<String> = shown.chain(is_read.then(|| first.clone())).collect();
        let is_asking = |word: &String| LEXICON.asking.contains(word);
        let is_beside = |word: &String| LEXICON.beside_asking.contains(word) || LEXICON.polite.contains(word);
        let is_called = 1 < names.len() && said.contains(&first) && said.contains(&last);
        let is_subject =
            |word: &String| subjects.iter().any(|subject| is_word(subject, word)) || is_called && names.contains(word);
        let others: Vec<_> = said.iter().filter(|word| !is_subject(word)).collect();
        let is_short = said.len() <= SHORT_MAX && others.len() < said.len();
        is_short
            && others.iter().all(|word| is_asking(word) || is_beside(word))
            && (is_called
                || others.iter().any(|word| is_asking(word))
                || others.iter().all(|word| LEXICON.polite.contains(word)))
    }
}

/// The phrase that a tool's path makes: `/tasks list` is asked for by `list … task*`.
fn of_its_names(tool: &OfferedTool) -> Option<String> {
    let names: Vec<_> = tool.path.names().collect();
    let [first, .., last] = names.as_slice() else { return None };
    let one = first.strip_suffix('s').filter(|one| 3 <= one.len() && !one.ends_with(['s', 'u']));
    Some(one.map_or_else(|| format!("{last} … {first}"), |one| format!("{last} … {one}*")))
}

fn is_explained(sentence: &Sentence) -> bool {
    fronts(sentence).any(|words| begin(&LEXICON.explained, words))
}

/// What stands behind the polite words of a sentence. `to do` is polite as far as `to`: every way to split is tried.
fn fronts(sentence: &Sentence) -> impl Iterator<Item = &[String]> {
    let n_polite = sentence.iter().take_while(|word| LEXICON.polite.contains(word)).count().min(POLITE_MAX);
    (0..=n_polite).filter_map(|at| sentence.get(at..))
}
