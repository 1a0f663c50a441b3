//! Tool calls written as a tag, marker or label, then a name and arguments.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::agent::pattern::pattern;
use crate::agent::tools::tool_text::call::{Core, TextCall};
use crate::text::{Form, first_bytes, last_bytes, loose_value};

/// What makes the name behind it a call, whatever follows.
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i)(?:<(?:\w+:)?function=["']?|<[|｜]?[\w:｜|]*invoke name=["']?|<function name=["']?|<tool name=["']?|to=(?:functions\.)?|\[TOOL_CALLS\]\s*|(?:function)?<[|｜][^<>\n]{0,40}(?:tool|call|python)[^<>\n]{0,40}>\s*(?:call:)?(?:functions\.)?|<tool_call>\s*|(?:^|\n)[\s>*_#`🔧🛠-]*(?:action|tool call|function call|calling(?: the)?(?: tool| function)?|tool(?: execution)?|function)\s*:?[\s*_`"]*:[\s*_`"]*|(?:^|\n)[\s🔧🛠]*(?:calling tool|executing command):?\s*[`"]*)$"#,
    )
});

/// The start of a line: a name there is a call if an object follows it.
static LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|\n)[\s>*`-]*(?:functions\.)?$"));

/// What may stand between a name and its arguments.
static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^(?i:\\?["'`>\]*]|\s|:\d+|:|<[^<>\n]{0,60}>|\[ARGS\]|```\w*|json|action input|arguments|parameters|args|input|with)*"#,
    )
});

/// One argument in tags.
static ARGUMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r#"(?s)^[\s>"']*(?:<(?:\w+:|｜DSML｜)?parameter(?:=| name=)["']?([\w-]+)["']?[^<>]*>(.*?)</(?:\w+:|｜DSML｜)?parameter>"#,
        r"|<arg_key>(.*?)</arg_key>\s*<arg_value>(.*?)</arg_value>)",
    ))
});

/// How much of the text in front of a name is looked at, in bytes.
const LOOK_BACK: usize = 80;

/// The longest text between a name and its arguments, in bytes.
const BETWEEN_MAX: usize = 160;

/// The call of the tool that is named at this place.
pub(super) fn call(text: &str, name: &str, place: Range<usize>) -> Option<Core> {
    let before = last_bytes(text.get(..place.start)?, LOOK_BACK);
    let mark = MARK.find(before);
    if mark.is_none() && !LINE.is_match(before) {
        return None;
    }
    let behind = text.get(place.end..)?;
    let between = BETWEEN.find(first_bytes(behind, BETWEEN_MAX)).map_or(0, |between| between.end());
    let start = mark.map_or(place.start, |mark| place.start - before.len() + mark.start());
    let core = |arguments, end, form| {
        let calls = vec![TextCall { name: name.to_owned(), arguments }];
        Some(Core { span: start..end, calls, form, is_program: false })
    };
    if let Some(read) = behind.get(between..).and_then(loose_value)
        && let Value::Object(arguments) = read.value
    {
        let end = between + read.length;
        // The fence that was opened in between.
        let rest = behind.get(end..).unwrap_or_default();
        let is_fenced = behind.get(..between).is_some_and(|between| between.contains("```"));
        let closed = rest.trim_start().strip_prefix("```").filter(|_| is_fenced).unwrap_or(rest);
        return core(arguments, place.end + end + (rest.len() - closed.len()), read.form);
    }
    let mark = mark?.as_str();
    let (arguments, length) = in_tags(behind);
    match arguments.is_empty() {
        false => core(arguments, place.end + length, Form::Unique),
        // The name alone, with what closes it.
        true => {
            let closed = behind.trim_start_matches(['"', '\'', '`', '*']);
            let closed = closed.strip_prefix('>').unwrap_or(closed);
            // A tag is no word, as a label is.
            let form = if mark.contains(['<', '[']) { Form::Unique } else { Form::Guess };
            core(arguments, text.len() - closed.len(), form)
        }
    }
}

/// Arguments in tags, one behind the other, and their length.
fn in_tags(text: &str) -> (Map<String, Value>, usize) {
    let mut arguments = Map::new();
    let mut rest = text;
    while let Some(found) = ARGUMENT.captures(rest) {
        let part = |at: usize| found.get(at).map(|part| part.as_str().trim());
        let (Some(key), Some(value)) = (part(1).or(part(3)), part(2).or(part(4))) else { break };
        arguments.insert(key.to_owned(), Value::String(value.to_owned()));
        rest = rest.get(found.get(0).map_or(0, |whole| whole.end())..).unwrap_or_default();
    }
    (arguments, text.len() - rest.len())
}
