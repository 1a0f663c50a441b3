//! Reviews a finished reply: removes calls and made-up results, adds the host's notes.
//!
//! The review does not judge whether words are true: the mark under the reply states the commands that ran. It removes
//! calls and results of this bot's tools that did not run, and offers them as buttons.
//!
//! Each check is a function. It adds its findings to the reply and sees the findings of earlier checks.
//! No check asks the model again.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::agent::settings::ToolMode;
use crate::agent::text::pattern;
use crate::agent::tools::{MARKS, OfferedTool, ProtocolReading, TextCall, ToolText, find_tool_text, read_protocol};
use crate::agent::turn::interface::TurnSetup;
use crate::agent::turn::plan::Ran;
use crate::agent::turn::plan::UnfitCall;
use crate::contract::{MODAL_INPUTS_MAX, Press};
use crate::language::{Language, say};
use crate::record::turn::OFFERS_MAX;
use crate::record::{GuardFinding, OfferedRun, ReceiptId, StrippedKind, StrippedText};
use crate::reply::{reads_like_a_question, reads_like_the_hosts};
use crate::text::{CodeRules, SegmentKind, first_bytes, last_bytes, loose_value, segments, words};

/// Characters allowed around a command's name that is the whole text: marks of code, of bold and of a label.
const AROUND_NAMES: [char; 9] = ['`', '*', '_', ':', '"', '\'', '.', '/', ' '];

/// Matches a request to see a call instead of making it. Only the person's words distinguish the two, because the model
/// writes the same text for both. A match only keeps a call from running. A request in other words gets the call
/// itself, with its receipt, and a change still waits for *Confirm*.
static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    let of_a_call = r"[^.!?]{0,40}\b(?:calls?|tools?|functions?|tool-aufrufs?|aufrufs?|appel|outil|llamada)\b";
    pattern(&format!(
        r"(?i)\b(?:example|sample|beispiel|exemple|ejemplo){of_a_call}|\b(?:json|yaml|xml)\b[^.!?]{{0,20}}\b(?:tool|function) calls?\b|\b(?:don['’]t|do not|without) (?:run|running|execute|executing) (?:it|this|that|the|anything)\b|\bnicht ausführen\b|\bohne [a-z]{{0,10}} ?auszuführen\b|\b(?:sans l['’]exécuter|ne l['’]exécute pas|sin ejecutarl[oa])\b|\b(?:how|what)\b[^.!?]{{0,40}}\bcalls? looks? like\b|\bwie\b[^.!?]{{0,30}}\baufruf\b[^.!?]{{0,30}}\baus"
    ))
});

/// A reply with at least this many characters beside its calls has its own content: it is kept, not requested again.
const EXPLAINS_MIN: usize = 100;

/// Finds the calls. Text is not removed without tools, nor from code amid words, which is as often an example.
fn remove_calls(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    turn.unfit.iter().for_each(|unfit| reply.offer(&unfit.tool, unfit.arguments.clone()));
    if !turn.setup.guard.tool_text {
        return;
    }
    reply.calls = tool_text(turn, reply.text);
    if let Some(tool) = named(reply.text, turn).filter(|tool| !has_run(turn, tool)) {
        // A single word may be an answer, so it stays.
        if turn.setup.mode != ToolMode::None && reply.text.contains('_') {
            reply.findings.push(GuardFinding::ToolText);
            reply.cut(0..reply.text.len(), Some(StrippedKind::ToolText));
        }
        return reply.offer(tool, Map::new());
    }
    let calls = reply.calls.clone();
    match calls.is_empty() {
        true if turn.setup.mode != ToolMode::None && !is_example(turn) && MARKS.broken.is_match(reply.text) => {
            reply.findings.push(GuardFinding::ToolText);
            reply.cut(0..reply.text.len(), Some(StrippedKind::ToolText));
        }
        true => unreadable(reply.text, turn).for_each(|tool| reply.offer(tool, Map::new())),
        false => reply.findings.push(GuardFinding::ToolText),
    }
    if turn.setup.mode != ToolMode::None && !is_example(turn) {
        for piece in calls.iter().filter(|piece| !piece.is_code || piece.span.len() == reply.text.len()) {
            reply.cut(piece.span.clone(), Some(StrippedKind::ToolText));
        }
    }
    idle_calls(turn, &calls).for_each(|(tool, arguments)| reply.offer(tool, arguments));
}

