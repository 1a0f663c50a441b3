//! Removes a model's thinking and its chat template's tokens from the text of an answer, where some servers leave them.
//!
//! They are removed only at the edges of a message. In code or within a sentence they are mentions and stay.

use std::ops::Range;
use std::sync::LazyLock;

use crate::agent::text::Lists;

struct Marks {
    /// The opening and closing marks of thinking.
    thinking: Vec<(&'static str, &'static str)>,
    /// The same of the answer behind it.
    answer: Vec<(&'static str, &'static str)>,
    /// The marks of a channel of thinking, and those that begin the next message.
    channel: &'static [String],
    behind_channel: &'static [String],
    /// The beginning of a channel's header.
    header: &'static str,
    /// The mark of the channel of answers. If no other mark precedes it, all text before it is thinking.
    final_channel: &'static str,
    /// The same for servers that drop the tokens: `analysisWe need …assistantfinalFour.`
    bare_channel: &'static str,
    bare_final: &'static str,
    bare_call: &'static str,
    front: &'static [String],
    ends: &'static [String],
    others_turn: &'static [String],
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::read(include_str!("thinking.toml")));

static MARKS: LazyLock<Marks> = LazyLock::new(|| {
    let one = |name| LISTS.get(name).first().map_or("", String::as_str);
    let pairs = |name| LISTS.get(name).iter().filter_map(|marks| marks.split_once(" … ")).collect();
    Marks {
        thinking: pairs("thinking"),
        answer: pairs("answer"),
        channel: LISTS.get("channel"),
        behind_channel: LISTS.get("behind_channel"),
        header: one("header"),
        final_channel: one("final_channel"),
        bare_channel: one("bare_channel"),
        bare_final: one("bare_final"),
        bare_call: one("bare_call"),
        front: LISTS.get("front"),
        ends: LISTS.get("ends"),
        others_turn: LISTS.get("others_turn"),
    }
});

fn all(marks: &'static [String]) -> impl Iterator<Item = &'static str> {
    marks.iter().map(String::as_str)
}

/// Characters around a mark that is only mentioned.
const QUOTES: [char; 10] = ['`', '"', '\'', '“', '”', '„', '‘', '’', '«', '»'];

/// Sentence ends. A mark right behind one is not a mention.
const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', '…'];

/// Returns the text without thinking and tokens at its start, and without tokens at its end. Unfinished thinking leaves
/// nothing. Some templates open the thinking before the answer begins, so only its closing mark is present.
///
/// The mark of the channel of answers stays in front of JSON: see `final_words`.
pub fn without_thinking(text: &str) -> &str {
    // Has the same byte offsets as the text.
    let lower = text.to_ascii_lowercase();
    let begin = begin(text, &lower);
    let rest = lower.get(begin..).unwrap_or_default();
    text.get(begin..begin + end(rest)).unwrap_or_default()
}

/// Returns the words behind the final channel's mark. They hold no calls. `None` if the text has no such mark.
pub(crate) fn final_words(text: &str) -> Option<&str> {
    let (front, words) = text.split_at_checked(MARKS.final_channel.len())?;
    front.eq_ignore_ascii_case(MARKS.final_channel).then_some(words)
}

/// Returns the words of an unfinished answer, without thinking and without text that may still become a mark.
pub fn words_so_far(text: &str) -> &str {
    let words = without_thinking(text).trim();
    let words = final_words(words).unwrap_or(words);
    let lower = words.to_ascii_lowercase();
    let pairs = MARKS.thinking.iter().chain(&MARKS.answer).map(|(opening, _)| *opening);
    let mut marks = pairs.chain(all(MARKS.front)).chain(all(MARKS.channel)).chain([MARKS.bare_channel]);
    let is_open_tag = |mark: &str| begins_tag(&lower, mark).is_some_and(|rest| !rest.contains('>'));
    if lower.starts_with(MARKS.header) || marks.any(|mark| mark.starts_with(&lower) || is_open_tag(mark)) {
        return "";
    }
    let half = |mark: &str| (1..mark.len()).rev().find(|&at| mark.get(..at).is_some_and(|half| lower.ends_with(half)));
    let n_held = ends().chain(all(MARKS.others_turn)).filter_map(half).max().unwrap_or(0);
    let certain = lower.get(..lower.len() - n_held).unwrap_or_default();
    words.get(..end(certain)).unwrap_or_default()
}

/// Returns whether the text starts inside thinking that has no opening mark. Some templates write that mark themselves;
/// then nothing distinguishes thinking from words until it ends.
pub fn begins_in_thought(text: &str) -> bool {
    behind_unmarked(&text.to_ascii_lowercase()).is_some()
}

/// The marks at the end of an answer.
fn ends() -> impl Iterator<Item = &'static str> {
    all(MARKS.ends).chain(MARKS.answer.iter().map(|(_, end)| *end))
}

