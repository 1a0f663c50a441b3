//! Finds made-up tool results in a reply: in tags that only results have, under a label that names a tool, or as JSON
//! that names a tool or has its keys.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::agent::settings::ToolMode;
use crate::agent::tools::{MARKS, OfferedTool};
use crate::agent::turn::review::facts::Facts;
use crate::agent::turn::review::reply::{CALLS_MAX, ReviewedReply};
use crate::record::{GuardFinding, StrippedKind};
use crate::text::{CodeRules, SegmentKind, first_bytes, last_bytes, loose_value, segments};

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

pub(super) fn check(reply: &mut ReviewedReply<'_>, turn: Facts<'_>) {
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
