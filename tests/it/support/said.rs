//! What the bot says, named by the key of its message: a sentence that is put better breaks no test.
//!
//! What each message says stands in one snapshot, in `src/core/tests/check/snapshots/`.

use candor_core::language::Language;

/// What a test cannot know of a message, such as a time: `said!("live-on", seconds = 1, until = ANY)`. Written as it is
/// where that reads better: `"/status ✓ ⋯"`.
pub(crate) const ANY: &str = "⋯";

/// A message in English, `said!("clear-done", n = 4)`, or in another language: `said!(in german(), "clear-nothing")`.
macro_rules! said {
    (in $language:expr, $key:literal $($variables:tt)*) => {
        $crate::support::said::known(candor_core::language::say!($language, $key $($variables)*))
    };
    ($key:literal $($variables:tt)*) => {
        $crate::support::said::said!(in $crate::support::said::ENGLISH, $key $($variables)*)
    };
}
pub(crate) use said;

/// The language of [`said!`] when it names none.
pub(crate) const ENGLISH: Language = Language::ENGLISH;

/// A message that there is: otherwise the test that nobody says it would always hold.
#[track_caller]
pub(crate) fn known(said: String) -> String {
    assert!(!said.starts_with('⟨'), "there is no such message, or it lacks a variable: {said}");
    said
}

/// Whether the message stands in the text, with anything at all where the message has [`ANY`].
pub(crate) fn says(text: impl AsRef<str>, message: impl AsRef<str>) -> bool {
    let mut rest = text.as_ref();
    message.as_ref().split(ANY).all(|piece| match rest.split_once(piece) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// Fails unless the message stands in the text.
#[track_caller]
pub(crate) fn assert_says(text: impl AsRef<str>, message: impl AsRef<str>) {
    let (text, message) = (text.as_ref(), message.as_ref());
    assert!(says(text, message), "`{message}` is not in\n{text}");
}

/// The mark under a model's words of a turn in which no command ran.
pub(crate) fn label() -> String {
    format!("-# {}", mark())
}

/// The same without the prefix of a small line.
pub(crate) fn mark() -> String {
    format!("{} · {}", said!("label-generated"), said!("label-none"))
}

/// The mark of a turn in which these commands ran.
pub(crate) fn label_ran(commands: &str) -> String {
    format!("-# {} · {}", said!("label-generated"), said!("label-ran", commands = commands))
}

/// What a model was shown in front of and with somebody's words, without the host's line that says who asks and where.
pub(crate) fn without_asker(content: &str) -> String {
    let is_own = |line: &str| line.starts_with("[host] \"") && line.contains(" writes ") && line.ends_with(':');
    let names_asker = |line: &str| is_own(line) || line.starts_with("[host] You answer \"");
    let lines: Vec<_> = content.lines().filter(|line| !names_asker(line)).collect();
    lines.join("\n").replace("\n\n\n", "\n\n").trim_start().to_owned()
}

/// The mark while the reply is written.
pub(crate) fn unfinished() -> String {
    format!("-# {} · {}", said!("label-generated"), said!("label-still-writing"))
}

/// The same under message `n` of several.
pub(crate) fn unfinished_of(n: usize, of: usize) -> String {
    format!(
        "-# {} · {} · {}",
        said!("label-generated"),
        said!("label-part", n = n, of = of),
        said!("label-still-writing")
    )
}

/// The mark under message `n` of a reply of several: `-# generated · 2 of 3 · no command ran`.
pub(crate) fn label_of(n: usize, of: usize) -> String {
    format!("-# {} · {} · {}", said!("label-generated"), said!("label-part", n = n, of = of), said!("label-none"))
}

/// The last part of a footer, of a command that ran and has a receipt.
pub(crate) fn receipt() -> String {
    said!("footer-receipt", id = ANY)
}

/// The footer of a command that is done and has a receipt: `✓ /status · receipt 7F3K2`.
pub(crate) fn footer(command: &str) -> String {
    format!("✓ {command} ·{ANY}{}", receipt())
}

/// The id of the receipt that the last footer of a text names.
pub(crate) fn receipt_in(text: impl AsRef<str>, language: Language) -> String {
    let footer = said!(in language, "footer-receipt", id = ANY);
    let (before, _) = footer.split_once(ANY).unwrap();
    let (_, behind) = text.as_ref().rsplit_once(before).unwrap();
    behind.chars().take_while(char::is_ascii_alphanumeric).collect()
}

#[test]
fn what_is_not_known_may_be_anything_and_the_rest_must_stand_there_in_order() {
    assert!(says("live until 10:15: it was ended", "live until ⋯: it was ended"));
    assert!(says("so: a, then b.", "a⋯b"));
    for (text, message) in [("b, then a", "a⋯b"), ("live until 10:15", "live until ⋯: it was ended"), ("aa", "aaa")]
    {
        assert!(!says(text, message), "{text}");
    }
}
