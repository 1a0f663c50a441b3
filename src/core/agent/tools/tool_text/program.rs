//! Calls written as in a program: `tasks_add(title="milk")`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::agent::pattern::pattern;
use crate::agent::tools::offer::UNNAMED;
use crate::agent::tools::tool_text::call::{Core, TextCall};
use crate::agent::tools::tool_text::wrapping::is_between;
use crate::text::{Form, last_bytes, loose_arguments};

/// What may stand in front of a call on its line: marks of a list or of code, an opening bracket, a program's ways to
/// name where a function comes from.
static IN_FRONT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"^\s*(?:<[^<>\n]*>\s*)?(?:[-*>]\s+|\d+[.)]\s+|>>>\s*)*[`'"\[]*\s*(?:print\(|await\s+|call\s*:?\s+|\w+\s*=\s+|(?:default_api|functions|tools|api)\.)*$"#,
    )
});

/// The part of the last line before a call that is looked at, in bytes.
const LOOK_BACK: usize = 120;

/// The call of the tool that is named at this place. `behind` is where the last call ended: a call may also follow it
/// on its line.
pub(super) fn call(text: &str, name: &str, place: Range<usize>, behind: usize) -> Option<Core> {
    let (arguments, length, form) = arguments(text.get(place.end..)?)?;
    let seen = last_bytes(text.get(..place.start)?, LOOK_BACK);
    let line = match seen.rsplit_once('\n') {
        Some((_, line)) => Some(line),
        // The whole line must be seen.
        None => (seen.len() == place.start).then_some(seen),
    };
    let is_in_front = line.is_some_and(|line| IN_FRONT.is_match(line));
    let is_next = 0 < behind && text.get(behind..place.start).is_some_and(is_between);
    let call = TextCall { name: name.to_owned(), arguments };
    (is_in_front || is_next).then(|| Core {
        span: place.start..place.end + length,
        calls: vec![call],
        form,
        is_program: true,
    })
}

/// A text that is one call.
pub(super) fn whole(text: &str, is_tool: &dyn Fn(&str) -> bool) -> Option<TextCall> {
    let (name, _) = text.trim().split_once('(')?;
    let (arguments, length, form) = arguments(text.trim().get(name.len()..)?)?;
    let is_whole = name.len() + length == text.trim().len() && form < Form::Guess && !arguments.contains_key(UNNAMED);
    let name = name.replace('\\', "");
    (is_whole && is_tool(&name)).then_some(TextCall { name, arguments })
}

/// The arguments in round brackets at the beginning of a text, and their length.
fn arguments(text: &str) -> Option<(Map<String, Value>, usize, Form)> {
    let read = loose_arguments(text)?;
    let Value::Object(arguments) = read.value else { return None };
    // Not closed: nobody knows what was to follow.
    let form = if read.is_cut { Form::Guess } else { read.form };
    Some((arguments, read.length, form))
}
