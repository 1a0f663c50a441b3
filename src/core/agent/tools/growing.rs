//! Decides whether a partly written reply may still become a tool call. Words are shown as they grow, calls are not.

use crate::agent::tools::protocol::{self, ProtocolReading};
use crate::agent::tools::tool_text::{ToolNames, find_tool_text};
use crate::text::{first_bytes, loose_value};

/// The maximum length of a name, tag or first line before the decision, in bytes.
const NAME_MAX: usize = 128;

/// Characters allowed in front of a call on its line: marks of code, lists and quotes, and symbols that models write.
const MARKS: &str = "`~'\"*_#>-🔧🛠\u{fe0f}";

/// Parts of the tag of a call.
const TAG_WORDS: [&str; 4] = ["tool", "function", "invoke", "call"];

/// First words of a line that leads to a call.
const LABELS: [&str; 18] = [
    "action",
    "api",
    "assistant",
    "await",
    "call",
    "calling",
    "commentary",
    "default_api",
    "executing",
    "function",
    "functions",
    "function_name",
    "functools",
    "name",
    "print",
    "tool",
    "tool_name",
    "tools",
];

/// Words allowed between a tool's name and its arguments.
const BETWEEN: [&str; 7] = ["json", "action", "arguments", "parameters", "args", "input", "with"];

/// Returns whether the beginning of a message may still become a call. False is final: no further text changes it. Text
/// that names none of this bot's tools counts as words, in any form.
pub fn may_become_call(text: &str, names: &ToolNames<'_>) -> bool {
    let mut rest = text.trim_start();
    loop {
        let Some(first) = rest.chars().next() else { return true };
        rest = match first {
            '<' => return may_be_tag(rest, names),
            '[' if may_be_mark(rest) => return true,
            '{' | '[' => return may_be_json(rest, names),
            '`' | '~' if rest.starts_with("```") || rest.starts_with("~~~") => match rest.split_once('\n') {
                Some((_, body)) => body.trim_start(),
                // A value may follow on the line of the fence.
                None => match rest.find(['{', '[']) {
                    Some(at) => rest.get(at..).unwrap_or_default(),
                    None => return rest.len() < NAME_MAX,
                },
            },
            mark if MARKS.contains(mark) => rest.get(mark.len_utf8()..).unwrap_or_default().trim_start(),
            _ => return may_be_named(rest, names),
        };
    }
}

/// Checks a tag such as `<tool_call>` or `<status>`.
fn may_be_tag(text: &str, names: &ToolNames<'_>) -> bool {
    let Some((tag, _)) = text.split_once('>') else { return text.len() < NAME_MAX && !text.contains('\n') };
    let name = tag.trim_start_matches(['<', '|', '｜', '/']);
    let tag = name.to_lowercase();
    // Words never begin with a template's token.
    text.starts_with("<|")
        || text.starts_with("<｜")
        || tag.starts_with("?xml")
        || TAG_WORDS.iter().any(|word| tag.contains(word))
        || names.contains(name)
}

/// Checks a mark such as `[TOOL_CALLS]`, or the beginning of one.
fn may_be_mark(text: &str) -> bool {
    let mark = first_bytes(text, "[TOOL_CALL".len()).to_uppercase();
    "[TOOL_CALL".starts_with(&mark)
}

/// Checks an object or a list, which is certain once it is whole.
fn may_be_json(text: &str, names: &ToolNames<'_>) -> bool {
    !is_closed(text)
        || loose_value(text).is_some_and(|read| read.is_cut)
        || protocol::read(text) != ProtocolReading::Prose
        || !find_tool_text(text, names).is_empty()
}

/// Returns whether the first bracket of a text is closed, judging by double quotes.
fn is_closed(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for sign in text.chars() {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '{' | '[' if !is_quoted => depth += 1,
            '}' | ']' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return true;
        }
    }
    false
}

/// Checks a tool's name, or a word that leads to one.
fn may_be_named(text: &str, names: &ToolNames<'_>) -> bool {
    let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || "_-.\\".contains(sign);
    let behind = text.trim_start_matches(is_of_name);
    let word = text.strip_suffix(behind).unwrap_or_default();
    if behind.is_empty() {
        return word.len() < NAME_MAX;
    }
    let next = behind.trim_start_matches([' ', '\t']);
    // A namespace may precede the name, up to each of its dots.
    let starts = std::iter::once(0).chain(word.match_indices('.').map(|(at, _)| at + 1));
    let mut named = starts.filter_map(|at| Some(at + names.at(text, at)?.1));
    if let Some(end) = named.find(|end| word.len() <= *end) {
        // `status is fine` is words.
        let next_word = next.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        let is_between = BETWEEN.iter().any(|between| between.starts_with(&next_word));
        return end == word.len() && (next.len() == behind.len() || is_between);
    }
    if !LABELS.contains(&word.to_lowercase().trim_end_matches('.')) && !next.starts_with('=') {
        return false;
    }
    // `Action: status`, `x = status()`: the whole line is needed.
    let line = first_bytes(text, NAME_MAX);
    let is_whole = line.contains('\n') || NAME_MAX <= text.len();
    !is_whole || line.contains("```") || line.char_indices().any(|(at, _)| names.at(text, at).is_some())
}

#[cfg(test)]
mod tests {
    use super::{ToolNames, may_become_call};

    fn names() -> ToolNames<'static> {
        ["status", "tasks_add", "tasks_list"].into_iter().collect()
    }

    #[test]
    fn words_are_known_as_such_as_soon_as_they_are() {
        // What is still open, and the first character with which it is not.
        let cases = [
            ("Hello", ", "),
            ("All", " "),
            ("status", " is fine"),
            ("Status", ":"),
            ("**", "Bold "),
            ("- milk", "\n"),
            ("1", ")"),
            ("`x", "`"),
            ("```rust\nlet", " "),
            ("<b", ">"),
            ("<@1", ">"),
            ("[this", "](https://example.org)"),
            ("{\"name\": \"Anna\", \"age\": 30", "}"),
            ("```json\n[{\"a\": 1}, {\"a\": 2}", "]"),
            ("Functions of one variable, such as these, are the first that any student me", "ets.\n"),
            ("", "é"),
        ];
        for (open, more) in cases {
            assert!(may_become_call(open, &names()), "{open:?} may still become a call");
            let known = format!("{open}{more}");
            assert!(!may_become_call(&known, &names()), "{known:?} is words");
        }
    }

    #[test]
    fn a_call_of_another_program_is_words() {
        for text in ["{\"name\": \"get_weather\", \"arguments\": {}}", "get_weather(city=\"Rome\")"] {
            assert!(!may_become_call(text, &names()), "{text}");
        }
    }
}