/// Returns the tools named in an unreadable block. The block stays, because the rest of its content is unknown.
fn unreadable<'a>(text: &str, turn: Facts<'a>) -> impl Iterator<Item = &'a OfferedTool> {
    let is_block = turn.setup.mode == ToolMode::Text && matches!(read_protocol(text), ProtocolReading::Broken { .. });
    let is_named = move |tool: &&OfferedTool| is_block && text.contains(&format!("\"{}\"", tool.name));
    turn.setup.offered.known().filter(is_named)
}

/// Returns the tool whose name or command is the whole text: `status`, `**Status**`, `/tasks add`.
fn named<'a>(text: &str, turn: Facts<'a>) -> Option<&'a OfferedTool> {
    let name = text.trim_matches(AROUND_NAMES).to_lowercase();
    let is_its = |tool: &&OfferedTool| tool.name == name || tool.path.to_string().trim_start_matches('/') == name;
    turn.setup.offered.known().find(is_its)
}

/// Returns whether the person asked to see a call, so that a call in the message is not made.
pub(in crate::agent::turn) fn is_example(turn: Facts<'_>) -> bool {
    EXAMPLE.is_match(&turn.setup.request)
}

/// Returns whether the model should redo a reply that ends in a call. Calls in a block of code are examples, and
/// words behind a call explain it.
pub(in crate::agent::turn) fn wants_a_reminder(turn: Facts<'_>, reply: &ReviewedReply<'_>) -> bool {
    let end = reply.calls.last().map_or(0, |piece| piece.span.end);
    let is_last = reply.text.get(end..).is_some_and(|behind| behind.trim().is_empty());
    let meant = reply.calls.iter().filter(|piece| !piece.is_code);
    is_last
        && reply.prose().chars().count() < EXPLAINS_MIN
        && !is_example(turn)
        && idle_calls(turn, meant).next().is_some()
}

/// Returns the calls of this bot's tools in a text.
pub(in crate::agent::turn) fn tool_text(turn: Facts<'_>, text: &str) -> Vec<ToolText> {
    match turn.setup.guard.tool_text {
        true => find_tool_text(text, &turn.setup.offered.known_names()),
        false => Vec::new(),
    }
}

/// Returns the calls in these pieces up to `CALLS_MAX`, each with its tool.
pub(in crate::agent::turn) fn calls_in<'a>(
    turn: Facts<'a>,
    pieces: impl IntoIterator<Item = &'a ToolText>,
) -> impl Iterator<Item = (&'a OfferedTool, &'a TextCall)> {
    let calls = pieces.into_iter().flat_map(|piece| &piece.calls).take(CALLS_MAX);
    calls.filter_map(|call| Some((turn.setup.offered.known().find(|tool| tool.name == call.name)?, call)))
}

/// Returns the calls that did not run, with the arguments that fit. A call that ran with the same arguments is
/// already shown.
fn idle_calls<'a>(
    turn: Facts<'a>,
    pieces: impl IntoIterator<Item = &'a ToolText>,
) -> impl Iterator<Item = (&'a OfferedTool, Map<String, Value>)> {
    let fitting = calls_in(turn, pieces).map(|(tool, call)| (tool, tool.fitting(call.arguments.clone())));
    let has_run = |tool: &OfferedTool, arguments: &_| {
        turn.ran.iter().any(|ran| ran.call.tool().path == tool.path && ran.call.arguments() == arguments)
    };
    fitting.filter(move |(tool, arguments)| !has_run(tool, arguments))
}

fn has_run(turn: Facts<'_>, tool: &OfferedTool) -> bool {
    turn.ran.iter().any(|ran| ran.call.tool().path == tool.path)
}

/// The checks, in order. The first two remove text, so the others do not see it.
const CHECKS: [fn(&mut ReviewedReply<'_>, Facts<'_>); 5] =
    [remove_calls, remove_results, only_written, note_receipts, question_in_code];