/// Returns the offset at which the answer begins.
fn begin(text: &str, lower: &str) -> usize {
    let mut rest = behind_unmarked(lower).unwrap_or(lower).trim_start_matches(is_blank);
    loop {
        if rest.len() < lower.trim_start_matches(is_blank).len()
            && let Some(behind) = MARKS.answer.iter().find_map(|(opening, _)| rest.strip_prefix(opening))
        {
            rest = behind.trim_start();
        }
        let original = text.get(text.len() - rest.len()..).unwrap_or_default();
        let behind = behind_front(rest).or_else(|| behind_thinking(rest)).or_else(|| behind_header(rest));
        let behind = behind.or_else(|| behind_bare(original, rest));
        let Some(behind) = behind else { return text.len() - rest.len() };
        rest = behind.trim_start();
    }
}

/// White space, or a byte order mark.
fn is_blank(sign: char) -> bool {
    sign.is_whitespace() || sign == '\u{feff}'
}

/// Returns the text behind the name of this opening tag, if attributes follow it: `<think time="3">`.
fn begins_tag<'a>(rest: &'a str, opening: &str) -> Option<&'a str> {
    let name = opening.strip_prefix('<').filter(|name| !name.starts_with('|'))?.strip_suffix('>')?;
    rest.strip_prefix('<')?.strip_prefix(name).filter(|rest| rest.starts_with(' '))
}

/// Returns the text behind an opening mark, which may be a tag with attributes.
fn behind_opening<'a>(rest: &'a str, opening: &str) -> Option<&'a str> {
    let behind_attributes = || {
        let (attributes, behind) = begins_tag(rest, opening)?.split_once('>')?;
        (attributes.contains('=') && !attributes.contains(['<', '\n'])).then_some(behind)
    };
    rest.strip_prefix(opening).or_else(behind_attributes)
}

fn behind_all_front(text: &str) -> &str {
    let behind = std::iter::successors(Some(text.trim_start()), |rest| behind_front(rest).map(str::trim_start));
    behind.last().unwrap_or_default()
}

fn behind_front(rest: &str) -> Option<&str> {
    let behind = all(MARKS.front).find_map(|mark| rest.strip_prefix(mark))?;
    // `<s>` may also be struck out text in HTML. The channel of answers says that JSON in it is not a call. The reader
    // of calls decides that, so the mark stays.
    let is_json = rest.starts_with(MARKS.final_channel) && behind.trim_start().starts_with(['{', '[']);
    let is_html =
        rest.starts_with("<s>") && behind.trim_end().find("</s>").is_some_and(|at| at + 4 < behind.trim_end().len());
    (!is_html && !is_json).then_some(behind)
}

fn behind_thinking(rest: &str) -> Option<&str> {
    // A channel with ` to=` may contain a call.
    let channel = all(MARKS.channel).find_map(|mark| rest.strip_prefix(mark)).filter(|rest| !rest.starts_with(" to="));
    if let Some(thinking) = channel {
        let next = all(MARKS.behind_channel).filter_map(|mark| thinking.find(mark)).min();
        return Some(next.and_then(|at| thinking.get(at..)).unwrap_or_default());
    }
    MARKS.thinking.iter().find_map(|(opening, end)| {
        let thinking = behind_opening(rest, opening)?;
        let (thinking, answer) = split_at_end(thinking, opening, end).unwrap_or((thinking, ""));
        // "<think> and </think> are tags" mentions both marks.
        let is_named = thinking.starts_with(' ') && thinking.ends_with(' ') && thinking.split(' ').count() <= 4;
        let goes_on = answer.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
        (!(is_named && goes_on)).then_some(answer)
    })
}

