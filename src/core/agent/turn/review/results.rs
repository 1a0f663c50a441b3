//! Finds made-up tool results in a reply: in tags that only results have, under the label of a tool's result, or as
//! JSON with the keys of a tool's result. The `Result:` of a sum, or JSON that the person asked for, is not one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

use crate::agent::pattern::pattern;
use crate::agent::tools::OfferedTool;
use crate::agent::turn::Turn;
use crate::agent::turn::review::finding::{CALLS_MAX, Finding, fitting};
use crate::agent::turn::review::lexicon::{LEXICON, stand_in, words};
use crate::agent::turn::review::reply::Reply;
use crate::contract::ToolMode;
use crate::record::{GuardFinding, StrippedKind};
use crate::text::{CodeRules, SegmentKind, loose_value, segments};

/// Tags of results.
const TAGS: &str = "(?:tool_(?:response|results?|outputs?)|function_(?:response|results?))";

/// Tags of results, with what is between them.
static TAGGED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"(?is)(?:^|\n)[ \t]*(?:<{TAGS}\b[^<>]*>.*?</{TAGS}>|\[TOOL_RESULTS\].*?\[/TOOL_RESULTS\])"))
});

/// A tag at the start of a reply.
static OPENED: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?is)\A\s*(?:<{TAGS}\b[^<>]*>|\[TOOL_RESULTS\])\s*")));

/// The label of a tool's result at the start of a line, with what is in parentheses behind it, and what is on the line
/// and the lines up to the next blank one.
static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
    let label = r"tool[ _]?(?:execution |call )?(?:result|results|output|response|execution)";
    pattern(&format!(r"(?im)^[>#*_\s]*{label}[*_]*(?: \(([^)\n]*)\))?:[*_]*([^\n]*(?:\n[^\n]+)*)"))
});

/// What may stand around a tool's name.
const AROUND_NAMES: [char; 7] = ['`', '"', '\'', '*', '_', '/', ' '];

/// Keys that an answer to a call has, beside the tool's own.
const KEYS_OF_RESULTS: [&str; 6] = ["success", "result", "outcome", "receipt", "output", "status"];

/// Keys by which a result says whose it is.
const KEYS_OF_TOOLS: [&str; 3] = ["tool", "tool_name", "function"];

/// The most bytes between the start of a line and a result on it.
const LABEL_MAX: usize = 40;

/// A result that a model wrote.
#[derive(Default)]
struct MadeUpResult<'a> {
    /// Where it stands, in bytes.
    span: Range<usize>,
    /// The tool whose result it looks like, if one can be told.
    tool: Option<&'a OfferedTool>,
    /// The values of the result that are also arguments of that tool.
    arguments: Map<String, Value>,
    /// Only a label or the keys suggest a result: it may be an explanation, and stays.
    is_label: bool,
}

/// Finds the results, takes them out and offers their commands.
pub(super) fn check(reply: &Reply<'_>, turn: &Turn) -> Vec<Finding> {
    if !turn.setup.guard.made_up_results || turn.setup.mode == ToolMode::None {
        return Vec::new();
    }
    let idle: Vec<_> = turn.setup.offered.known().filter(|tool| !turn.has_run(tool)).collect();
    // Whoever asks for data gets data.
    let is_asked_for = asks_for_data(&turn.setup.request);
    let finding = |(n, made_up): (usize, MadeUpResult<'_>)| {
        // The calls stand in order, and so do the results: none overlaps another of its kind.
        let next = reply.cuts.get(reply.cuts.partition_point(|call| call.end <= made_up.span.start));
        let is_cut = next.is_some_and(|call| call.start < made_up.span.end);
        match made_up.tool {
            // Its label and what follows go with the call that it was read as.
            Some(_) if is_cut => Some(Finding::default().cutting(made_up.span, None)),
            // A label names no tool: after a run it may retell.
            None if !turn.ran.is_empty() => None,
            _ if is_cut || is_asked_for => None,
            tool => Some(Finding {
                counted: Some(GuardFinding::MadeUpResult),
                cut: (!made_up.is_label).then_some((made_up.span, Some(StrippedKind::MadeUpResult))),
                ..tool
                    .filter(|_| n < CALLS_MAX)
                    .map_or_else(Finding::default, |tool| Finding::offer(tool, fitting(tool, made_up.arguments)))
            }),
        }
    };
    made_up_results(reply.text, &idle).into_iter().enumerate().filter_map(finding).collect()
}

/// Whether a person asks for data or an example of it.
pub(super) fn asks_for_data(request: &str) -> bool {
    stand_in(&LEXICON.data, &words(request).collect::<Vec<_>>())
}

