//! What is known: the texts of a turn, taken apart once so that every detail is found without reading them again.

use std::collections::{BTreeSet, HashSet};

use crate::agent::honesty::grounding::figure::{self, Figure, readings};
use crate::agent::honesty::grounding::kind::Kind;
use crate::agent::honesty::grounding::moment::Moment;
use crate::agent::honesty::grounding::token::tokens;

/// Folders at the front and at the end of a known path by which a part of it is found.
const FOLDERS_MAX: usize = 4;
/// Longer tokens are no paths that anybody would name a part of.
const PATH_LENGTH_MAX: usize = 1_024;
/// Numbers within one token, such as a date's.
const PARTS_MAX: usize = 8;

/// The known texts, taken apart.
pub(super) struct Known<'a> {
    tokens: HashSet<&'a str>,
    /// Words of names that stand next to each other, or with one word between.
    pairs: HashSet<(&'a str, &'a str)>,
    /// Ascending.
    numbers: Vec<f64>,
    moments: HashSet<String>,
}

impl<'a> Known<'a> {
    /// Takes texts apart, which are in lower case. `wanted` are the words of names to be looked for.
    pub(super) fn of(texts: &'a [String], wanted: &BTreeSet<String>) -> Self {
        let mut known =
            Self { tokens: HashSet::new(), pairs: HashSet::new(), numbers: Vec::new(), moments: HashSet::new() };
        for text in texts {
            let mut before: [Option<&str>; 2] = [None, None];
            let mut tokens = tokens(text).peekable();
            while let Some(token) = tokens.next() {
                let next = tokens.peek().map_or("", |next| next.text);
                known.add(token.text, next);
                let word = wanted.contains(token.text).then_some(token.text);
                known.pairs.extend(before.into_iter().flatten().zip(word.into_iter().cycle()));
                before = [before[1], word];
            }
        }
        known.numbers.sort_unstable_by(f64::total_cmp);
        known
    }

    fn add(&mut self, token: &'a str, next: &str) {
        self.tokens.insert(token);
        self.tokens.extend(token.strip_prefix('@'));
        if token.contains(['/', '\\']) && token.len() <= PATH_LENGTH_MAX {
            self.add_path(token);
        }
        if !token.contains(|part: char| part.is_ascii_digit()) {
            return;
        }
        if let Some(moment) = Moment::read(token, next) {
            self.moments.extend(moment.date);
            let minutes = moment.time.as_deref().and_then(|time| time.get(..5)).map(str::to_owned);
            self.moments.extend(minutes.into_iter().chain(moment.time));
            // Nobody knows whether the person's clock has twelve hours.
            self.moments.extend(Moment::read(token, "").and_then(|moment| moment.time));
        }
        match figure::read(token, "") {
            figure::Read::Figures(figures) => {
                let readings = figures.into_iter().flat_map(|figure| figure.readings);
                self.numbers.extend(readings.map(|reading| reading.value));
            }
            figure::Read::Exact | figure::Read::Other => {
                let parts = token.split(|part: char| !part.is_ascii_digit()).filter(|part| !part.is_empty());
                for part in parts.take(PARTS_MAX) {
                    self.tokens.insert(part);
                    self.numbers.extend(part.parse::<f64>().ok());
                }
            }
        }
        // A list of numbers reads like a decimal comma: `[12,34]`.
        if token.contains(',') {
            self.numbers.extend(token.split(',').flat_map(readings).map(|reading| reading.value));
        }
    }

    /// Adds the last and the first folders of a path: a file may be named without all its folders.
    fn add_path(&mut self, path: &'a str) {
        let slashes = path.match_indices(['/', '\\']).map(|(at, _)| at);
        self.tokens.extend(slashes.clone().take(FOLDERS_MAX).filter_map(|at| path.get(..at)));
        self.tokens.extend(slashes.clone().take(FOLDERS_MAX).filter_map(|at| path.get(..=at)));
        let last: Vec<_> = path.rmatch_indices(['/', '\\']).map(|(at, _)| at).take(FOLDERS_MAX).collect();
        self.tokens.extend(last.into_iter().filter_map(|at| path.get(at + 1..)));
    }

    /// Whether a detail occurs in the known texts.
    pub(super) fn holds(&self, detail: &Kind) -> bool {
        match detail {
            Kind::Exact(text) => {
                let bare = text.trim_end_matches(['/', '\\']);
                [text.as_str(), bare, bare.strip_prefix('@').unwrap_or(bare), bare.strip_prefix("./").unwrap_or(bare)]
                    .iter()
                    .any(|form| self.tokens.contains(form))
            }
            Kind::Moment(moment) => {
                let mut parts = moment.date.iter().chain(&moment.time);
                parts.all(|part| self.moments.contains(part))
            }
            Kind::Figure(figure) => self.holds_figure(figure),
            Kind::Name(words) => {
                let pairs = words.iter().zip(words.iter().skip(1));
                pairs.into_iter().all(|(one, other)| self.pairs.contains(&(one.as_str(), other.as_str())))
            }
        }
    }

    /// Whether a known number rounds to the figure, as exact as it is written.
    fn holds_figure(&self, figure: &Figure) -> bool {
        figure.readings.iter().any(|reading| {
            let half = 0.5 * 10_f64.powi(-reading.n_decimals);
            figure.factors().iter().any(|factor| {
                // A little more than half, for what floating point loses.
                let reach = half * factor * (1.0 + 1e-9) + reading.value * factor * 1e-12;
                let lowest = reading.value * factor - reach;
                let at = self.numbers.partition_point(|number| *number < lowest);
                self.numbers.get(at).is_some_and(|number| *number <= reading.value * factor + reach)
            })
        })
    }
}