/// Splits the text at the end of thinking. Thinking may contain thinking.
fn split_at_end<'a>(text: &'a str, opening: &str, end: &str) -> Option<(&'a str, &'a str)> {
    let parts = || text.match_indices(end).filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + end.len()..)?)));
    let is_outer = |(thinking, _): &(&str, &str)| thinking.matches(opening).count() == thinking.matches(end).count();
    parts().find(is_outer).or_else(|| parts().next())
}

/// Returns the text after the header of an unknown channel: `<|channel|>comment<|message|>`, or a header that
/// breaks off at the next token.
fn behind_header(rest: &str) -> Option<&str> {
    let header = rest.strip_prefix(MARKS.header)?;
    let (name, behind) = header.split_at_checked(header.find("<|")?)?;
    // Half a token may still become the mark of the answer.
    behind.find("|>")?;
    let is_call = name.contains("to=") && !name.trim_end().ends_with("to=assistant");
    let is_answer = rest.starts_with(MARKS.final_channel);
    (!is_call && !is_answer).then(|| behind.strip_prefix("<|message|>").unwrap_or(behind))
}

/// Returns the text behind thinking whose tokens were dropped. `original` has the case of the letters: only a capital,
/// as in `analysisWe`, distinguishes the channel from an ordinary word.
fn behind_bare<'a>(original: &str, rest: &'a str) -> Option<&'a str> {
    let thinking = rest.strip_prefix(MARKS.bare_channel)?;
    let answer = thinking.split_once(MARKS.bare_final).map(|(_, answer)| answer);
    let call = thinking.find(MARKS.bare_call).and_then(|at| thinking.get(at..));
    let is_channel =
        original.strip_prefix(MARKS.bare_channel).is_some_and(|behind| behind.starts_with(char::is_uppercase));
    answer.or(call).or(is_channel.then_some(""))
}

/// Returns the text behind thinking that has no opening mark. A mark is taken for a mention in quotation marks and in
/// code. The same holds if it neither begins its line, nor follows a sentence, nor ends a paragraph.
fn behind_unmarked(text: &str) -> Option<&str> {
    if let Some((thinking, answer)) = text.split_once(MARKS.final_channel) {
        // A call in another channel is not thinking.
        let is_word = is_quoted(thinking, answer) || is_in_code(thinking, answer);
        let is_marked = all(MARKS.channel).any(|mark| thinking.contains(mark)) || thinking.contains(" to=");
        let has_words = !behind_all_front(thinking).is_empty();
        return (!is_word && !is_marked && has_words).then_some(answer);
    }
    let is_marked = |thinking: &str| MARKS.thinking.iter().any(|(opening, _)| thinking.contains(opening));
    // A template's token is never written as a word.
    let parts = MARKS.thinking.iter().find_map(|(_, end)| {
        let (thinking, answer) = text.split_once(end).filter(|(thinking, _)| !is_marked(thinking))?;
        Some((thinking, answer, end.starts_with("<|")))
    });
    parts
        .filter(|(thinking, answer, is_token)| {
            let line = thinking.rsplit('\n').next().unwrap_or_default();
            let begins_line = line.trim().is_empty();
            let ends_paragraph =
                answer.split('\n').take(2).all(|line| line.trim().is_empty()) && !answer.trim().is_empty();
            let ends_sentence = line.trim_end_matches(QUOTES).ends_with(SENTENCE_ENDS);
            let is_word = is_quoted(thinking, answer) || is_in_code(thinking, answer);
            !is_word && (*is_token && !answer.trim().is_empty() || begins_line || ends_paragraph || ends_sentence)
        })
        .map(|(_, answer, _)| answer)
}

