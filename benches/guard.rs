//! What the checks of a reply cost, all of them together, with a known text of 16 KiB.
//!
//! Linear reading shows in `guard_reply`: ten times the length is at most ten times the time. The hostile replies are
//! of the kind that a careless scan reads again and again.
#![expect(clippy::expect_used, reason = "a benchmark that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::BytesCount;

use candor_core::agent::honesty::{
    recoverable_memory, strip_made_up, strip_tool_text, unbacked_claims, ungrounded, unknown_commands,
};
use candor_core::agent::tools::OfferedSet;
use candor_core::contract::{Call, CommandError, NativeModule, NoArguments, check};
use candor_core::inbound::{ChannelId, Place};
use candor_core::registry::{Catalog, Registry};
use candor_core::reply::Reply;

/// The longest result of a tool that a model is shown.
const KNOWN_LENGTH: usize = 16 * 1024;

/// A reply as models write them: figures, a name, commands, a claim.
const PROSE: &str = "The server looks healthy right now. CPU is at 12.5 %, memory at 3.1 of 24.0 GiB, and the disk is \
     13 % full as of 12:03. Ada Lovelace wrote `data/notes.txt` yesterday, so you may want to read it.\n\n\
     - Use `/status` to see it again, or `/status history` for the last week.\n- I've saved that to memory for you.\n\n";

/// What a tool said, line by line.
const RESULT: &str = "{\"host\":\"db1\",\"cpu\":12.5,\"memory\":\"3.1 of 24.0 GiB\",\"by\":\"Ada Lovelace\",\
     \"file\":\"/srv/data/notes.txt\",\"at\":\"2026-02-01T12:03:04Z\"}\n";

fn main() {
    divan::main();
}

#[divan::bench(args = [2_000, 20_000])]
fn guard_reply(bencher: Bencher<'_, '_>, length: usize) {
    guard(bencher, PROSE, length);
}

#[divan::bench(args = [2_000, 20_000])]
fn guard_brackets(bencher: Bencher<'_, '_>, length: usize) {
    guard(bencher, "{\"a\n\n", length);
}

#[divan::bench(args = [2_000, 20_000])]
fn guard_labels(bencher: Bencher<'_, '_>, length: usize) {
    guard(bencher, "Result: {\"a\": 1}\n\n", length);
}

#[divan::bench(args = [2_000, 20_000])]
fn guard_marks(bencher: Bencher<'_, '_>, length: usize) {
    guard(bencher, "*/`\"(/a ``", length);
}

#[divan::bench(args = [2_000, 20_000])]
fn guard_one_line_of_claims(bencher: Bencher<'_, '_>, length: usize) {
    guard(bencher, "if I have 77 saved ", length);
}

/// All checks over a reply of that length.
fn guard(bencher: Bencher<'_, '_>, piece: &str, length: usize) {
    let reply: String = piece.chars().cycle().take(length).collect();
    let known: String = RESULT.chars().cycle().take(KNOWN_LENGTH).collect();
    let (catalog, offered) = offered();
    let memory = offered.get("memory").expect("an offered tool");
    bencher.counter(BytesCount::of_str(reply.as_str())).bench(|| {
        let tool_text = strip_tool_text(black_box(&reply), &offered);
        let made_up = strip_made_up(&tool_text.kept, &[&known]);
        let recovered = recoverable_memory(&made_up.removed, memory);
        let claims = unbacked_claims(&made_up.kept, offered.tools(), &[]);
        let commands = unknown_commands(&made_up.kept, &catalog, &[&known]);
        let ungrounded = ungrounded(&made_up.kept, &[&known]);
        (recovered, claims, commands, ungrounded)
    });
}

/// Two commands, both offered as tools.
fn offered() -> (Catalog, OfferedSet) {
    let manifest = "[module]\nname = \"live\"\nsummary = \"Commands to measure with\"\n\n\
         [commands.\"/status\"]\ndescription = \"Answer\"\nhandler = \"status\"\ntool = true\n\n\
         [commands.\"/memory\"]\ndescription = \"Answer\"\nhandler = \"memory\"\ntool = true\n";
    let help = "[module]\nname = \"harness\"\nsummary = \"Commands to measure with\"\n\n\
         [commands.\"/help\"]\ndescription = \"Answer\"\nhandler = \"help\"\n";
    let live = NativeModule::new("live", manifest).handler("status", answer).handler("memory", answer);
    let builtin = NativeModule::new("harness", help).handler("help", answer);
    let catalog = Catalog::new(Arc::new(Registry::build(check(builtin, vec![live], Vec::new()))), false);
    let offered = OfferedSet::of(&catalog, Place::Direct { channel: ChannelId(3) }, &BTreeSet::new());
    (catalog, offered)
}

async fn answer(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("answered"))
}
