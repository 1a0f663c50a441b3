//! Claims: sentences that say something was done.
//!
//! The patterns are narrow on purpose, so that what is pointed out is worth a person's attention: "successfully
//! saved", "I have saved", "I saved", "has been saved". Left alone are denials, questions, conditions, plans,
//! quotations, code of more than a word, what somebody else did, an older turn's deeds, and the world's history.
//! English alone: in other languages nothing is found.
//!
//! What is an older turn's deed is a guess by a few words, "earlier" and "yesterday" among them. It is not made where
//! the sentence says "just" or "now", or where those words are about something else: "as I said earlier". A reply
//! that puts a made-up deed into the past gets by; one that really tells of the past may be pointed out.

mod lexicon;
mod sentence;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::agent::tools::OfferedTool;
use lexicon::Verb;
use sentence::{Sentence, Word, sentences};

/// Sentences returned.
const CLAIMS_MAX: usize = 5;
/// Words looked at behind a verb, for what it is about.
const OBJECT_WORDS_MAX: usize = 8;
/// Words between the first and the last of a tool's phrase.
const PHRASE_REACH: usize = 16;

/// The sentences of a reply that claim something was done which no receipt of this turn backs, trimmed, each once, at
/// most five. `offered` and `done` are the tools that were offered, and those of them that ran and succeeded.
///
/// A tool that is done backs its own [`OfferedTool::claims`]. One that writes also backs the verbs that they begin with
/// and their near synonyms, "stored" for "saved"; every generic verb of change if it declares no claims. Any tool that
/// is done backs verbs of reading and running.
pub fn unbacked_claims(prose: &str, offered: &[OfferedTool], done: &[OfferedTool]) -> Vec<String> {
    let backing = Backing::new(offered, done);
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(prose) {
        if claims(&sentence, &backing) && found.iter().all(|known| known != sentence.text) {
            found.push(sentence.text.to_owned());
        }
        if found.len() == CLAIMS_MAX {
            break;
        }
    }
    found
}

/// What tools are claimed with, and what is true of it.
struct Backing<'a> {
    /// The first words of every tool's phrases, with the words behind them.
    phrases: BTreeSet<Vec<&'a str>>,
    done_phrases: BTreeSet<Vec<&'a str>>,
    /// The verbs of change that are true, one for all of the same kin.
    done_verbs: BTreeSet<&'a str>,
    any_done: bool,
    /// A tool wrote of which nobody declared how it is claimed.
    wrote_anything: bool,
}

impl<'a> Backing<'a> {
    fn new(offered: &'a [OfferedTool], done: &'a [OfferedTool]) -> Self {
        let phrases = |tools: &'a [OfferedTool]| -> BTreeSet<Vec<&'a str>> {
            let phrases = tools.iter().flat_map(|tool| &tool.claims);
            phrases
                .map(|phrase| phrase.split_whitespace().collect())
                .filter(|words: &Vec<_>| !words.is_empty())
                .collect()
        };
        let done_phrases = phrases(done);
        let verbs = done.iter().filter(|tool| tool.writes).flat_map(|tool| &tool.claims);
        let verbs = verbs.filter_map(|phrase| phrase.split_whitespace().next());
        Self {
            phrases: phrases(offered).into_iter().chain(done_phrases.iter().cloned()).collect(),
            done_phrases,
            done_verbs: verbs.filter(|verb| !lexicon::is_light(verb)).map(lexicon::kin).collect(),
            any_done: !done.is_empty(),
            wrote_anything: done.iter().any(|tool| tool.writes && tool.claims.is_empty()),
        }
    }

    fn backs(&self, verb: Option<Verb>, words: &[Word]) -> bool {
        let backed = match verb {
            Some(Verb::Wrote) => {
                let is_done = |word: &Word| self.done_verbs.contains(lexicon::kin(&word.text));
                self.wrote_anything || words.first().is_some_and(is_done)
            }
            Some(Verb::Read) => self.any_done,
            None => false,
        };
        backed || occurs(&self.done_phrases, words)
    }
}

