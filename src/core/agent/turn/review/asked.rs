//! Reads a request: which commands it asks for, and whether it is about something else.

use serde_json::Value;

use crate::agent::tools::OfferedTool;
use crate::agent::turn::review::lexicon::{is_in, list};
use crate::text::{QUESTION, Sentence, begin, behind, is_word, places, sentences, stand_in};

/// The most words in front of what somebody asks for: `hey bot, could you please`.
const POLITE_MAX: usize = 8;

/// How many sentences of a request are looked at. A long text that was pasted asks for nothing in its middle.
const ASKED_MAX: usize = 6;

/// What is not in ordinary words: the beginning of a list or an object, of a call, a comment or a block of code.
const CODE: [&str; 9] = ["{", "()", "```", " // ", "[[", "[\"", "['", "[0", "[1"];

/// How far behind what was asked for a word says that something else was meant: "list files in python".
const ELSEWHERE_REACH: usize = 5;

/// In a question of at most so many words, such a word only says which: "how's the linux box?"
const NAMED_MAX: usize = 5;

/// A request that only names what it is about has at most so many words.
const SHORT_MAX: usize = 8;

/// A sentence that asks with a verb and a thing has at most so many words.
const REQUEST_MAX: usize = 10;

/// One without any word that makes the thing a certain one, so many: "list reminders".
const BARE_MAX: usize = 3;

/// A request, read once for all tools.
pub(super) struct Request {
    sentences: Vec<Sentence>,
    has_code: bool,
    /// It is about something else than this bot.
    is_elsewhere: bool,
    /// It wants a text: what stands in that, its speaker or others say.
    pub(super) is_of_text: bool,
    /// It says thanks and nothing else.
    pub(super) is_thanks: bool,
    /// It is answered by an explanation, or by a text that is made for it.
    pub(super) is_explained: bool,
}

impl Request {
    pub(super) fn read(text: &str) -> Self {
        // Whoever asks what this bot is able to do asks for nothing yet.
        let is_of_ability = |sentence: &Sentence| begin(list("abilities"), sentence);
        let (abilities, sentences): (Vec<_>, Vec<_>) =
            sentences(text).into_iter().take(ASKED_MAX).partition(is_of_ability);
        let has_code = CODE.iter().any(|mark| text.contains(mark));
        let is_elsewhere = has_code || sentences.iter().any(|sentence| stand_in(list("elsewhere"), sentence));
        let n_words: usize = sentences.iter().map(Vec::len).sum();
        let is_about_more = is_elsewhere && !(n_words <= NAMED_MAX && sentences.iter().all(is_question));
        let is_explained = has_code || is_about_more || !abilities.is_empty() || sentences.iter().any(is_explained);
        let is_of_text = sentences.iter().flat_map(fronts).any(|(_, words)| begin(list("texts"), words));
        let mut said = sentences.iter().flatten();
        let is_thanks = said.clone().any(|word| is_in("thanks", word)) && said.all(|word| is_polite(word));
        Self { has_code, is_elsewhere, is_of_text, is_thanks, is_explained, sentences }
    }

    /// Whether it asks for what this tool does: by the tool's phrases, or by nothing but its names.
    pub(super) fn asks_for(&self, tool: &OfferedTool) -> bool {
        let asks = |(at, sentence)| self.asks_in(sentence, self.sentences.get(at + 1..).unwrap_or_default(), tool);
        self.sentences.iter().enumerate().any(asks) || !self.is_elsewhere && !self.is_thanks && self.is_of_names(tool)
    }