/// Adds a line that names the offered commands, or that reports a removed result.
fn only_written(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    let mut commands: Vec<&str> = reply.offers.iter().map(|offer| offer.command.as_str()).collect();
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(*command));
    match commands.is_empty() {
        false => reply.note(say!(turn.setup.language, "note-only-written", commands = commands.join(", "))),
        true if reply.has_lost_a_result() => reply.note(say!(turn.setup.language, "note-made-up")),
        true => {}
    }
}

/// Adds a line about a forged question in code. Nothing in code is changed, so it cannot be marked there.
fn question_in_code(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    let prose = reply.prose();
    let mut code = segments(&prose, CodeRules::Discord).filter(|segment| segment.kind != SegmentKind::Text);
    if code.any(|code| prose.get(code.range).is_some_and(|code| code.lines().any(reads_like_a_question))) {
        reply.note(say!(turn.setup.language, "note-question"));
    }
}

pub(in crate::agent::turn) fn review<'a>(turn: Facts<'_>, text: &'a str) -> ReviewedReply<'a> {
    let mut reply = ReviewedReply::new(text.trim());
    CHECKS.iter().for_each(|check| check(&mut reply, turn));
    reply
}

/// What a turn was set up with, the commands that ran in it, and the calls that did not fit.
#[derive(Clone, Copy)]
pub(in crate::agent::turn) struct Facts<'a> {
    pub(in crate::agent::turn) setup: &'a TurnSetup,
    pub(in crate::agent::turn) ran: &'a [Ran],
    pub(in crate::agent::turn) unfit: &'a [UnfitCall],
}

/// The number of words before an id in which `receipt` or a mark makes it a receipt: `receipt with the id 7F3K2`.
const REACH: usize = 4;

const FOUND_MAX: usize = 5;

/// Adds a line for each receipt that does not belong to this turn. Receipts in words of the person or of a command may
/// be repeated.
fn note_receipts(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    let ours: Vec<_> = turn.ran.iter().map(|ran| ran.receipt.id()).collect();
    let known: Vec<_> = turn.ran.iter().map(|ran| ran.text.as_str()).chain([turn.setup.request.as_str()]).collect();
    for id in unknown_receipts(&told(&reply.prose()), &ours, &known) {
        reply.findings.push(GuardFinding::UnknownReceipt);
        reply.note(say!(turn.setup.language, "note-receipt", id = id));
    }
}

/// Returns the text of a reply. From its code blocks it keeps only the lines that read like the host's.
pub(in crate::agent::turn) fn told(prose: &str) -> String {
    let told = segments(prose, CodeRules::Discord).flat_map(|segment| {
        let text = prose.get(segment.range).unwrap_or_default();
        let is_block = matches!(segment.kind, SegmentKind::Fence { .. });
        let is_told = move |line: &&str| !is_block || reads_like_the_hosts(line);
        text.lines().filter(is_told)
    });
    told.collect::<Vec<_>>().join("\n")
}

/// Returns the receipts that a reply names and that are neither in `ours` nor in a text of `known`, once each and as
/// written.
pub(in crate::agent::turn) fn unknown_receipts(prose: &str, ours: &[ReceiptId], known: &[&str]) -> Vec<String> {
    let mut seen: BTreeSet<String> = known.iter().flat_map(|text| text.split_whitespace()).map(bare).collect();
    let said: Vec<&str> = prose.split_whitespace().collect();
    let nouns: Vec<String> = Language::all().map(|language| say!(language, "receipt-nouns")).collect();
    let is_noun = |word: &str| nouns.iter().flat_map(|nouns| nouns.split(' ')).any(|noun| noun == word);
    let leads = |word: &&str| word.contains(['✓', '✗', '✔', '✅']) || words(word).any(|word| is_noun(&word));
    let named = said.iter().enumerate().filter_map(|(at, word)| {
        let name = bare(word);
        // Without a digit it is a word whose letters happen to fit.
        let id = ReceiptId::parse(&name).filter(|_| name.contains(|sign: char| sign.is_ascii_digit()))?;
        let is_led = said.get(at.saturating_sub(REACH)..at)?.iter().any(leads);
        (is_led && !ours.contains(&id) && seen.insert(name.clone())).then_some(name)
    });
    named.take(FOUND_MAX).collect()
}

