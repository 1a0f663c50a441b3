//! Grounding: after a tool ran, figures, names, paths and dates of a reply must come from somewhere.

mod common;
mod figure;
mod kind;
mod known;
mod moment;
mod place;
#[cfg(test)]
mod tests;
mod token;

use std::collections::BTreeSet;

use figure::Figure;
use kind::Kind;
use known::Known;
use moment::Moment;
use token::{Gap, Token, tokens};

/// Findings returned.
const FINDINGS_MAX: usize = 10;

/// The figures, names, paths, addresses, handles, dates and times of a reply that occur in none of the known texts:
/// the results of this turn's receipts, the person's words, what the system text says. Each once, in order, at most
/// ten.
///
/// A figure is known if a known number rounds to it, in whatever way thousands and decimals are written, and in
/// whatever unit of bytes or time. Small counts without a unit, list numbers and ordinals are no figures.
pub fn ungrounded(prose: &str, known: &[&str]) -> Vec<String> {
    let tokens: Vec<_> = tokens(prose).collect();
    let details = details(&tokens);
    if details.is_empty() {
        return Vec::new();
    }
    let names = details.iter().filter_map(|detail| match &detail.kind {
        Kind::Name(words) => Some(words),
        Kind::Exact(_) | Kind::Moment(_) | Kind::Figure(_) => None,
    });
    let wanted: BTreeSet<_> = names.flatten().cloned().collect();
    let known: Vec<_> = known.iter().map(|text| text.to_lowercase()).collect();
    let known = Known::of(&known, &wanted);
    let mut found: Vec<String> = Vec::new();
    for detail in details {
        if !known.holds(&detail.kind) && !found.contains(&detail.text) {
            found.push(detail.text);
        }
        if found.len() == FINDINGS_MAX {
            break;
        }
    }
    found
}

/// Something in a reply that must come from somewhere.
struct Detail {
    /// As it is written.
    text: String,
    kind: Kind,
}

fn details(tokens: &[Token<'_>]) -> Vec<Detail> {
    let mut details = Vec::new();
    let mut name: Vec<&Token<'_>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).filter(|next| next.before == Gap::Space).map_or("", |next| next.text);
        if !is_name_word(token) || token.before != Gap::Space {
            details.extend(end_name(&mut name));
        }
        if is_name_word(token) {
            name.push(token);
        } else {
            details.extend(of_token(token, next));
        }
    }
    details.extend(end_name(&mut name));
    details
}

fn of_token(token: &Token<'_>, next: &str) -> Vec<Detail> {
    let text = token.text;
    let detail = |kind| Detail { text: text.to_owned(), kind };
    if place::is_address(text) || place::is_path(text) {
        return vec![detail(Kind::Exact(text.to_lowercase()))];
    }
    if let Some(moment) = Moment::read(text, next) {
        return vec![detail(Kind::Moment(moment))];
    }
    if token.is_list_number() {
        return Vec::new();
    }
    match figure::read(text, next) {
        figure::Read::Figures(figures) => {
            figures.into_iter().filter(Figure::counts).map(|figure| detail(Kind::Figure(figure))).collect()
        }
        figure::Read::Exact => vec![detail(Kind::Exact(text.to_lowercase()))],
        figure::Read::Other => Vec::new(),
    }
}

/// A word as in a name: a capital letter first, others behind it, and not one that many sentences begin with.
fn is_name_word(token: &Token<'_>) -> bool {
    let mut letters = token.text.chars();
    let is_capital = letters.next().is_some_and(char::is_uppercase);
    let rest = letters.as_str();
    let is_word = rest.chars().all(|letter| letter.is_alphabetic() || letter == '-');
    is_capital
        && is_word
        && rest.chars().any(char::is_lowercase)
        && !token.is_heading
        && !common::is_common(&token.text.to_lowercase())
}

/// The name that these words are, if they are more than one and not the label of a list.
fn end_name(words: &mut Vec<&Token<'_>>) -> Option<Detail> {
    let words = std::mem::take(words);
    let is_label = words.last().is_some_and(|last| last.is_label());
    if words.len() < 2 || is_label {
        return None;
    }
    let text = words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    Some(Detail { text, kind: Kind::Name(words.iter().map(|word| word.text.to_lowercase()).collect()) })
}
