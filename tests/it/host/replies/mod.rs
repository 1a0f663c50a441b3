//! What a person sees under a reply of a model, by kind and language, with the modules that ship.

mod english;
mod french;
mod german;
mod harmless;
mod spanish;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_core::agent::prompt::{Opening, Transcript};
use candor_core::agent::tools::{Completion, OfferedSet};
use candor_core::agent::{Effect, Ending, Finished, GuardSettings, Input, ToolMode, Turn, TurnLimits, TurnSetup};
use candor_core::contract::check;
use candor_core::inbound::Place;
use candor_core::language::Language;
use candor_core::registry::{Catalog, Registry};
use candor_core::testing::chat;

fn catalog() -> Catalog {
    let checked = check(candor_engine::builtin::module(), candor_modules::all(), Vec::new());
    assert!(checked.rejected.is_empty(), "{:?}", checked.diagnostics);
    Catalog::new(Arc::new(Registry::build(checked)), false)
}

/// A turn in which nothing runs, and the model says this twice if it is asked twice.
fn reply(catalog: &Catalog, asked: &str, said: &str) -> Finished {
    reply_in(Language::ENGLISH, catalog, asked, said)
}

/// The same with the host's words in this language.
fn reply_in(language: Language, catalog: &Catalog, asked: &str, said: &str) -> Finished {
    let setup = TurnSetup {
        model: "any".to_owned(),
        mode: ToolMode::Native,
        limits: TurnLimits::default(),
        guard: GuardSettings::default(),
        offered: OfferedSet::of(catalog, Place::Console, Some(&BTreeSet::new())),
        catalog: catalog.clone(),
        opening: Opening {
            transcript: Transcript::new(String::new(), &[], &chat(asked)),
            room: 10_000,
            given: Vec::new(),
        },
        request: asked.to_owned(),
        language,
    };
    let (mut turn, mut effect) = Turn::start(setup);
    loop {
        effect = match effect {
            Effect::Ask { .. } => {
                let answer = Completion { text: said.to_owned(), calls: Vec::new(), cut: None };
                turn.step(Input::Answered(answer), Duration::from_millis(1))
            }
            Effect::Finish(finished) => return *finished,
            Effect::Run { calls, .. } => panic!("{asked:?}: {calls:?} would run"),
        };
    }
}

/// The reply as a person sees it, with the host's words in this language.
fn seen(language: Language, catalog: &Catalog, asked: &str, said: &str) -> String {
    let finished = reply_in(language, catalog, asked, said);
    let words = match &finished.ending {
        Ending::Prose(text) if text == said => "(as written)".to_owned(),
        Ending::Prose(text) | Ending::Stopped(text) => text.clone(),
        Ending::Failed(failure) => failure.text(language),
    };
    let buttons = finished.record.offers.iter().map(|offer| match offer.arguments.is_empty() {
        true => format!("[Run {}]", offer.command),
        false => format!("[Run {} {}]", offer.command, serde_json::Value::Object(offer.arguments.clone())),
    });
    let lines: Vec<_> = [words].into_iter().chain(finished.notes.iter().cloned()).chain(buttons).collect();
    format!("> {asked}\n| {}\n{}\n", said.replace('\n', "\n| "), lines.join("\n"))
}

/// What a reply is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// It has a result in it that no command gave.
    Result,
    /// It acts out the run of a command.
    ActedOut,
    /// It acts one out in the steps of a known prompt: thought, action, observation.
    React,
    /// It has a receipt in it that does not exist.
    FakeLabel,
    /// It has a call in a block of code, as an example or to run: it stays as it is.
    Code,
    /// Nothing is to be said of it.
    Harmless,
}

/// The table of a language, as people see it. Harmless replies stay as they are and have no line.
fn table(language: Language, replies: &[(Kind, &str, &str)]) -> String {
    let catalog = catalog();
    let row = |&(kind, asked, said): &(Kind, &str, &str)| {
        if kind == Kind::Harmless {
            let finished = reply(&catalog, asked, said);
            assert_eq!(finished.ending, Ending::Prose(said.to_owned()), "{asked}");
            assert_eq!(finished.notes, Vec::<String>::new(), "{asked}: {said}");
        }
        format!("{kind:?}\n{}", seen(language, &catalog, asked, said))
    };
    replies.iter().map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn replies_in_english() {
    insta::assert_snapshot!(table(Language::ENGLISH, english::REPLIES));
}

#[test]
fn replies_in_german() {
    insta::assert_snapshot!(table(Language::of_locale("de").unwrap(), german::REPLIES));
}

#[test]
fn replies_in_french() {
    insta::assert_snapshot!(table(Language::ENGLISH, french::REPLIES));
}

#[test]
fn replies_in_spanish() {
    insta::assert_snapshot!(table(Language::ENGLISH, spanish::REPLIES));
}

/// Harmless requests and replies with code, data or names of the bot's commands. One pair a line: the request, a bar, the
/// reply.
fn near_to_commands() -> Vec<(String, String)> {
    let pair = |line: &str| {
        let (asked, said) = line.split_once(" | ").unwrap_or((line, ""));
        (asked.to_owned(), said.replace("\\n", "\n"))
    };
    include_str!("harmless.txt").lines().map(pair).collect()
}

/// The replies of the file that `CANDOR_REPLIES` names, of any length: on each line a JSON array of who wrote it, what
/// was asked, and what was said. benches/README.md says which were measured.
fn corpus() -> Vec<(String, String)> {
    let Some(file) = std::env::var_os("CANDOR_REPLIES") else { return Vec::new() };
    let text = std::fs::read_to_string(&file).unwrap();
    let pair = |line: &str| {
        let (_, asked, said): (String, String, String) = serde_json::from_str(line).unwrap();
        (asked, said.trim().to_owned())
    };
    text.lines().map(pair).collect()
}

#[test]
fn no_harmless_reply_is_changed_or_has_a_line() {
    let catalog = catalog();
    let corpus = corpus();
    let touched_max = corpus.len() / 1_000;
    let replies: Vec<_> = harmless::replies().into_iter().chain(near_to_commands()).chain(corpus).collect();
    let is_touched = |(asked, said): &&(String, String)| {
        let finished = reply(&catalog, asked, said);
        finished.ending != Ending::Prose(said.clone()) || !finished.notes.is_empty()
    };
    let touched: Vec<_> =
        replies.iter().filter(is_touched).map(|(asked, said)| seen(Language::ENGLISH, &catalog, asked, said)).collect();
    println!("{} of {}:\n{}", touched.len(), replies.len(), touched.join("\n"));
    assert!(touched.len() <= touched_max, "{} of {}:\n{}", touched.len(), replies.len(), touched.join("\n"));
}