    fn asks_in(&self, sentence: &Sentence, later: &[Sentence], tool: &OfferedTool) -> bool {
        // What is only said in front of another question is said for its sake: "note that I use tabs. Why …?"
        let is_aside =
            |later: &Sentence| !later.iter().all(|word| is_polite(word)) && (is_question(later) || is_explained(later));
        let is_meant = |at: usize, words: &[String], phrase: &str, is_later: bool| match behind(phrase, words) {
            None => false,
            // What comes behind an open phrase may be about anything.
            Some(_) if phrase.ends_with('…') => !later.iter().any(is_aside) && (0 < at || !is_question(sentence)),
            Some(rest) if rest.first().is_some_and(|word| is_in("knowledge", word)) => false,
            Some(rest) => {
                let (said, behind) = (words.len() - rest.len(), rest.len().min(ELSEWHERE_REACH));
                let (said, rest) = (words.get(..said).unwrap_or_default(), rest.get(..behind).unwrap_or_default());
                // A person's own list may have anything on it, and so may task 3.
                let is_own = said.iter().any(|word| is_in("own", word));
                // "remind me at 9 to restart the database"
                let is_number = rest.first().is_some_and(|word| word.starts_with(char::is_numeric));
                // What a gap passed over says what it is about as well.
                let about = if phrase.contains('…') && !is_own { words } else { rest };
                (is_own || !self.has_code)
                    && (is_later || !self.is_of_text)
                    && (is_number || !stand_in(list("elsewhere"), about))
            }
        };
        // "I set an alarm" tells of the person.
        let is_told = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| sentence.get(before));
            before.is_some_and(|word| word == "i" || word == "ich") && !is_question(sentence)
        };
        let asks = |at: usize, words: &[String], is_later| {
            tool.words.asks.iter().any(|phrase| is_meant(at, words, phrase, is_later))
        };
        let mut fronts = fronts(sentence).filter(|(at, _)| !is_told(*at));
        fronts.any(|(at, words)| asks(at, words, false) || self.asks_by_verb(words, tool))
            || (self.is_of_text || !self.is_elsewhere)
                && later_fronts(sentence).any(|(at, words)| asks(at, words, true))
    }

    /// Whether words begin or end with a verb for what the tool is named for, and have a certain thing that it handles:
    /// "scrap my second task", for `/tasks remove`.
    fn asks_by_verb(&self, words: &[String], tool: &OfferedTool) -> bool {
        let Some(name) = tool.path.names().last() else { return false };
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
        let is_meant = |verbs: &String| {
            let has = |wanted: &str| verbs.split('|').any(|verb| verb.trim() == wanted);
            (has(name) || has("show") && !tool.writes) && (has(first) || has(&format!("-{last}")))
        };
        let is_certain = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| words.get(before)).map_or("", String::as_str);
            is_in("certain", before)
                || is_in("yours", before)
                || words.get(at + 1).is_some_and(|next| next.starts_with(char::is_numeric))
                || words.len() <= BARE_MAX && !is_in("uncertain", before)
        };
        !self.is_elsewhere
            && !self.is_of_text
            && words.len() <= REQUEST_MAX
            && list("verbs").iter().any(is_meant)
            && places(&tool.words.about, words).any(is_certain)
    }

    /// Whether it is one question, and none that an explanation answers: "any reminders?"
    fn is_bare_question(&self) -> bool {
        !self.is_explained && self.sentences.len() == 1 && self.sentences.iter().all(is_question)
    }

    /// Whether it is short and nothing but the name of the tool or of what it shows. A common word names nothing amid
    /// others.
    fn is_of_names(&self, tool: &OfferedTool) -> bool {
        let said: Vec<_> = self.sentences.iter().flatten().filter(|word| *word != QUESTION).collect();
        let is_said = |wanted: &str| said.iter().any(|word| is_of(wanted, word));
        let names: Vec<_> = tool.path.names().collect();
        let is_called = 1 < names.len() && names.iter().all(|name| is_said(name));
        let needs = tool.schema.get("required").and_then(Value::as_array).is_some_and(|needed| !needed.is_empty());
        // `tasks` alone is no wish to add one.
        let is_read = !tool.writes && !needs || names.len() == 1;
        let n_names = if is_called { names.len() } else { usize::from(is_read) };
        let shown = tool.words.figures.iter().filter(|figure| figure.split(' ').all(is_said));
        let handled = tool.words.about.iter().filter(|_| is_read && !tool.writes);
        let shown = shown.chain(handled).flat_map(|shown| shown.split(' '));
        let subjects: Vec<_> = names.into_iter().take(n_names).chain(shown).collect();
        let is_subject = |word: &&String| subjects.iter().any(|subject| is_of(subject, word));
        let others: Vec<_> = said.iter().copied().filter(|word| !is_subject(word)).collect();
        let asks = |word: &&String| is_in("asking", word);
        said.len() <= SHORT_MAX
            && others.len() < said.len()
            && others.iter().all(|word| asks(word) || is_polite(word) || is_in("beside_asking", word))
            && (is_called
                || others.iter().any(asks)
                || others.iter().all(|word| is_polite(word))
                || self.is_bare_question())
    }
}

/// Whether a word is this one, or its possessive: `today's`.
fn is_of(wanted: &str, word: &str) -> bool {
    is_word(wanted, word.strip_suffix("'s").unwrap_or(word))
}

fn is_polite(word: &str) -> bool {
    word == QUESTION || is_in("polite", word)
}

fn is_question(sentence: &Sentence) -> bool {
    sentence.last().is_some_and(|last| last == QUESTION)
}

fn is_explained(sentence: &Sentence) -> bool {
    fronts(sentence).any(|(_, words)| begin(list("explained"), words))
}

/// What stands behind the polite words of a sentence, and where, with and without those at its end. `to do` is polite as
/// far as `to`: every way to split is tried.
fn fronts(sentence: &Sentence) -> impl Iterator<Item = (usize, &[String])> {
    let n_polite = sentence.iter().take_while(|word| is_polite(word)).count().min(POLITE_MAX);
    fronts_at(sentence, 0..=n_polite)
}

/// The same of what stands behind an `and`: "write a poem and save it to my files".
fn later_fronts(sentence: &Sentence) -> impl Iterator<Item = (usize, &[String])> {
    let behind = |(at, word): (usize, &String)| is_in("joins", word).then_some(at + 1);
    fronts_at(sentence, sentence.iter().enumerate().skip(1).filter_map(behind))
}

fn fronts_at(sentence: &Sentence, places: impl Iterator<Item = usize>) -> impl Iterator<Item = (usize, &[String])> {
    let end = sentence.iter().rposition(|word| !is_polite(word)).map_or(0, |last| last + 1);
    let ends = move |at: usize| [end, sentence.len()].map(|end| sentence.get(at..end).map(|words| (at, words)));
    places.flat_map(ends).flatten()
}
