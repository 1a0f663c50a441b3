//! A model's thinking in the text of its answer, where some servers leave it.

/// The marks around a model's thinking, where a server leaves it in the text.
const THINKING: &str = "<think>";
const THOUGHT: &str = "</think>";

/// What stands around a mark that is only spoken of.
const QUOTES: [char; 10] = ['`', '"', '\'', '“', '”', '„', '‘', '’', '«', '»'];

/// The text behind a leading `<think>…</think>`, where some servers leave the model's reasoning. Reasoning that never
/// ends leaves nothing. Some templates open it before the answer begins: then only its end is there. Anywhere else the
/// marks are part of the answer.
pub(crate) fn without_thinking(text: &str) -> &str {
    let mut rest = text.trim_start();
    if begins_in_thought(rest)
        && let Some((_, answer)) = rest.split_once(THOUGHT)
    {
        rest = answer.trim_start();
    }
    while let Some(thinking) = rest.strip_prefix(THINKING) {
        rest = thinking.split_once(THOUGHT).map_or("", |(_, answer)| answer).trim_start();
    }
    rest
}

/// The words of an answer that is still being written: without thinking, and without what may become its mark.
pub(crate) fn words_so_far(text: &str) -> &str {
    let words = without_thinking(text).trim();
    if THINKING.starts_with(words) { "" } else { words }
}

/// Whether the text starts inside thinking whose opening mark is missing: some templates write that mark themselves, so
/// that nothing distinguishes it from words until the thinking ends. A mark in quotation marks or in code is part of
/// the words.
pub(crate) fn begins_in_thought(text: &str) -> bool {
    text.split_once(THOUGHT).is_some_and(|(thinking, answer)| {
        let is_quoted = thinking.ends_with(QUOTES) && answer.starts_with(QUOTES);
        let is_within = |mark: &str, before: &str, behind: &str| {
            !before.matches(mark).count().is_multiple_of(2) && behind.contains(mark)
        };
        let line = thinking.rsplit('\n').next().unwrap_or_default();
        let is_in_code =
            is_within("```", thinking, answer) || is_within("`", line, answer.split('\n').next().unwrap_or_default());
        !thinking.contains(THINKING) && !is_quoted && !is_in_code
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_is_certain_to_be_none_of_the_thinking() {
        // A text, whether its thinking began without a mark, and its words so far.
        let cases = [
            ("hello", false, "hello"),
            ("<thi", false, ""),
            ("<think>hm", false, ""),
            ("<think>hm</think> hello", false, "hello"),
            ("hm</think>", true, ""),
            ("hm</think> hello", true, "hello"),
            ("the mark `</think>` stays", false, "the mark `</think>` stays"),
            ("it is written `<a></think>` there", false, "it is written `<a></think>` there"),
            ("I say \"hello\"</think>Hello", true, "Hello"),
            ("hm</think>\"To be\" is a line.", true, "\"To be\" is a line."),
            ("a sketch:\n```\nx</think>Here it is.", true, "Here it is."),
            ("write \"</think>\" at the end", false, "write \"</think>\" at the end"),
            ("```\nhm\n</think>\n```\nis code", false, "```\nhm\n</think>\n```\nis code"),
        ];
        for (text, is_unmarked, words) in cases {
            assert_eq!((begins_in_thought(text), words_so_far(text)), (is_unmarked, words), "{text:?}");
        }
    }
}
