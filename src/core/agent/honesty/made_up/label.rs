//! The labels that made-up results stand behind.

/// How sure a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    /// Nothing but a tool's answer is labelled like that: `Tool Execution:`.
    Tool,
    /// A word that people write too, which counts at the front of a reply and behind other blocks: `Result:`.
    Word,
    /// A word that counts right behind another block alone: `Output:`.
    Adjacent,
}

/// The label a line begins with, and the text behind it. Marks of Markdown around a label do not count, and words in
/// brackets may stand between it and its colon: `**Tool Result (status):**`.
pub(super) fn label(text: &str) -> Option<(Label, &str)> {
    let mut rest = text.trim_start_matches(is_dressing);
    let mut words = Vec::new();
    while words.len() < WORDS_MAX {
        let behind = rest.trim_start_matches(|next: char| next.is_ascii_alphabetic());
        let Some(word) = rest.strip_suffix(behind).filter(|word| (1..=WORD_LENGTH_MAX).contains(&word.len())) else {
            break;
        };
        words.push(word.to_ascii_lowercase());
        rest = behind.trim_start_matches([' ', '_']);
    }
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let label = match words.as_slice() {
        ["tool" | "function", further @ ..] if !further.is_empty() && further.iter().all(is_answer) => Label::Tool,
        ["result" | "results" | "observation" | "observations"] => Label::Word,
        ["output" | "outputs" | "response" | "status" | "parameters" | "arguments" | "input"] => Label::Adjacent,
        _ => return None,
    };
    let rest = behind_brackets(rest.trim_start_matches(is_mark)).trim_start_matches(is_mark);
    let behind = rest.strip_prefix([':', '：'])?;
    Some((label, behind.trim_start_matches(['*', '_', '`'])))
}

/// Words of the longest label.
const WORDS_MAX: usize = 4;
/// Letters of the longest word of a label.
const WORD_LENGTH_MAX: usize = 12;
/// Characters between the brackets behind a label.
const BRACKETS_LENGTH_MAX: usize = 60;

fn is_answer(word: &&str) -> bool {
    matches!(
        *word,
        "call" | "execution" | "output" | "outputs" | "response" | "responses" | "result" | "results" | "return"
    )
}

/// Marks and signs that may stand in front of a label: headings, quotes, emphasis, code, emoji.
fn is_dressing(character: char) -> bool {
    character != '\n'
        && (character.is_whitespace()
            || matches!(character, '#' | '>' | '*' | '_' | '`')
            || (!character.is_ascii() && !character.is_alphanumeric()))
}

fn is_mark(character: char) -> bool {
    matches!(character, ' ' | '*' | '_' | '`')
}

fn behind_brackets(text: &str) -> &str {
    let close = match text.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return text,
    };
    let end = text.char_indices().take(BRACKETS_LENGTH_MAX).find(|(_, character)| *character == close);
    end.and_then(|(at, _)| text.get(at + 1..)).unwrap_or(text)
}

/// The tags that made-up results stand in.
const TAGS: &[&str] = &[
    "function_output",
    "function_response",
    "function_result",
    "function_results",
    "observation",
    "tool_output",
    "tool_outputs",
    "tool_response",
    "tool_responses",
    "tool_result",
    "tool_results",
];

/// A block between tags: what stands inside, and its whole length in bytes.
pub(super) struct Tagged<'a> {
    pub(super) inside: &'a str,
    pub(super) length: usize,
}

/// The tagged block that a line begins with. One that is never closed goes to the end of the text.
pub(super) fn tagged(text: &str) -> Option<Tagged<'_>> {
    let tag = text.trim_start_matches(is_dressing).strip_prefix('<')?;
    let behind = tag.trim_start_matches(|next: char| next.is_ascii_alphabetic() || matches!(next, '_' | '-'));
    let name = tag.strip_suffix(behind).filter(|name| TAGS.iter().any(|known| known.eq_ignore_ascii_case(name)))?;
    if !behind.starts_with(|next: char| next == '>' || next.is_whitespace()) {
        return None;
    }
    let (_, inside) = behind.split_once('>').unwrap_or_default();
    let closing = inside.match_indices("</").find_map(|(at, _)| {
        let found = inside.get(at + 2..at + 2 + name.len())?;
        found.eq_ignore_ascii_case(name).then_some(at)
    });
    let Some((inside, closing)) = closing.and_then(|at| inside.split_at_checked(at)) else {
        return Some(Tagged { inside, length: text.len() });
    };
    let (_, behind) = closing.split_once('>').unwrap_or_default();
    Some(Tagged { inside, length: text.len() - behind.len() })
}

#[cfg(test)]
mod tests {
    use super::{Label, label, tagged};

    #[test]
    fn labels_count_in_any_case_and_dress() {
        let cases = [
            ("Tool Execution: x", Some((Label::Tool, " x"))),
            ("tool result:", Some((Label::Tool, ""))),
            ("Tool_Output: x", Some((Label::Tool, " x"))),
            ("Function Result: x", Some((Label::Tool, " x"))),
            ("Tool Call Result: x", Some((Label::Tool, " x"))),
            ("**Tool Execution:** x", Some((Label::Tool, " x"))),
            ("**Tool Execution**: x", Some((Label::Tool, " x"))),
            ("🔧 Tool Result (`status`): x", Some((Label::Tool, " x"))),
            ("### Result: x", Some((Label::Word, " x"))),
            ("> Result: x", Some((Label::Word, " x"))),
            ("Result：x", Some((Label::Word, "x"))),
            ("RESULTS:", Some((Label::Word, ""))),
            ("Observation: x", Some((Label::Word, " x"))),
            ("Output: x", Some((Label::Adjacent, " x"))),
        ];
        for (line, expected) in cases {
            assert_eq!(label(line), expected, "{line}");
        }
        for line in [
            "As a result: x",
            "The result: x",
            "Result x",
            "## Results",
            "Results of the vote: x",
            "Tool: x",
            "Tool tips: x",
            "Resulting: x",
            "",
            "**",
            "- Result",
        ] {
            assert_eq!(label(line), None, "{line}");
        }
    }

    #[test]
    fn a_tagged_block_goes_to_its_closing_tag_or_to_the_end() {
        let cases = [
            ("<tool_response>a</tool_response>b", Some(("a", "b"))),
            ("<Tool_Response name=\"x\">\na\n</TOOL_RESPONSE > b", Some(("\na\n", " b"))),
            ("> <function_results>a</b></function_results>", Some(("a</b>", ""))),
            ("<tool_result>a", Some(("a", ""))),
            ("<tool_result", None),
            ("<tool_resultx>a", None),
            ("<b>a</b>", None),
            ("a <tool_result>", None),
        ];
        for (text, expected) in cases {
            let found = tagged(text).map(|tagged| (tagged.inside, text.get(tagged.length..).unwrap()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
