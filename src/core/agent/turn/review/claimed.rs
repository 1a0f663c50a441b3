//! Reads a reply: what it says that a command did, or that something was done or looked up.

use crate::agent::tools::OfferedTool;
use crate::agent::turn::review::figures::has_figure;
use crate::agent::turn::review::lexicon::{is_in, list};
use crate::text::{QUESTION, Sentence, begin, behind, places, sentences, stand_in, words};

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

/// What a short reply says of no certain tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Done,
    LookedUp,
}

/// The words of a reply, read once for all tools.
pub(super) struct Words<'a> {
    text: &'a str,
    /// The same with its code: figures stand there as well.
    whole: &'a str,
    /// Its first sentences, each with whether it denies, asks or offers something.
    first: Vec<(Sentence, bool)>,
    /// The request was for an explanation or a text: what it says of things in general is no claim.
    is_explained: bool,
}

impl<'a> Words<'a> {
    pub(super) fn read(text: &'a str, whole: &'a str, is_explained: bool) -> Self {
        let mut first = sentences(text);
        if SHORT_MAX < first.iter().map(Vec::len).sum() {
            first.truncate(SENTENCES_MAX);
        }
        let denies = |sentence: Sentence| (stand_in(list("unless"), &sentence), sentence);
        let first = first.into_iter().map(denies).map(|(denies, sentence)| (sentence, denies)).collect();
        Self { text, whole, first, is_explained }
    }

    /// The tools that they claim ran: by a phrase of its own or a figure beside the name of one of its values; without
    /// such a tool, by a verb of change beside its subject, which tools may share.
    pub(super) fn claimed<'t>(&self, tools: Vec<&'t OfferedTool>) -> Vec<&'t OfferedTool> {
        let (own, others): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| self.claims(tool));
        match own.is_empty() {
            true => others.into_iter().filter(|tool| tool.writes && self.changes(&tool.words.about)).collect(),
            false => own,
        }
    }

    fn claims(&self, tool: &OfferedTool) -> bool {
        let claims = |(sentence, denies): &(Sentence, bool)| {
            // Without an open task there is a look at the tasks, too.
            let is_denial = |claim: &str| claim.split(' ').next().is_some_and(|first| is_in("denials", first));
            let may_say = |claim: &&String| !denies || is_denial(claim);
            let mut claims = tool.words.claims.iter().filter(may_say);
            // A tool's name is a word of no language: "Calling files_list".
            let is_named = || !denies && tool.name.contains('_') && sentence.contains(&tool.name);
            (!self.is_explained || speaks_of_itself(sentence))
                && (claims.any(|claim| stand_in(std::slice::from_ref(claim), sentence)) || is_named())
        };
        self.first.iter().any(claims) || !self.is_explained && has_figure(self.whole, &tool.words.figures)
    }

    /// Whether they say of one of these that it was changed, now and not in general.
    fn changes(&self, about: &[String]) -> bool {
        let is_changed = |(sentence, denies): &(Sentence, bool)| {
            let is_brief =
                || !self.is_explained && sentence.len() <= BARE_MAX && !stand_in(list("in_general"), sentence);
            let changed: Vec<_> = places(list("changes"), sentence).collect();
            let is_near = |about: usize| changed.iter().any(|at| at.abs_diff(about) <= CHANGE_REACH);
            !denies && (speaks_of_itself(sentence) || is_brief()) && places(about, sentence).any(is_near)
        };
        self.first.iter().any(is_changed)
    }

    /// Whether they do nothing but ask back, or tell the person to use this command.
    pub(super) fn leave_it_to_the_person(&self, tool: &OfferedTool) -> bool {
        let is_question = |sentence: &Sentence| sentence.last().is_some_and(|last| last == QUESTION);
        let asks = |(sentence, _): &(Sentence, bool)| {
            is_question(sentence) && !stand_in(list("else"), sentence)
                || sentence.iter().all(|word| is_in("leads", word))
        };
        let asks_back = self.first.last().is_some_and(|(last, _)| is_question(last)) && self.first.iter().all(asks);
        let names_it = || tool.path.names().next().is_some_and(|name| self.text.contains(&format!("/{name}")));
        asks_back || names_it() && !self.claims(tool) && self.say().is_none()
    }

    /// Whether they say that something was done or looked up, of whatever tool.
    pub(super) fn say(&self) -> Option<Said> {
        if self.is_explained || DONE_MAX < self.text.split_whitespace().count() {
            return None;
        }
        // "Added: milk". In JSON it is a key.
        let label = self.text.split_once(':').filter(|(label, _)| !label.contains(['"', '{', '\'']));
        let label = label.map(|(label, _)| words(label).collect::<Sentence>());
        let sentences = self.first.iter().filter(|(_, denies)| !denies).map(|(sentence, _)| sentence);
        sentences.chain(&label).find_map(said)
    }
}

/// Whether a sentence speaks of the speaker, or of what is the other person's.
fn speaks_of_itself(sentence: &Sentence) -> bool {
    stand_in(list("speakers"), sentence) || stand_in(list("yours"), sentence)
}

fn said(sentence: &Sentence) -> Option<Said> {
    let n_leads = sentence.iter().take_while(|word| is_in("leads", word)).count();
    let fronts = || (0..=n_leads).filter_map(|at| sentence.get(at..));
    if fronts().any(|words| begin(list("looked"), words)) {
        return Some(Said::LookedUp);
    }
    let goes_on = |rest: &[String]| {
        rest.first().is_none_or(|next| is_in("behind_openers", next) || next.starts_with(char::is_numeric))
    };
    let opens = |words: &[String]| list("openers").iter().any(|opener| behind(opener, words).is_some_and(goes_on));
    let changed: Vec<_> = places(list("changes"), sentence).collect();
    let is_changed_behind = |by: &str, reach: usize, from: usize| {
        let is_near = |at| changed.iter().any(|change| (at + 1..=at + reach).contains(change) && from <= *change);
        places(list(by), sentence).any(is_near)
    };
    let is_done = fronts().any(opens)
        || is_changed_behind("speakers", SPEAKER_REACH, 0)
        || is_changed_behind("passives", PASSIVE_REACH, sentence.len().saturating_sub(PASSIVE_REACH));
    is_done.then_some(Said::Done)
}