/// Strips the marks around a word and converts it to capitals.
fn bare(word: &str) -> String {
    word.trim_matches(|character: char| !character.is_alphanumeric()).to_uppercase()
}

/// Replaces removed text between words.
const GAP: &str = "\n…\n";

/// The maximum number of calls that are compared with calls that ran and with offers, and of made-up results, because
/// each compiles schemas. All of them are removed.
const CALLS_MAX: usize = 64;

#[derive(Debug, Default, PartialEq)]
pub(in crate::agent::turn) struct ReviewedReply<'a> {
    /// As the model wrote it.
    text: &'a str,
    calls: Vec<ToolText>,
    /// The removed ranges, in bytes of `text`, in order.
    cuts: Vec<Range<usize>>,
    /// The removed text, for the record.
    pub(in crate::agent::turn) stripped: Vec<StrippedText>,
    /// The host's lines under the reply.
    pub(in crate::agent::turn) notes: Vec<String>,
    /// The commands that did not run and that the person may run.
    pub(in crate::agent::turn) offers: Vec<OfferedRun>,
    pub(in crate::agent::turn) findings: Vec<GuardFinding>,
}

impl<'a> ReviewedReply<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// Removes a piece, in bytes, and records it as `kind`. Without a kind it belongs to an earlier piece and is not
    /// recorded again.
    fn cut(&mut self, span: Range<usize>, kind: Option<StrippedKind>) {
        let piece = self.text.get(span.clone()).unwrap_or_default();
        self.stripped.extend(kind.map(|kind| StrippedText::new(kind, piece)));
        let at = self.cuts.partition_point(|cut| cut.start <= span.start);
        self.cuts.insert(at, span);
    }

    /// Adds a line of the host, without duplicates.
    fn note(&mut self, line: String) {
        if !self.notes.contains(&line) {
            self.notes.push(line);
        }
    }

    /// Offers a command with these arguments to the person, if its button can be pressed. A modal asks for the other
    /// arguments.
    fn offer(&mut self, tool: &OfferedTool, arguments: Map<String, Value>) {
        let arguments = tool.offered(arguments);
        let n_shown = match tool.press(&arguments) {
            Press::Runs => arguments.len(),
            Press::Asks(missing) => arguments.len() + missing.len(),
            Press::Impossible => return,
        };
        // A change is shown whole before it runs, so it must fit one modal.
        if tool.chat_only || OFFERS_MAX <= self.offers.len() || tool.writes && MODAL_INPUTS_MAX < n_shown {
            return;
        }
        let offer = OfferedRun { command: tool.path.to_string(), arguments, writes: tool.writes };
        if !self.offers.contains(&offer) {
            self.offers.push(offer);
        }
    }

    /// Returns the shown text without the removed pieces. May be empty. An ellipsis marks a gap between words.
    pub(in crate::agent::turn) fn prose(&self) -> String {
        let end = self.text.len();
        let mut kept = Vec::new();
        let mut behind = 0;
        for cut in self.cuts.iter().chain(std::iter::once(&(end..end))) {
            let piece = self.text.get(behind..cut.start).unwrap_or_default();
            kept.push(piece.trim_end().trim_start_matches(['\n', '\r']));
            behind = behind.max(cut.end);
        }
        kept.retain(|piece| !piece.is_empty());
        kept.join(GAP)
    }

    fn has_lost_a_result(&self) -> bool {
        self.stripped.iter().any(|stripped| stripped.kind == StrippedKind::MadeUpResult.name())
    }
}

/// The keys of a call's answer.
const KEYS_OF_RESULTS: [&str; 6] = ["success", "receipt", "outcome", "result", "output", "status"];

/// The number of leading keys that alone suggest that something ran.
const N_STRONG: usize = 3;

/// Keys by which a result names its tool.
const KEYS_OF_TOOLS: [&str; 3] = ["tool", "tool_name", "function"];

