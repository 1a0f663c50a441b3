//! Finds the commands that a request or a reply refers to, by the phrases in the modules' manifests.
//!
//! Words do not show whether something happened, the receipts do. Words show which commands a person may have meant, so
//! that the host can say which of these did not run. That statement is true even if the person meant something else.

use serde_json::Map;

use crate::agent::tools::OfferedTool;
use crate::agent::turn::Turn;
use crate::agent::turn::review::finding::Finding;
use crate::agent::turn::review::lexicon::LEXICON;
use crate::agent::turn::review::lexicon::{Phrase, Sentence, sentences};
use crate::agent::turn::review::reply::Reply;
use crate::language::say;
use crate::record::GuardFinding;

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

/// How near a verb of change stands to a word for what a tool handles, in words.
const CHANGE_REACH: usize = 4;

/// The most words between a metric's name and its figure.
const FIGURE_REACH: usize = 3;

/// Gives one line for the commands that the request or the reply touches and that did not run.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    if !turn.setup.guard.touched {
        return Vec::new();
    }
    let words = reply.words();
    let is_idle = |tool: &&OfferedTool| {
        let command = tool.path.to_string();
        // What was called and did not run has a line of its own.
        let is_told = turn.record.calls.iter().any(|call| call.command.as_ref() == Some(&command))
            || reply.offers.iter().any(|offer| offer.command == command);
        !turn.has_run(tool) && !is_told
    };
    let something_changed = turn.ran.iter().any(|ran| ran.call.tool().writes);
    let ran_before = |tool: &OfferedTool| turn.setup.ran_before.contains(&tool.path.to_string());
    let is_backed = |tool: &OfferedTool| ran_before(tool) || tool.writes && something_changed;
    let idle = turn.setup.offered.known().filter(is_idle);
    let (asked, others): (Vec<_>, Vec<_>) = idle.partition(|tool| asks_for(&turn.setup.request, tool));
    let claimed: Vec<_> = others.into_iter().filter(|tool| !is_backed(tool) && claims_run_of(&words, tool)).collect();
    let something_was_to_change = asked.iter().chain(&claimed).any(|tool| tool.writes);
    // What the person asked for is more likely meant than what the reply happens to name.
    let touched = if asked.is_empty() { claimed } else { asked };
    let nothing_ran = turn.ran.is_empty() && reply.offers.is_empty();
    // The word of success alone names no command: it is looked at where no other line says what did not happen.
    let is_alone = || {
        let has_changed_before = turn.setup.offered.known().any(|tool| tool.writes && ran_before(tool));
        nothing_ran && turn.not_run.is_empty() && !has_changed_before
    };
    let is_labelled = || reply.findings.contains(&GuardFinding::MadeUpResult) && !reply.has_lost_a_result();
    if touched.is_empty() && !(is_alone() && (is_labelled() || says_done(&words))) {
        return Vec::new();
    }
    let language = turn.setup.language;
    let line = match nothing_ran {
        true if touched.is_empty() || something_was_to_change => say!(language, "note-nothing-changed"),
        true => say!(language, "note-nothing-looked-up"),
        false => {
            let paths: Vec<_> = touched.iter().map(|tool| tool.path.to_string()).collect();
            say!(language, "note-did-not-run", commands = paths.join(", "))
        }
    };
    let line = Finding { line: Some(line), ..Finding::counted(GuardFinding::Touched) };
    [line].into_iter().chain(touched.into_iter().map(|tool| Finding::offer(tool, Map::new()))).collect()
}

/// Whether a request asks for what this tool does.
fn asks_for(request: &str, tool: &OfferedTool) -> bool {
    let asks: Vec<_> = tool.words.asks.iter().map(|ask| Phrase::read(ask)).collect();
    sentences(request).iter().take(ASKED_MAX).any(|sentence| {
        let n_polite = sentence.iter().take_while(|word| LEXICON.polite.contains(word)).count().min(POLITE_MAX);
        // `to do` is polite as far as `to`: every way to split the front is tried.
        let fronts = (0..=n_polite).filter_map(|at| sentence.get(at..));
        fronts.into_iter().any(|words| asks.iter().any(|ask| ask.begins(words)))
    })
}

/// Whether a reply claims that this tool ran: by a phrase of the tool's own, by a verb of change beside its subject, or
/// by a figure beside the name of one of its values.
fn claims_run_of(reply: &str, tool: &OfferedTool) -> bool {
    let claims: Vec<_> = tool.words.claims.iter().map(|claim| Phrase::read(claim)).collect();
    let about: Vec<_> = tool.words.about.iter().map(|about| Phrase::read(about)).collect();
    let claimed = |sentence: &Sentence| {
        let is_in = |phrases: &[Phrase]| phrases.iter().any(|phrase| phrase.stands_in(sentence));
        let changes = || {
            let changed: Vec<_> = places(&LEXICON.changes, sentence).collect();
            places(&about, sentence).any(|about| changed.iter().any(|at| at.abs_diff(about) <= CHANGE_REACH))
        };
        (is_in(&claims) || tool.writes && changes()) && !is_in(&LEXICON.unless)
    };
    first_sentences(reply).iter().any(claimed) || has_figure(reply, &tool.words.figures)
}

/// Where one of these phrases begins in a sentence.
fn places(phrases: &[Phrase], sentence: &Sentence) -> impl Iterator<Item = usize> {
    (0..sentence.len()).filter(|at| {
        let behind = sentence.get(*at..).unwrap_or_default();
        phrases.iter().any(|phrase| phrase.begins(behind))
    })
}

/// Whether a reply opens with a claim of success, of whatever action.
fn says_done(reply: &str) -> bool {
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
        let may_stand_between =
            |token: &&String| is_figure(token) || LEXICON.beside_figures.contains(&token.to_lowercase());
        tokens.iter().enumerate().filter(|(_, token)| is_name(token)).any(|(at, _)| {
            let behind = tokens.get(at + 1..).unwrap_or_default();
            let n_between = behind.iter().take(FIGURE_REACH).take_while(may_stand_between).count();
            behind.windows(2).take(n_between + 1).any(is_measured)
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

fn is_figure(token: &str) -> bool {
    token.starts_with(|sign: char| sign.is_ascii_digit())
}

/// Whether these are a figure and a unit.
fn is_measured(pair: &[String]) -> bool {
    const UNITS: [&str; 22] = [
        "%", "percent", "prozent", "b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "ms", "s", "min", "h",
        "hours", "days", "stunden", "tage", "°c", "mbit",
    ];
    let [figure, unit] = pair else { return false };
    is_figure(figure) && UNITS.contains(&unit.to_lowercase().as_str())
}
