//! Finds the commands that a request or a reply refers to, by the phrases in the modules' manifests.
//!
//! Words do not show whether something happened, the receipts do. Words show which commands a person may have meant, so
//! that the host can say which of these did not run. That statement is true even if the person meant something else.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::agent::honesty::phrase::{Phrase, Sentence, sentences};
use crate::agent::tools::OfferedTool;

/// The words that no single tool has: `words.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    openers: Vec<String>,
    behind_openers: Vec<String>,
    changes: Vec<String>,
    unless: Vec<String>,
    polite: Vec<String>,
}

struct Lexicon {
    openers: Vec<Vec<String>>,
    behind_openers: Vec<String>,
    changes: Vec<Phrase>,
    unless: Vec<Phrase>,
    polite: Vec<String>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // The file is compiled in and the tests read it. An unreadable one would find nothing.
    let words: Words = toml::from_str(include_str!("words.toml")).unwrap_or_default();
    let phrases = |texts: Vec<String>| texts.iter().map(|text| Phrase::read(text)).collect();
    Lexicon {
        openers: words.openers.iter().map(|opener| opener.split(' ').map(str::to_owned).collect()).collect(),
        behind_openers: words.behind_openers,
        changes: phrases(words.changes),
        unless: phrases(words.unless),
        polite: words.polite,
    }
});

/// The most words in front of what somebody asks for: `hey bot, could you please`.
const POLITE_MAX: usize = 8;

/// How many sentences of a reply are looked at: claims stand first.
const SENTENCES_MAX: usize = 2;

/// A reply of at most so many words is looked at whole.
const SHORT_MAX: usize = 40;

/// A reply that is nothing but a word of success has at most so many words.
const DONE_MAX: usize = 12;

/// How many sentences of a request are looked at. A long text that was pasted asks for nothing in its middle.
const ASKED_MAX: usize = 6;

/// The most words between a metric's name and its figure.
const FIGURE_REACH: usize = 3;

/// Whether a request asks for what this tool does.
pub fn asks_for(request: &str, tool: &OfferedTool) -> bool {
    let asks: Vec<_> = tool.words.asks.iter().map(|ask| Phrase::read(ask)).collect();
    sentences(request).iter().take(ASKED_MAX).any(|sentence| {
        let n_polite = sentence.iter().take_while(|word| LEXICON.polite.contains(word)).count().min(POLITE_MAX);
        // `to do` is polite as far as `to`: every way to split the front is tried.
        let fronts = (0..=n_polite).filter_map(|at| sentence.get(at..));
        fronts.into_iter().any(|words| asks.iter().any(|ask| ask.begins(words)))
    })
}

/// Whether a reply says that this tool ran: by a phrase of the tool's own, by a verb of change beside a word for what it
/// handles, or by a figure beside the name of one of its values.
pub fn claims_run_of(reply: &str, tool: &OfferedTool) -> bool {
    let claims: Vec<_> = tool.words.claims.iter().map(|claim| Phrase::read(claim)).collect();
    let about: Vec<_> = tool.words.about.iter().map(|about| Phrase::read(about)).collect();
    let claimed = |sentence: &Sentence| {
        let is_in = |phrases: &[Phrase]| phrases.iter().any(|phrase| phrase.stands_in(sentence));
        let is_claim = is_in(&claims) || (tool.writes && is_in(&about) && is_in(&LEXICON.changes));
        is_claim && !is_in(&LEXICON.unless)
    };
    first_sentences(reply).iter().any(claimed) || has_figure(reply, &tool.words.figures)
}

/// Whether a reply begins by saying that something is done, whatever it was.
pub fn says_done(reply: &str) -> bool {
    let Some(first) = sentences(reply).into_iter().next() else { return false };
    let goes_on = |rest: &[String]| rest.first().is_none_or(|next| LEXICON.behind_openers.contains(next));
    let is_opened = LEXICON.openers.iter().any(|opener| first.strip_prefix(opener.as_slice()).is_some_and(goes_on));
    // What was made in the reply itself, a poem or a list, makes it longer.
    let is_short = reply.split_whitespace().count() <= DONE_MAX;
    is_short && is_opened && !LEXICON.unless.iter().any(|word| word.stands_in(&first))
}

fn first_sentences(reply: &str) -> Vec<Sentence> {
    let mut sentences = sentences(reply);
    let n_words: usize = sentences.iter().map(Vec::len).sum();
    if SHORT_MAX < n_words {
        sentences.truncate(SENTENCES_MAX);
    }
    sentences
}

/// Whether the name of a value stands beside a figure with a unit: `CPU: 23 %`, `Memory 4.2 GB`.
fn has_figure(reply: &str, names: &[String]) -> bool {
    if names.is_empty() {
        return false;
    }
    reply.lines().any(|line| {
        let tokens: Vec<String> = tokens(line);
        let is_name = |token: &String| names.iter().any(|name| name.eq_ignore_ascii_case(token));
        tokens.iter().enumerate().any(|(at, token)| {
            let near = tokens.get(at + 1..).unwrap_or_default().iter().take(FIGURE_REACH + 2);
            is_name(token) && near.collect::<Vec<_>>().windows(2).any(is_measured)
        })
    })
}

/// The words, figures and signs of percent of a line.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut was_digit = None;
    for sign in line.chars().take(1_000) {
        let is_part = sign.is_alphanumeric() || matches!(sign, '.' | ',' | '%' | '°');
        let is_digit = sign.is_ascii_digit() || matches!(sign, '.' | ',');
        match tokens.last_mut() {
            Some(token) if is_part && was_digit == Some(is_digit) => token.push(sign),
            _ if is_part => tokens.push(sign.to_string()),
            _ => {}
        }
        was_digit = is_part.then_some(is_digit);
    }
    tokens
}

/// Whether these are a figure and a unit.
fn is_measured(pair: &[&String]) -> bool {
    const UNITS: [&str; 22] = [
        "%", "percent", "prozent", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "ms", "s", "min", "h",
        "hours", "days", "stunden", "tage", "°c", "mbit",
    ];
    let [figure, unit] = pair else { return false };
    figure.starts_with(|sign: char| sign.is_ascii_digit()) && UNITS.contains(&unit.to_lowercase().as_str())
}
