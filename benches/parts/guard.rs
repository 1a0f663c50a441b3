//! What a reply costs on its way from the model to the person: the whole end of a turn, and its two longest readings
//! alone.
//!
//! Linear reading shows in the lengths: five times the text is about five times the time. 100,000 characters are the
//! longest answer that the client takes. The hostile replies are of the kind that a careless scan reads again and
//! again.
#![expect(clippy::panic, reason = "a benchmark that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use divan::Bencher;
use divan::counter::BytesCount;

use candor_core::agent::prompt::{Asked, PastExchanges, PromptModel, Scene, opening};
use candor_core::agent::tools::{Completion, OfferedSet, ToolNames, find_tool_text};
use candor_core::agent::{ChatSettings, Effect, Ending, Finished, Input, OfferedModel, ToolMode, Turn, TurnSetup};
use candor_core::contract::{Call, CommandError, NativeModule, NoArguments};
use candor_core::inbound::{Addressed, AuthorKind, Caller, CameWith, EventId, Inbound, Message, Place, UserId};
use candor_core::language::Language;
use candor_core::registry::{Catalog, Registry};
use candor_core::reply::{Reply, sanitize_model_text};
use candor_core::router::{ChatText, Route, classify};
use candor_core::testing::checked;

const LENGTHS: [usize; 3] = [2_000, 20_000, 100_000];

/// Figures, a name, commands, something that was done.
const PLAIN: &str = "The server looks healthy right now. CPU is at 12.5 %, memory at 3.1 of 24.0 GiB, and the disk is \
     13 % full as of 12:03. Ada Lovelace wrote the notes yesterday, so you may want to read them.\n\n\
     - Use /status to see it again, or /status history for the last week.\n- I've saved that to memory for you.\n\n";

/// Blocks of code and code amid words.
const CODE: &str = "Write this into `main.rs`, below `use std::io;`:\n\n```rust\nfn main() {\n\
     \u{20}   let figures = [1, 2, 3];\n    println!(\"{{\\\"cpu\\\": {}}}\", figures[0]);\n}\n```\n\n\
     Then `cargo run`, and see `/status`.\n\n";

/// Calls of this bot's tools, in two of the forms that models know.
const WRITTEN: &str = "Let me look that up.\n<tool_call>\n{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}\
     \n</tool_call>\nAnd then I keep it: [memory(content=\"likes tea\")]\n\n";

/// Brackets that nothing closes.
const BRACKETS: &str = "{\"a\n\n";

/// Marks of code and emphasis that nothing closes.
const MARKS: &str = "*/`\"(/a ``";

#[divan::bench(args = LENGTHS)]
fn turn_of_plain_words(bencher: Bencher<'_, '_>, length: usize) {
    turn(bencher, PLAIN, length);
}

#[divan::bench(args = LENGTHS)]
fn turn_of_words_with_code(bencher: Bencher<'_, '_>, length: usize) {
    turn(bencher, CODE, length);
}

#[divan::bench(args = LENGTHS)]
fn turn_of_words_with_tool_text(bencher: Bencher<'_, '_>, length: usize) {
    turn(bencher, WRITTEN, length);
}

#[divan::bench(args = LENGTHS)]
fn turn_of_open_brackets(bencher: Bencher<'_, '_>, length: usize) {
    turn(bencher, BRACKETS, length);
}

#[divan::bench(args = LENGTHS)]
fn turn_of_open_marks(bencher: Bencher<'_, '_>, length: usize) {
    turn(bencher, MARKS, length);
}

#[divan::bench(args = LENGTHS)]
fn sanitize_plain_words(bencher: Bencher<'_, '_>, length: usize) {
    sanitize(bencher, PLAIN, length);
}

#[divan::bench(args = LENGTHS)]
fn sanitize_words_with_code(bencher: Bencher<'_, '_>, length: usize) {
    sanitize(bencher, CODE, length);
}

#[divan::bench(args = LENGTHS)]
fn sanitize_open_marks(bencher: Bencher<'_, '_>, length: usize) {
    sanitize(bencher, MARKS, length);
}

#[divan::bench(args = LENGTHS)]
fn tool_text_in_plain_words(bencher: Bencher<'_, '_>, length: usize) {
    written(bencher, PLAIN, length);
}

#[divan::bench(args = LENGTHS)]
fn tool_text_in_words_with_them(bencher: Bencher<'_, '_>, length: usize) {
    written(bencher, WRITTEN, length);
}

