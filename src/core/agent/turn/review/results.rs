//! Finds made-up tool results in a reply: in tags that only results have, under the label of a tool's result, or as
//! JSON with the keys of a tool's result. The `Result:` of a sum, or JSON that the person asked for, is not one.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::tools::{MARKS, OfferedTool};
use crate::agent::turn::Turn;
use crate::agent::turn::review::lexicon::asks_for_data;
use crate::agent::turn::review::reply::{CALLS_MAX, Reply};
use crate::contract::ToolMode;
use crate::record::{GuardFinding, StrippedKind};
use crate::text::{CodeRules, SegmentKind, first_bytes, last_bytes, loose_value, segments};

/// Keys that an answer to a call has, beside the tool's own.
const KEYS_OF_RESULTS: [&str; 6] = ["success", "result", "outcome", "receipt", "output", "status"];

/// Keys by which a result says whose it is.
const KEYS_OF_TOOLS: [&str; 3] = ["tool", "tool_name", "function"];

/// How much of the text in front of a result is looked at, and how much of one in tags, in bytes.
const LOOK_BACK: usize = 120;
const RESULT_MAX: usize = 16_384;

/// A result that a model wrote.
struct MadeUpResult<'a> {
    /// Where it stands, in bytes.
    span: Range<usize>,
    /// The tool whose result it looks like, if one can be told, and the values that are arguments of it.
    of: Option<(&'a OfferedTool, Map<String, Value>)>,
    /// Only a label or the keys suggest a result: it may be an explanation, and stays.
    is_label: bool,
}

/// Finds the results, takes them out and offers their commands.
pub(super) fn check(reply: &mut Reply<'_>, turn: &Turn) {
    if !turn.setup.guard.made_up_results || turn.setup.mode == ToolMode::None {
        return;
    }
    // A result is no reason to offer the removal of anything.
    let may_be_meant = |tool: &&OfferedTool| !turn.has_run(tool) && !tool.takes_away();
    let idle: Vec<_> = turn.setup.offered.commands().filter(may_be_meant).collect();
    // Whoever asks for data gets data.
    let is_asked_for = asks_for_data(&turn.setup.request);
    for (n, MadeUpResult { span, of, is_label }) in made_up_results(reply.text, &idle).into_iter().enumerate() {
        // What was taken out before stands in order: the calls, and the results in front of this one.
        let next = reply.cuts.get(reply.cuts.partition_point(|cut| cut.end <= span.start));
        if next.is_some_and(|call| call.start < span.end) {
            // Its label and what follows go with the call that it was read as.
            if of.is_some() {
                reply.cut(span, None);
            }
            continue;
        }
        // A label names no tool: after a run it may retell.
        if is_asked_for || of.is_none() && !turn.ran.is_empty() {
            continue;
        }
        reply.findings.push(GuardFinding::MadeUpResult);
        if !is_label {
            reply.cut(span, Some(StrippedKind::MadeUpResult));
        }
        if let Some((tool, arguments)) = of.filter(|_| n < CALLS_MAX) {
            reply.offer(tool, arguments);
        }
    }
}

