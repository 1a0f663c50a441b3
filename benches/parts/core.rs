//! What the core costs: routing one inbound, and building the registry.
//!
//! Linear reading shows where there is a length: ten times the length is at most ten times the time.

use std::hint::black_box;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use divan::Bencher;
use divan::counter::BytesCount;

use candor_core::contract::{Call, Checked, CommandError, NativeModule, NoArguments, check};
use candor_core::inbound::{
    Addressed, AuthorKind, Caller, CameWith, ChannelId, EventId, Inbound, Message, Place, UserId,
};
use candor_core::registry::{Catalog, Registry};
use candor_core::reply::Reply;
use candor_core::router::classify;

/// Discord's limit of 100 commands, with one built-in command.
const COMMANDS: usize = 99;

#[divan::bench(args = [
    "what's our status?",
    "/h42",
    "/unknown",
    "<@42> /h42",
    "`/h42`",
    "／h42",
    "thanks!\n/h42",
    "привет, как дела?",
])]
fn classify_short(bencher: Bencher<'_, '_>, text: &str) {
    let (names, inbound) = (catalog(), message(text));
    bencher.bench(|| classify(black_box(&inbound), &names));
}

#[divan::bench(args = [2_000, 20_000])]
fn classify_chat(bencher: Bencher<'_, '_>, length: usize) {
    let (names, inbound) = (catalog(), message(&"word ".repeat(length / 5)));
    bencher.counter(BytesCount::new(length)).bench(|| classify(black_box(&inbound), &names));
}

/// Each line is looked at, because one that is exactly a command is refused.
#[divan::bench(args = [2_000, 20_000])]
fn classify_chat_in_lines(bencher: Bencher<'_, '_>, length: usize) {
    let (names, inbound) = (catalog(), message(&"word\n/unknown\n".repeat(length / 14)));
    bencher.counter(BytesCount::new(length)).bench(|| classify(black_box(&inbound), &names));
}

#[divan::bench(args = [2_000, 20_000])]
fn classify_marks_before_a_slash(bencher: Bencher<'_, '_>, length: usize) {
    let (names, inbound) = (catalog(), message(&format!("{}/h42", "*".repeat(length))));
    bencher.counter(BytesCount::new(length)).bench(|| classify(black_box(&inbound), &names));
}

#[divan::bench]
fn build_registry_of_100_commands(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(checked).bench_values(Registry::build);
}

#[divan::bench]
fn check_100_commands() -> Checked {
    checked()
}

fn catalog() -> Catalog {
    let checked = checked();
    assert!(checked.rejected.is_empty(), "the generated modules must pass: {:?}", checked.diagnostics);
    Catalog::new(Arc::new(Registry::build(checked)), false)
}

/// The built-in module with one command, and a module with [`COMMANDS`] of them.
fn checked() -> Checked {
    let entry = |name: &str| format!("[commands.\"/{name}\"]\ndescription = \"Answer\"\nhandler = \"{name}\"\n\n");
    let head = |name: &str| format!("[module]\nname = \"{name}\"\nsummary = \"Commands to measure with\"\n\n");
    let names: Vec<_> = (0..COMMANDS).map(|number| format!("h{number}")).collect();
    let manifest = head("many") + &names.iter().map(|name| entry(name)).collect::<String>();
    let many = names.iter().fold(NativeModule::new("many", &manifest), |module, name| module.handler(name, answer));
    let builtin = NativeModule::new("builtin", &(head("builtin") + &entry("help"))).handler("help", answer);
    check(builtin, vec![many], Vec::new())
}

async fn answer(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("answered"))
}

fn message(text: &str) -> Inbound {
    Inbound::Message(Message {
        id: EventId(1),
        caller: Caller::new(UserId(7), "Ada"),
        author: AuthorKind::Person,
        place: Place::Direct { channel: ChannelId(3) },
        addressed: Addressed::Direct,
        bot: UserId(42),
        text: text.to_owned(),
        came_with: CameWith::default(),
        sent: UNIX_EPOCH,
    })
}