fn is_quoted(before: &str, behind: &str) -> bool {
    before.ends_with(QUOTES) && behind.starts_with(QUOTES)
}

fn is_in_code(before: &str, behind: &str) -> bool {
    let is_within = |mark: &str, before: &str, behind: &str| {
        !before.matches(mark).count().is_multiple_of(2) && behind.contains(mark)
    };
    let line = before.rsplit('\n').next().unwrap_or_default();
    let rest_of_line = behind.split('\n').next().unwrap_or_default();
    is_within("```", before, behind) || is_within("`", line, rest_of_line)
}

/// Returns the offset at which the answer ends.
fn end(lower: &str) -> usize {
    let mut rest = lower.get(..others_turn(lower)).unwrap_or_default().trim_end();
    // The longest mark counts: some end like others.
    while let Some(before) = ends().filter_map(|mark| rest.strip_suffix(mark)).min_by_key(|before| before.len()) {
        let last = before.trim_end_matches(' ');
        let is_word =
            last.len() < before.len() && last.ends_with(|sign: char| sign.is_alphanumeric() || ":,".contains(sign));
        // It closes a tag within the answer.
        let mut pairs = MARKS.answer.iter().chain([&("<s>", "</s>")]);
        let is_html = pairs.any(|(opening, end)| rest.ends_with(end) && before.contains(opening));
        if is_word || is_html {
            break;
        }
        rest = before.trim_end();
    }
    rest.len()
}