/// The made-up results in a reply, in order. Inside of code there are none. `tools` are those that did not run.
fn made_up_results<'a>(reply: &str, tools: &[&'a OfferedTool]) -> Vec<MadeUpResult<'a>> {
    let mut found = Vec::new();
    for segment in segments(reply, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text) {
        let text = reply.get(..segment.range.end).unwrap_or_default();
        let mut at = segment.range.start;
        while let Some(begun) = MARKS.result.captures_at(text, at) {
            let Some(whole) = begun.get(0) else { break };
            let is_marked = whole.as_str() != "{";
            at = whole.end();
            if begun.name("tag").is_some() {
                let inside = first_bytes(text.get(at..).unwrap_or_default(), RESULT_MAX);
                let Some(closing) = MARKS.result_end.find(inside) else { continue };
                at += closing.end();
            }
            let json = text.get(whole.start()..at).and_then(|text| text.find('{')).map_or(at, |n| whole.start() + n);
            let read = text.get(json..).and_then(loose_value);
            let end = json + read.as_ref().map_or(1, |read| read.length);
            let is_all = !is_marked && text.get(json..end).is_some_and(|object| object == reply.trim());
            at = if is_marked { at } else { end };
            let names = ["named", "called"].map(|group| begun.name(group).map(|name| name.as_str()));
            let by_name = || {
                let tool = tools.iter().find(|tool| names.contains(&Some(tool.name.as_str())))?;
                Some((*tool, Map::new(), true))
            };
            let before = last_bytes(text.get(..whole.start()).unwrap_or_default(), LOOK_BACK);
            let n_before = MARKS.result_front.find(before).map_or(0, |front| front.as_str().trim_start().len());
            let in_front = before.get(..before.len() - n_before).and_then(|before| before.lines().next_back());
            let is_first = in_front.is_none_or(|line| line.trim().is_empty()) || before.ends_with('\n');
            let is_last =
                text.get(end..).and_then(|rest| rest.lines().next()).is_none_or(|rest| rest.trim().is_empty());
            let is_line = is_first && is_last && !is_all;
            let of = read.and_then(|read| result_of(&read.value, tools, is_line)).or_else(by_name);
            if of.is_none() && !is_marked {
                continue;
            }
            let is_label = match &of {
                Some((.., is_result)) => !is_marked && !is_result,
                None => begun.name("label").is_some(),
            };
            let of = of.map(|(tool, arguments, _)| (tool, arguments));
            found.push(MadeUpResult { span: whole.start() - n_before..at, of, is_label });
        }
    }
    found
}

/// The tool whose result an object is: it names the tool and has a key of results, or it has such a key beside two that
/// the tool declares; on a line of its own one is enough, and anywhere one that is no word: `memory_id`. An object of
/// nothing but declared keys may be one, with those of the objects that it lists: then it is not sure.
fn result_of<'a>(
    value: &Value,
    tools: &[&'a OfferedTool],
    is_line: bool,
) -> Option<(&'a OfferedTool, Map<String, Value>, bool)> {
    let object = value.as_object()?;
    let is_result = KEYS_OF_RESULTS.iter().any(|key| object.contains_key(*key));
    let named = KEYS_OF_TOOLS.iter().find_map(|key| object.get(*key)?.as_str());
    let listed = object.values().filter_map(|value| value.as_array()?.first()?.as_object());
    let keys: BTreeSet<_> = object.keys().chain(listed.flat_map(Map::keys)).map(String::as_str).collect();
    let is_own = |(key, _): &(&str, &str)| keys.contains(key) && !KEYS_OF_RESULTS.contains(key);
    let own = |tool: &'a OfferedTool| tool.words.result_keys().filter(is_own);
    let n_own = |tool: &'a OfferedTool| own(tool).count();
    let is_its = |tool: &&'a OfferedTool| match (named, n_own(tool)) {
        (Some(named), _) => named == tool.name && is_result,
        (None, 0) => false,
        (None, 1) => is_result && (is_line || own(tool).any(|(key, _)| key.contains('_'))),
        (None, n_own) => is_result || n_own == keys.len(),
    };
    let tool = tools.iter().copied().filter(is_its).max_by_key(|tool| {
        let n_options = object.keys().filter(|key| tool.property(key).is_some()).count();
        // What was done is told as a success, what was looked up by its values.
        (n_own(tool), if is_result { n_options } else { 0 }, tool.writes == is_result)
    })?;
    let inner = object.get("result").and_then(Value::as_object);
    let values = object.iter().chain(inner.into_iter().flatten());
    let argument = |(key, value): (&String, &Value)| {
        let option =
            tool.words.result_keys().find(|(known, _)| known == key).map_or(key.as_str(), |(_, option)| option);
        (option.to_owned(), value.clone())
    };
    let arguments = values.map(argument).collect();
    Some((tool, arguments, is_result))
}