/// The length of text searched in front of a result, and of a result in tags, in bytes.
const LOOK_BACK: usize = 120;
const RESULT_MAX: usize = 16_384;

struct MadeUpResult<'a> {
    /// In bytes of the text.
    span: Range<usize>,
    /// The tool that the result seems to belong to, if known, and its values.
    of: Option<(&'a OfferedTool, Map<String, Value>)>,
}

fn remove_results(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
    if !turn.setup.guard.made_up_results || turn.setup.mode == ToolMode::None {
        return;
    }
    // A made-up result is not a reason to offer a command that removes something. After a run, a result of the same
    // command may be repeated.
    let has_sibling_run =
        |tool: &OfferedTool| turn.ran.iter().any(|ran| ran.call.tool().path.command() == tool.path.command());
    let may_be_meant = |tool: &&OfferedTool| !has_sibling_run(tool) && !tool.removes;
    let idle: Vec<_> = turn.setup.offered.known().filter(may_be_meant).collect();
    for (n, MadeUpResult { span, of }) in made_up_results(reply.text, &idle).into_iter().enumerate() {
        // The cuts are in order: the calls, and the results before this one.
        let next = reply.cuts.get(reply.cuts.partition_point(|cut| cut.end <= span.start));
        if next.is_some_and(|call| call.start < span.end) {
            // It was read as a call, so its tags are removed with the call.
            if of.is_some() {
                reply.cut(span, None);
            }
            continue;
        }
        // Tags name no tool. After a run the model may repeat its result.
        if of.is_none() && !turn.ran.is_empty() {
            continue;
        }
        reply.findings.push(GuardFinding::MadeUpResult);
        reply.cut(span, Some(StrippedKind::MadeUpResult));
        if let Some((tool, arguments)) = of.filter(|_| n < CALLS_MAX) {
            reply.offer(tool, arguments);
        }
    }
}

/// Returns the made-up results in a reply, in order, outside code. `tools` are those that did not run.
fn made_up_results<'a>(reply: &str, tools: &[&'a OfferedTool]) -> Vec<MadeUpResult<'a>> {
    let mut found = Vec::new();
    for segment in segments(reply, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text) {
        let text = reply.get(..segment.range.end).unwrap_or_default();
        let mut at = segment.range.start;
        while let Some(marked) = MARKS.result.captures_at(text, at) {
            let Some(begun) = marked.get(0) else { break };
            let is_tag = marked.name("tag").is_some();
            let is_json = begun.as_str() == "{";
            at = begun.end();
            if is_tag {
                let inside = first_bytes(text.get(at..).unwrap_or_default(), RESULT_MAX);
                let Some(closing) = MARKS.result_end.find(inside) else { continue };
                at += closing.end();
            }
            let json = text.get(begun.start()..at).and_then(|text| text.find('{')).map_or(at, |n| begun.start() + n);
            let read = text.get(json..).and_then(loose_value);
            let end = json + read.as_ref().map_or(1, |read| read.length);
            let is_all = is_json && text.get(json..end).is_some_and(|object| object == reply.trim());
            at = if is_json { end } else { at };
            let labelled = ["named", "called"].map(|group| marked.name(group).map(|name| name.as_str()));
            let by_label = || {
                let tool = tools.iter().find(|tool| labelled.contains(&Some(tool.name.as_str())))?;
                Some((*tool, Map::new()))
            };
            let before = last_bytes(text.get(..begun.start()).unwrap_or_default(), LOOK_BACK);
            let n_before = MARKS.result_front.find(before).map_or(0, |front| front.as_str().trim_start().len());
            let in_front = before.get(..before.len() - n_before).and_then(|before| before.lines().next_back());
            let is_first = in_front.is_none_or(|line| line.trim().is_empty()) || before.ends_with('\n');
            let is_last =
                text.get(end..).and_then(|rest| rest.lines().next()).is_none_or(|rest| rest.trim().is_empty());
            let is_alone = is_first && is_last && !is_all;
            let of = read.and_then(|read| result_of(&read.value, tools, is_alone)).or_else(by_label);
            if of.is_some() || is_tag {
                found.push(MadeUpResult { span: begun.start() - n_before..at, of });
            }
        }
    }
    found
}

