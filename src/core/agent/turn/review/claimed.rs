//! Reads a reply: what it says that a command did, or that something was done or looked up.

use crate::agent::tools::OfferedTool;
use crate::agent::turn::review::figures::has_figure;
use crate::agent::turn::review::lexicon::{LEXICON, Sentence, begin, behind, places, sentences, stand_in};

/// How many sentences of a reply are looked at: claims stand first.
const SENTENCES_MAX: usize = 2;

/// A reply of at most so many words is looked at whole.
const SHORT_MAX: usize = 40;

/// A reply that says of no certain thing that it was done has at most so many words: what was made in the reply itself,
/// a poem or a list, makes it longer.
const DONE_MAX: usize = 14;

/// A sentence without a speaker that says of a thing that it was changed has at most so many words.
const BARE_MAX: usize = 8;

/// How near a verb of change stands to a word for what a tool handles, in words.
const CHANGE_REACH: usize = 5;

/// How far behind a speaker the verb of change stands, and behind a passive.
const SPEAKER_REACH: usize = 6;
const PASSIVE_REACH: usize = 2;

/// How surely a reply says that a tool ran.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// By a verb of change beside its subject, which other tools may share.
    Change,
    /// By a phrase of its own, or a figure beside the name of one of its values.
    Own,
}

/// What a short reply says of no certain tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Done,
    LookedUp,
}

/// The words of a reply, read once for all tools.
pub(super) struct Words<'a> {
    text: &'a str,
    first: Vec<Sentence>,
    /// Those of its first sentences that deny, ask or offer something.
    denying: Vec<Sentence>,
    /// The request was for an explanation or a text: what it says of things in general is no claim.
    is_explained: bool,
}

impl<'a> Words<'a> {
    pub(super) fn read(text: &'a str, is_explained: bool) -> Self {
        let mut first: Vec<_> = sentences(text);
        if SHORT_MAX < first.iter().map(Vec::len).sum() {
            first.truncate(SENTENCES_MAX);
        }
        let (denying, first) = first.into_iter().partition(|sentence| stand_in(&LEXICON.unless, sentence));
        Self { text, first, denying, is_explained }
    }

    /// Whether they claim that this tool ran.
    pub(super) fn claim(&self, tool: &OfferedTool) -> Option<Claim> {
        let of_sentence = |sentence: &Sentence| {
            let is_own = is_own(sentence);
            let by_change = || tool.writes && is_changed(&tool.words.about, sentence, is_own);
            let claim = match stand_in(&tool.words.claims, sentence) {
                true => Some(Claim::Own),
                false => by_change().then_some(Claim::Change),
            };
            claim.filter(|_| is_own || !self.is_explained)
        };
        // Without an open task there is a look at the tasks, too.
        let of_denial = |sentence: &Sentence| {
            let denials = tool.words.claims.iter().filter(|claim| {
                claim.split(' ').next().is_some_and(|first| LEXICON.denials.iter().any(|denial| denial == first))
            });
            let mut denials = denials.filter(|_| !self.is_explained);
            denials.any(|claim| places(std::slice::from_ref(claim), sentence).next().is_some()).then_some(Claim::Own)
        };
        let has_figure = || !self.is_explained && has_figure(self.text, &tool.words.figures);
        let claim = self.first.iter().filter_map(of_sentence).max();
        claim.or_else(|| self.denying.iter().find_map(of_denial)).or_else(|| has_figure().then_some(Claim::Own))
    }

    /// Whether they say that something was done or looked up, of whatever tool.
    pub(super) fn say(&self) -> Option<Said> {
        if self.is_explained || DONE_MAX < self.text.split_whitespace().count() {
            return None;
        }
        self.first.iter().find_map(said)
    }
}

/// Whether a sentence speaks of the speaker, or of what is the other person's.
fn is_own(sentence: &Sentence) -> bool {
    sentence.iter().any(|word| LEXICON.speakers.contains(word)) || stand_in(&LEXICON.yours, sentence)
}

/// Whether a sentence says of one of these that it was changed, now and not in general.
fn is_changed(about: &[String], sentence: &Sentence, is_own: bool) -> bool {
    let changed: Vec<_> = places(&LEXICON.changes, sentence).collect();
    let is_near = |about: usize| changed.iter().any(|at| at.abs_diff(about) <= CHANGE_REACH);
    (is_own || sentence.len() <= BARE_MAX && !stand_in(&LEXICON.in_general, sentence))
        && places(about, sentence).any(is_near)
}

fn said(sentence: &Sentence) -> Option<Said> {
    let n_leads = sentence.iter().take_while(|word| LEXICON.leads.contains(word)).count();
    let goes_on = |rest: &[String]| {
        rest.first().is_none_or(|next| LEXICON.behind_openers.contains(next) || next.starts_with(char::is_numeric))
    };
    let opens = |words: &[String]| LEXICON.openers.iter().any(|opener| behind(opener, words).is_some_and(goes_on));
    let mut fronts = (0..=n_leads).filter_map(|at| sentence.get(at..));
    let changed: Vec<_> = places(&LEXICON.changes, sentence).collect();
    let is_followed = |by: &[String], reach: usize, from: usize| {
        let places = sentence.iter().enumerate().filter(|(_, word)| by.contains(word)).map(|(at, _)| at);
        places
            .into_iter()
            .any(|at| changed.iter().any(|change| (at + 1..=at + reach).contains(change) && from <= *change))
    };
    if fronts.clone().any(|words| begin(&LEXICON.looked, words)) {
        return Some(Said::LookedUp);
    }
    let is_done = fronts.any(opens)
        || is_followed(&LEXICON.speakers, SPEAKER_REACH, 0)
        || is_followed(&LEXICON.passives, PASSIVE_REACH, sentence.len().saturating_sub(PASSIVE_REACH));
    is_done.then_some(Said::Done)
}