#[divan::bench(args = LENGTHS)]
fn tool_text_in_open_brackets(bencher: Bencher<'_, '_>, length: usize) {
    written(bencher, BRACKETS, length);
}

/// The whole way of an answer of that length: what runs, what is taken out, what the host adds, and what is shown.
fn turn(bencher: Bencher<'_, '_>, piece: &str, length: usize) {
    let reply = repeated(piece, length);
    let (catalog, words) = (catalog(), words());
    bencher
        .counter(BytesCount::of_str(reply.as_str()))
        .with_inputs(|| setup(&catalog, &words))
        .bench_local_values(|setup| shown(setup, black_box(&reply)));
}

fn sanitize(bencher: Bencher<'_, '_>, piece: &str, length: usize) {
    let reply = repeated(piece, length);
    bencher.counter(BytesCount::of_str(reply.as_str())).bench(|| sanitize_model_text(black_box(&reply)));
}

fn written(bencher: Bencher<'_, '_>, piece: &str, length: usize) {
    let reply = repeated(piece, length);
    let names: ToolNames<'_> = ["status", "memory"].into_iter().collect();
    bencher.counter(BytesCount::of_str(reply.as_str())).bench(|| find_tool_text(black_box(&reply), &names));
}

fn repeated(piece: &str, length: usize) -> String {
    piece.chars().cycle().take(length).collect()
}

/// Answers with this reply whatever is asked, until the turn ends; a reminder is one more request.
fn shown(setup: TurnSetup, reply: &str) -> String {
    let (mut turn, mut effect) = Turn::start(setup);
    loop {
        let answer = Completion { text: reply.to_owned(), calls: Vec::new(), cut: None };
        effect = match effect {
            Effect::Ask { .. } => turn.step(Input::Answered(answer), Duration::from_millis(1)),
            Effect::Run { .. } => panic!("nothing in these replies may run"),
            Effect::Finish(finished) => return text_of(*finished),
        };
    }
}

fn text_of(finished: Finished) -> String {
    match finished.ending {
        Ending::Prose(text) | Ending::Stopped(text) => sanitize_model_text(&text),
        Ending::Failed(failure) => panic!("{failure}"),
    }
}

fn setup(catalog: &Catalog, words: &ChatText) -> TurnSetup {
    let settings = ChatSettings::default();
    let scene =
        Scene { person: "Ada", place: Place::Console, now: UNIX_EPOCH, background: &[], names: None, is_shared: false };
    let offered = OfferedSet::of(catalog, Place::Console, Some(&BTreeSet::from(["/memory".to_owned()])));
    TurnSetup {
        model: "llama".to_owned(),
        mode: ToolMode::Native,
        limits: settings.limits,
        guard: settings.guard,
        opening: opening(
            &settings,
            PromptModel::of(&OfferedModel::named("llama"), ToolMode::Native),
            &scene,
            catalog,
            &offered,
            PastExchanges::default(),
            Asked::plain(words),
        ),
        offered,
        catalog: catalog.clone(),
        request: words.as_str().to_owned(),
        language: Language::ENGLISH,
    }
}

/// Two commands, both tools.
fn catalog() -> Catalog {
    let manifest = "[module]\nname = \"live\"\nsummary = \"Commands to measure with\"\n\n\
         [commands.\"/status\"]\ndescription = \"Answer\"\nhandler = \"status\"\ntool = true\n\n\
         [commands.\"/memory\"]\ndescription = \"Answer\"\nhandler = \"memory\"\ntool = true\nwrites = true\n";
    let module = NativeModule::new("live", manifest).handler("status", answer).handler("memory", answer);
    let checked = checked(vec![module]);
    assert!(!checked.diagnostics.has_errors(), "{:#?}", checked.diagnostics);
    Catalog::new(Arc::new(Registry::build(checked)), false)
}

/// Words for a model. Only the router makes them.
fn words() -> ChatText {
    let message = Message {
        id: EventId(1),
        caller: Caller::new(UserId(7), "Ada"),
        author: AuthorKind::Person,
        place: Place::Console,
        addressed: Addressed::Direct,
        bot: UserId(42),
        text: "how is the server, and what do you make of it?".to_owned(),
        came_with: CameWith::default(),
        sent: UNIX_EPOCH,
    };
    match classify(&Inbound::Message(message), &catalog()) {
        Route::Chat(words) => words,
        other => panic!("this is {} and not chat", other.name()),
    }
}

async fn answer(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("answered"))
}