/// Returns the tool of a result, with the object's values. The object names the tool and has a key of results, or it
/// has a key such as `success` and two keys of the tool. One such key is enough on a separate line.
fn result_of<'a>(
    value: &Value,
    tools: &[&'a OfferedTool],
    is_alone: bool,
) -> Option<(&'a OfferedTool, Map<String, Value>)> {
    let object = value.as_object()?;
    let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
    let named = KEYS_OF_TOOLS.iter().find_map(|key| object.get(*key)?.as_str());
    let n_own = |tool: &OfferedTool| object.keys().filter(|key| is_key_of(tool, key)).count();
    let is_strong = KEYS_OF_RESULTS.get(..N_STRONG).is_some_and(has);
    let is_its = |tool: &&'a OfferedTool| match named {
        Some(named) => named == tool.name && has(&KEYS_OF_RESULTS),
        None => is_strong && (if is_alone { 1 } else { 2 }) <= n_own(tool),
    };
    // A result with `success` suggests a change.
    let tool = tools.iter().copied().filter(is_its).max_by_key(|tool| (n_own(tool), tool.writes))?;
    let inner = object.get("result").and_then(Value::as_object);
    let values = object.iter().chain(inner.into_iter().flatten());
    Some((tool, values.map(|(key, value)| (key.clone(), value.clone())).collect()))
}

/// Returns whether a key belongs to a tool: the name of an option, or a name that begins with the command's, such as
/// `memory_id`.
fn is_key_of(tool: &OfferedTool, key: &str) -> bool {
    if KEYS_OF_RESULTS.contains(&key) {
        return false;
    }
    let command = tool.path.command();
    let one = command.strip_suffix('s').unwrap_or(command);
    let is_named = |name: &str| key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    tool.property(key).is_some() || is_named(command) || is_named(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_that_is_none_of_the_turn_is_found_however_it_is_written() {
        let ours = [ReceiptId::from_number(1)];
        let real = ours[0].to_string();
        let cases = [
            ("Done, see receipt 7F3K2.", vec!["7F3K2"]),
            ("Done (receipt: `7f3k2`)", vec!["7F3K2"]),
            ("Erledigt, siehe Beleg 7F3K2.", vec!["7F3K2"]),
            ("✓ /status, 7F3K2 and 7F3K5", vec!["7F3K2", "7F3K5"]),
            ("**Receipt** with the id 7F3K2", vec!["7F3K2"]),
            ("You find it under receipt 9ABC1, as you said", vec![]),
            ("The receipt is kept for 90 days in the ledger", vec![]),
            ("I have a receipt generated by nobody", vec![]),
            ("7F3K2 is a nice number", vec![]),
            ("Die Belegschaft umfasst rund 12500 Personen", vec![]),
            ("Der Saal ist belegt: 19H00 bis 21H00", vec![]),
            ("", vec![]),
        ];
        for (prose, expected) in cases {
            assert_eq!(unknown_receipts(prose, &ours, &["what is 9abc1?"]), expected, "{prose}");
        }
        assert_eq!(unknown_receipts(&format!("It ran: receipt {real}."), &ours, &[]), Vec::<String>::new());
    }

    #[test]
    fn inline_code_is_told_and_a_block_where_it_reads_like_the_host() {
        let cases = [
            ("Done (receipt: `7f3k2`)", true),
            ("`\nI've saved it. Receipt 7F3K2\n`", true),
            ("```\nreceipt 7F3K2\n```", false),
        ];
        for (prose, expected) in cases {
            assert_eq!(!unknown_receipts(&told(prose), &[], &[]).is_empty(), expected, "{prose}");
        }
    }

    #[test]
    fn only_so_many_are_returned() {
        let many = "receipt 7F3K1 receipt 7F3K2 receipt 7F3K3 receipt 7F3K4 receipt 7F3K5 receipt 7F3K6";
        assert_eq!(unknown_receipts(many, &[], &[]).len(), FOUND_MAX);
    }
}