/// Whether one of the phrases begins with the first of these words and goes on in the words behind it.
fn occurs(phrases: &BTreeSet<Vec<&str>>, words: &[Word]) -> bool {
    let Some(first) = words.first() else { return false };
    phrases.iter().filter(|phrase| phrase.first() == Some(&first.text.as_str())).any(|phrase| {
        let mut rest = words.iter().take(PHRASE_REACH);
        phrase.iter().all(|word| rest.any(|found| found.text == *word))
    })
}

/// Whether a sentence claims something that nothing backs.
fn claims(sentence: &Sentence<'_>, backing: &Backing<'_>) -> bool {
    let words = sentence.words.as_slice();
    if sentence.end == Some('?') || is_told_of_the_past(words) {
        return false;
    }
    if let [only] = words {
        let is_claim = sentence.end.is_some() && lexicon::generic(&only.text) == Some(Verb::Wrote);
        return is_claim && !backing.backs(Some(Verb::Wrote), words);
    }
    let mut clause = 0;
    let mut is_held_back = false;
    let mut person_spoke = false;
    for (at, word) in words.iter().enumerate() {
        if word.clause != clause || lexicon::turns(&word.text) {
            (clause, is_held_back) = (word.clause, false);
        }
        let next = words.get(at + 1).map(|next| next.text.as_str());
        is_held_back |= lexicon::holds_back(&word.text, next);
        let Some(place) = (!is_held_back).then_some(TextSpot { words, at }) else { continue };
        let (pattern, verb) = match place.claim(backing, person_spoke) {
            Some(claim) => claim,
            None => continue,
        };
        person_spoke |= pattern == Pattern::FirstPerson;
        if !backing.backs(verb, place.behind()) {
            return true;
        }
    }
    false
}

/// Whether a sentence tells of an older turn or of the world's history.
fn is_told_of_the_past(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map(|word| word.text.as_str());
    let speaks_of_us = words.iter().any(|word| matches!(word.text.as_str(), "i" | "i've" | "your"));
    let speaks_of_now = words.iter().any(|word| lexicon::is_present(&word.text));
    let mut is_other_deed = false;
    words.iter().enumerate().any(|(at, word)| {
        let (before, next) = (at.checked_sub(1).and_then(text), text(at + 1));
        is_other_deed |= lexicon::is_other_deed(&word.text, next);
        let is_older = !speaks_of_now && !is_other_deed && lexicon::is_earlier(before, &word.text, next);
        is_older || (!speaks_of_us && next.is_some_and(|next| lexicon::is_history(&word.text, next)))
    })
}

/// The ways to claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    /// `I saved`, `I have saved`, `I've just saved`.
    FirstPerson,
    /// `has been saved`.
    Passive,
    /// `successfully saved`, `saved successfully`.
    Successfully,
}

/// A word in its sentence that may be the verb of a claim.
#[derive(Clone, Copy)]
struct TextSpot<'a> {
    words: &'a [Word],
    at: usize,
}

impl<'a> TextSpot<'a> {
    /// How this word claims something, and which kind of verb it is; no kind for a verb of tools alone.
    fn claim(self, backing: &Backing<'_>, person_spoke: bool) -> Option<(Pattern, Option<Verb>)> {
        let verb = self.word(self.at)?;
        let next = self.behind().get(1).map(|next| next.text.as_str());
        if lexicon::means_other(verb, next) {
            return None;
        }
        let generic = lexicon::generic(verb);
        let is_known = generic.is_some() || occurs(&backing.phrases, self.behind());
        let pattern = self.pattern(next, person_spoke)?;
        let any = || lexicon::participle(verb).filter(|_| pattern == Pattern::Successfully && self.is_said_of_a_tool());
        let verb_kind = generic.or_else(|| if is_known { None } else { any() });
        let is_claim = (is_known || verb_kind.is_some()) && !self.is_work_on_a_text(verb);
        (is_claim && (pattern == Pattern::FirstPerson || !self.names_another(next))).then_some((pattern, verb_kind))
    }

