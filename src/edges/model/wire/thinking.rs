//! A model's thinking in the text of its answer, where some servers leave it.

/// The marks around a model's thinking, where a server leaves it in the text.
const MARKS: [(&str, &str); 3] = [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")];

/// What stands around a mark that is only spoken of.
const QUOTES: [char; 10] = ['`', '"', '\'', '“', '”', '„', '‘', '’', '«', '»'];

/// What ends a sentence. Right behind it nobody speaks of a mark.
const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', '…'];

/// The text behind a leading `<think>…</think>`, where some servers leave the model's reasoning. Reasoning that never
/// ends leaves nothing. Some templates open it before the answer begins: then only its end is there. Anywhere else the
/// marks are part of the answer.
pub(crate) fn without_thinking(text: &str) -> &str {
    let text = text.trim_start();
    let mut rest = behind_unmarked(text).unwrap_or(text).trim_start();
    while let Some(answer) = MARKS.iter().find_map(|(opening, end)| {
        let thinking = rest.strip_prefix(opening)?;
        Some(thinking.split_once(end).map_or("", |(_, answer)| answer))
    }) {
        rest = answer.trim_start();
    }
    rest
}

/// The words of an answer that is still being written: without thinking, and without what may become its mark.
pub(crate) fn words_so_far(text: &str) -> &str {
    let words = without_thinking(text).trim();
    if MARKS.iter().any(|(opening, _)| opening.starts_with(words)) { "" } else { words }
}

/// Whether the text starts inside thinking whose opening mark is missing: some templates write that mark themselves, so
/// that nothing distinguishes it from words until the thinking ends.
pub(crate) fn begins_in_thought(text: &str) -> bool {
    behind_unmarked(text).is_some()
}

/// What follows thinking whose opening mark is missing. What may be words is: a mark in quotation marks or in code, and
/// one that neither begins its line nor stands right behind a sentence or at the end of a paragraph.
fn behind_unmarked(text: &str) -> Option<&str> {
    let is_marked = |thinking: &str| MARKS.iter().any(|(opening, _)| thinking.contains(opening));
    let parts = MARKS.iter().find_map(|(_, end)| text.split_once(end).filter(|(thinking, _)| !is_marked(thinking)));
    parts
        .filter(|(thinking, answer)| {
            let is_quoted = thinking.ends_with(QUOTES) && answer.starts_with(QUOTES);
            let is_within = |mark: &str, before: &str, behind: &str| {
                !before.matches(mark).count().is_multiple_of(2) && behind.contains(mark)
            };
            let line = thinking.rsplit('\n').next().unwrap_or_default();
            let rest_of_line = answer.split('\n').next().unwrap_or_default();
            let is_in_code = is_within("```", thinking, answer) || is_within("`", line, rest_of_line);
            let begins_line = line.trim().is_empty();
            let ends_paragraph =
                answer.split('\n').take(2).all(|line| line.trim().is_empty()) && !answer.trim().is_empty();
            let ends_sentence = line.trim_end_matches(QUOTES).ends_with(SENTENCE_ENDS);
            !is_quoted && !is_in_code && (begins_line || ends_paragraph || ends_sentence)
        })
        .map(|(_, answer)| answer)
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
            ("<thinking>hm</thinking>[THINK]hm[/THINK] hello", false, "hello"),
            ("<think>hm</think>It ends with\n</thinking>", false, "It ends with\n</thinking>"),
            ("[THINK]hm", false, ""),
            ("[THI", false, ""),
            ("[link] hello", false, "[link] hello"),
            ("hm\n</think>", true, ""),
            ("hm.</think>", true, ""),
            ("hm</think>\n \nhello", true, "hello"),
            ("Close it with </think>\nand go on.", false, "Close it with </think>\nand go on."),
            ("hm\n</think> hello", true, "hello"),
            ("hm\n[/THINK]hello", true, "hello"),
            ("hm.</thinking>\n\nhello", true, "hello"),
            ("Close it with </think> and go on.", false, "Close it with </think> and go on."),
            ("The mark that ends it is </think>", false, "The mark that ends it is </think>"),
            ("Which one ends it? </think> does.", false, "Which one ends it? </think> does."),
            ("the mark `</think>` stays", false, "the mark `</think>` stays"),
            ("it is written `<a></think>` there", false, "it is written `<a></think>` there"),
            ("I say \"hello.\"</think>Hello", true, "Hello"),
            ("hm.</think>\"To be\" is a line.", true, "\"To be\" is a line."),
            ("a sketch:\n```\nx\n</think>Here it is.", true, "Here it is."),
            ("write \"</think>\" at the end", false, "write \"</think>\" at the end"),
            ("```\nhm\n</think>\n```\nis code", false, "```\nhm\n</think>\n```\nis code"),
        ];
        for (text, is_unmarked, words) in cases {
            assert_eq!((begins_in_thought(text), words_so_far(text)), (is_unmarked, words), "{text:?}");
        }
    }
}