/// The made-up results in a reply, in order. Inside of code there are none. `tools` are those that did not run.
fn made_up_results<'a>(reply: &'a str, tools: &[&'a OfferedTool]) -> Vec<MadeUpResult<'a>> {
    let mut found = Vec::new();
    for segment in segments(reply, CodeRules::Discord).filter(|segment| segment.kind == SegmentKind::Text) {
        let Some(text) = reply.get(segment.range.clone()) else { continue };
        let offset = segment.range.start;
        let read = |text: &str| text.find('{').and_then(|at| sure(text.get(at..)?, tools));
        let tagged = TAGGED.find_iter(text).map(|tag| (tag.range(), read(tag.as_str()).unwrap_or_default()));
        // Without its end, it is as much as can be read.
        let opened = OPENED.find(text).filter(|_| offset == 0).and_then(|tag| {
            let behind = text.get(tag.end()..)?;
            Some((0..tag.end() + loose_value(behind)?.length, sure(behind, tools).unwrap_or_default()))
        });
        let labelled = LABELLED.captures_iter(text).filter_map(|label| {
            let by_name = || Some(MadeUpResult { tool: Some(named(&label, tools)?), ..MadeUpResult::default() });
            let of = read(label.get(2)?.as_str()).or_else(by_name);
            Some((label.get(0)?.range(), of.unwrap_or(MadeUpResult { is_label: true, ..MadeUpResult::default() })))
        });
        let all = tagged.chain(opened).chain(labelled).chain(objects(text, tools));
        found.extend(all.map(|(span, of)| MadeUpResult { span: span.start + offset..span.end + offset, ..of }));
    }
    found.sort_by_key(|made_up| (made_up.span.start, usize::MAX - made_up.span.end));
    let mut behind = 0;
    found.retain(|made_up| {
        let is_new = behind <= made_up.span.start;
        behind = behind.max(made_up.span.end);
        is_new
    });
    found
}

/// The result at the beginning of a text that is marked as one.
fn sure<'a>(text: &str, tools: &[&'a OfferedTool]) -> Option<MadeUpResult<'a>> {
    Some(MadeUpResult { is_label: false, ..result_of(&loose_value(text)?.value, tools, false)? })
}

/// The tool that a label names: `Tool result (status): …`, `Tool execution: tasks_list`. Amid a sentence a name is a
/// word.
fn named<'a>(label: &Captures<'_>, tools: &[&'a OfferedTool]) -> Option<&'a OfferedTool> {
    let beginning = |text: &str, tool: &OfferedTool| {
        let behind = text.trim_start_matches(AROUND_NAMES).strip_prefix(tool.name.as_str())?;
        let behind = behind.trim_start_matches(AROUND_NAMES).trim_start_matches('\r');
        Some(behind.is_empty() || behind.starts_with(['\n', '(', ':', '{', '[', '→']))
    };
    let group = |n| label.get(n).map_or("", |group| group.as_str());
    let is_named = |tool: &OfferedTool| [group(1), group(2)].iter().any(|text| beginning(text, tool) == Some(true));
    tools.iter().find(|tool| is_named(tool)).copied()
}

/// The objects that are a tool's result, each with the label in brackets in front of it.
fn objects<'t: 'a, 'a>(
    text: &'t str,
    tools: &'a [&'t OfferedTool],
) -> impl Iterator<Item = (Range<usize>, MadeUpResult<'t>)> + 'a {
    let mut behind = 0;
    text.match_indices('{').filter_map(move |(at, _)| {
        if at < behind {
            return None;
        }
        let read = loose_value(text.get(at..)?)?;
        behind = at + read.length;
        let of = result_of(&read.value, tools, text.get(at..behind)? == text.trim())?;
        let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let label = text.get(line..at)?.trim();
        let is_label = label.len() <= LABEL_MAX && label.starts_with('[') && !label.contains(char::is_alphabetic);
        Some((if is_label { line } else { at }..behind, of))
    })
}

/// The tool whose result an object is: it names the tool and has a key of results, or it has such a key beside two that
/// the tool declares; amid words one is enough. An object of nothing but declared keys may be one.
fn result_of<'a>(value: &Value, tools: &[&'a OfferedTool], is_whole: bool) -> Option<MadeUpResult<'a>> {
    let object = value.as_object()?;
    let is_result = KEYS_OF_RESULTS.iter().any(|key| object.contains_key(*key));
    let named = KEYS_OF_TOOLS.iter().find_map(|key| object.get(*key)?.as_str());
    let n_own = |tool: &OfferedTool| {
        let own = keys(tool).filter(|(key, _)| object.contains_key(*key) && !KEYS_OF_RESULTS.contains(key));
        own.count()
    };
    let is_its = |tool: &&OfferedTool| match (named, n_own(tool)) {
        (Some(named), _) => named == tool.name && is_result,
        (None, 0) => false,
        (None, 1) => is_result && !is_whole,
        (None, n_own) => is_result || n_own == object.len(),
    };
    let tool = tools.iter().copied().filter(is_its).max_by_key(|tool| {
        let n_options = object.keys().filter(|key| is_option(tool, key)).count();
        // What was done is told as a success, what was looked up by its values.
        (n_own(tool), if is_result { n_options } else { 0 }, tool.writes == is_result)
    })?;
    let inner = object.get("result").and_then(Value::as_object);
    let values = object.iter().chain(inner.into_iter().flatten());
    let option = |key: &str| {
        let other_name = keys(tool).find(|(known, _)| *known == key).and_then(|(_, option)| option);
        other_name.or(Some(key)).filter(|option| is_option(tool, option)).map(str::to_owned)
    };
    let arguments = values.filter_map(|(key, value)| Some((option(key)?, value.clone()))).collect();
    Some(MadeUpResult { tool: Some(tool), arguments, is_label: !is_result, ..MadeUpResult::default() })
}

fn is_option(tool: &OfferedTool, key: &str) -> bool {
    tool.schema.get("properties").and_then(|properties| properties.get(key)).is_some()
}

/// The keys of a tool's result, each with the option that it is another name for: `memory_type = kind`.
fn keys(tool: &OfferedTool) -> impl Iterator<Item = (&str, Option<&str>)> {
    tool.words.results.iter().map(|entry| match entry.split_once('=') {
        Some((key, option)) => (key.trim(), Some(option.trim())),
        None => (entry.as_str(), None),
    })
}