/// Returns the offset at which the model acts out another speaker's turn, or the whole length.
fn others_turn(lower: &str) -> usize {
    let turn = all(MARKS.others_turn).filter_map(|mark| lower.find(mark).map(|at| (at, mark))).min();
    let is_acted = |&(at, mark): &(usize, &str)| {
        let Range { start, end } = at..at + mark.len();
        let before = lower.get(..start).unwrap_or_default();
        let behind = lower.get(end..).unwrap_or_default();
        let own = before.trim_end();
        let ends = self::ends().any(|end| own.strip_suffix(end).is_some_and(|words| !words.trim().is_empty()));
        ends && !is_in_code(before, behind)
    };
    turn.filter(is_acted).map_or(lower.len(), |(at, _)| at)
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
            ("<|think|>hm<|end|><|begin|>assistant<|content|>hello<|end|>", false, "hello"),
            ("<|think|>hm<|/think|>hello", false, "hello"),
            ("<|think|>hm", false, ""),
            ("<|channel|>comment<|message|>hello", false, "hello"),
            ("<|channel|>??<|end|><|start|>assistant<|channel|>analysis<|message|>hm", false, ""),
            (
                "<|channel|>commentary to=assistant<|channel|>analysis<|message|>hm<|end|><|start|>assistant\
                 <|channel|>final<|message|>hello",
                false,
                "hello",
            ),
            ("<|channel|>commentary to=python<|message|>hello", false, ""),
            ("<think>hm</think>It ends with\n</thinking>", false, "It ends with\n</thinking>"),
            ("[THINK]hm", false, ""),
            ("[THI", false, ""),
            ("[link] hello", false, "[link] hello"),
            ("hm\n</think>", true, ""),
            ("hm.</think>", true, ""),
            ("hm</think>\n \nhello", true, "hello"),
            ("hm.</REASONING>hello", true, "hello"),
            ("hm<|end|><|start|>assistant<|channel|>final<|message|>hello", true, "hello"),
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

    /// Every form of every table, and no piece of it while it arrives.
    #[test]
    fn thinking_and_tokens_at_the_edges_are_never_shown() {
        let thinking = MARKS.thinking.iter().flat_map(|(opening, end)| {
            let upper = format!("{}HIDDEN{}Four.", opening.to_uppercase(), end.to_uppercase());
            [format!("{opening}\nHIDDEN\n{end}\n\nFour."), upper]
        });
        let front = all(MARKS.front).map(|mark| format!("{mark}Four."));
        let ends =
            all(MARKS.ends).flat_map(|mark| [format!("Four.{mark}"), format!("Four.\n{}\n", mark.to_uppercase())]);
        let turns = all(MARKS.others_turn).map(|mark| format!("Four.<|im_end|>\n{mark}\nHIDDEN"));
        let written = [
            "<|channel|>analysis<|message|>HIDDEN<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>",
            "<|start|>assistant<|channel|>analysis<|message|>HIDDEN<|channel|>final<|message|>Four.",
            "analysisWe say HIDDEN.assistantfinalFour.",
            "<|START_THINKING|>HIDDEN<|END_THINKING|><|START_RESPONSE|>Four.<|END_RESPONSE|>",
            "<|im_start|>assistant\n<think>HIDDEN</think>Four.<|im_end|>\n<|endoftext|>",
            "<s>Four.</s>",
            "Assistant: Four.",
            "\u{feff}<think time=\"3\">HIDDEN</think>Four.",
            "<details type=\"reasoning\" done=\"true\"><summary>HIDDEN</summary>HIDDEN</details>Four.",
            "<think>HIDDEN says <think> opens it.</think>Four.",
            "<think>HIDDEN</think>\n<answer>\nFour.\n</answer>",
            "<Thought>HIDDEN</Thought><Output>Four.</Output></s>",
            "<think>HIDDEN</think><|begin_of_box|>Four.<|end_of_box|>",
        ];
        let all = thinking.chain(front).chain(ends).chain(turns).chain(written.map(str::to_owned));
        for text in all {
            assert_eq!(without_thinking(&text).trim(), "Four.", "{text:?}");
            for (at, _) in text.char_indices() {
                let words = words_so_far(text.get(..at).unwrap());
                assert!("Four.".starts_with(words), "{words:?} of {text:?}");
            }
        }
        assert_eq!(without_thinking("HIDDEN.\n</think>\n<response>Four.</response>").trim(), "Four.");
        // Until its last mark arrives, thinking within thinking cannot be told from an answer.
        assert_eq!(without_thinking("<think>HIDDEN <think>HIDDEN</think> HIDDEN</think>Four."), "Four.");
        // JSON in the final channel is not a call. Its mark stays, so the reader of calls can tell.
        let data = "<|channel|>analysis<|message|>HIDDEN<|end|><|start|>assistant<|channel|>FINAL<|message|>{\"a\": 1}";
        assert_eq!(final_words(without_thinking(data)), Some("{\"a\": 1}"));
        assert_eq!(words_so_far(data), "{\"a\": 1}");
        let call = "<|channel|>analysis to=functions.status<|message|>{}";
        assert_eq!(without_thinking(call), call);
        let token = "HIDDEN in a line<|close|>think<|sep|><|open|>response<|sep|>Four.<|close|>response<|sep|>";
        assert_eq!(without_thinking(token), "Four.");
        // Thinking that never ends, and a call behind it.
        assert_eq!(without_thinking("analysisWe wonder HIDDEN"), "");
        let call = "<|channel|>commentary to=functions.status<|message|>{}";
        assert!(without_thinking(&format!("<|channel|>analysis<|message|>HIDDEN<|end|>{call}")).ends_with(call));
    }

    #[test]
    fn marks_in_code_and_amid_words_stay() {
        let texts = [
            "Use `<think>draft</think>` as the tag.",
            "`<think>` opens it.",
            "A model writes <think>draft</think> first.",
            "<think> and </think> are tags.",
            "```xml\n<THINK>x</THINK>\n```",
            "```\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>user\n```\nis ChatML.",
            "The template ends a turn with <|im_end|>",
            "It ends with `<|im_end|>`",
            "It is \"</s>\"",
            "Write <s>old</s>",
            "<s>old</s> is struck out.",
            "Analysis: it is fine.",
            "analysis of the figures",
            "assistants help.",
            "It says `<|channel|>final<|message|>`.",
            "<answer>a tag</answer>",
            "<think tank> is a name.",
            "It prints <output>a</output>",
        ];
        for text in texts {
            assert_eq!(without_thinking(text), text);
        }
    }
}