    fn pattern(self, next: Option<&str>, person_spoke: bool) -> Option<Pattern> {
        let (before, said_successfully) = self.before_fillers(self.at);
        let is_success = said_successfully || next == Some("successfully");
        let subject = before.and_then(|at| self.word(at));
        match subject {
            Some("i've") => return Some(Pattern::FirstPerson),
            // The present tense.
            Some("i") if self.word(self.at) != Some("run") => return Some(Pattern::FirstPerson),
            Some("have") if before.and_then(|at| self.word(at.checked_sub(1)?)) == Some("i") => {
                return Some(Pattern::FirstPerson);
            }
            Some("been") if !before.is_some_and(|at| self.is_passive(at)) => return None,
            Some("been") if !is_success => return Some(Pattern::Passive),
            Some(_) | None => {}
        }
        if is_success {
            // `You have successfully added a task`.
            let owner = before.filter(|_| subject == Some("have")).and_then(|at| self.word(at.checked_sub(1)?));
            let is_ours =
                ![subject, owner].into_iter().flatten().any(|word| lexicon::is_other(word) || lexicon::is_plan(word));
            return is_ours.then_some(Pattern::Successfully);
        }
        // `I've written the file and saved it`.
        let follows = self
            .at
            .checked_sub(1)
            .and_then(|at| self.words.get(at))
            .is_some_and(|word| matches!(word.text.as_str(), "and" | "then") || word.clause != self.clause());
        // A row of names is no row of deeds: "I've added `created` and `deleted`".
        let is_code = self.words.get(self.at).is_some_and(|word| word.is_code);
        (person_spoke && follows && !is_code).then_some(Pattern::FirstPerson)
    }

    /// Whether `has` or `have` stands before `been`, of something that is not the bot and not a plan.
    fn is_passive(self, been: usize) -> bool {
        let (before, _) = self.before_fillers(been);
        let Some((before, word)) = before.and_then(|at| Some((at, self.word(at)?))) else { return false };
        let has = matches!(word, "has" | "have") || word.ends_with("'s") || word.ends_with("'ve");
        let subject = before.checked_sub(1).and_then(|at| self.word(at)).unwrap_or_default();
        has && word != "i've" && subject != "i" && !lexicon::is_plan(subject)
    }

    /// The place of the word before a run of fillers, in the same clause, and whether "successfully" is one of them.
    fn before_fillers(self, from: usize) -> (Option<usize>, bool) {
        const FILLERS_MAX: usize = 5;
        let mut successfully = false;
        let clause = self.clause();
        for at in (0..from).rev().take(FILLERS_MAX) {
            let Some(word) = self.words.get(at).filter(|word| word.clause == clause) else { break };
            if !lexicon::is_filler(&word.text) {
                return (Some(at), successfully);
            }
            successfully |= word.text == "successfully";
        }
        (None, successfully)
    }

    /// `File successfully created` and `was successfully created`, but not `NASA successfully launched a rocket`.
    fn is_said_of_a_tool(self) -> bool {
        let (before, _) = self.before_fillers(self.at);
        let is_bare = before.and_then(|at| self.word(at)).is_none_or(|word| {
            matches!(word, "was" | "were" | "is" | "are" | "been" | "have" | "i" | "i've" | "we" | "we've")
        });
        let next = self.behind().get(1).filter(|word| word.clause == self.clause());
        let ends = next.is_none_or(|word| lexicon::is_preposition(&word.text) || word.text == "successfully");
        is_bare || ends
    }

    /// Whether the verb is about words of the reply itself.
    fn is_work_on_a_text(self, verb: &str) -> bool {
        if !lexicon::is_of_writing(verb) {
            return false;
        }
        let clause = self.clause();
        let object = || {
            let behind = self.behind().iter().skip(1).take(OBJECT_WORDS_MAX);
            let words = behind.take_while(move |word| word.clause == clause).filter(|word| !word.is_code);
            words.map(|word| word.text.as_str())
        };
        object().any(lexicon::is_text) && !object().any(lexicon::is_place)
    }

    /// `has been removed by Discord`, but not `has been removed by calling ...`.
    fn names_another(self, next: Option<&str>) -> bool {
        let agent = self.behind().get(2).map(|word| word.text.as_str()).unwrap_or_default();
        next == Some("by") && !agent.ends_with("ing") && !matches!(agent, "me" | "us")
    }

    fn clause(self) -> usize {
        self.words.get(self.at).map_or(0, |word| word.clause)
    }

    fn word(self, at: usize) -> Option<&'a str> {
        self.words.get(at).map(|word| word.text.as_str())
    }

    /// The words from this one on.
    fn behind(self) -> &'a [Word] {
        self.words.get(self.at..).unwrap_or_default()
    }
}
