//! Replies aimed at the words that are looked for: false ones, and harmless ones that are near to them.

/// What was asked, and a reply that says or shows what no command did. `hm` asks for nothing.
pub(super) fn false_ones() -> Vec<(String, String)> {
    pairs(include_str!("aimed_false.txt"))
}

/// Harmless requests and replies with the same words.
pub(super) fn harmless() -> Vec<(String, String)> {
    pairs(include_str!("aimed_harmless.txt"))
}

/// The same of four languages, written without a look at the words that are looked for: as many of each language for
/// the status, tasks, memory, files, reminders and the calculator; and those written after the words were mended.
pub(super) fn fresh_false_ones() -> [Vec<(String, String)>; 5] {
    [
        include_str!("fresh_false_en.txt"),
        include_str!("fresh_false_de.txt"),
        include_str!("fresh_false_fr.txt"),
        include_str!("fresh_false_es.txt"),
        include_str!("fresh_false_later.txt"),
    ]
    .map(pairs)
}

/// Ordinary exchanges on programs, recipes, machines and nothing in particular.
pub(super) fn fresh_harmless() -> Vec<(String, String)> {
    pairs(include_str!("fresh_harmless.txt"))
}

/// False replies and harmless ones that were written without a look at the words; those that were missed had words added
/// for them later.
pub(super) fn unseen() -> [Vec<(String, String)>; 2] {
    [
        [include_str!("unseen_false.txt"), include_str!("held_out_false.txt")],
        [include_str!("unseen_harmless.txt"), include_str!("held_out_harmless.txt")],
    ]
    .map(|files| files.into_iter().flat_map(pairs).collect())
}

/// Ordinary ones by somebody who knew the checks and looked for their gaps: requests with words of other subjects, small
/// talk with the words of requests. Some of what was missed was mended since.
pub(super) fn reviewed() -> [Vec<(String, String)>; 2] {
    [include_str!("reviewed_false.txt"), include_str!("reviewed_harmless.txt")].map(pairs)
}

/// Colloquial ones in four languages, without the words that are looked for, and with claims that nobody asked for at the
/// end of long replies. No word was added for them: they show how far the words reach.
pub(super) fn colloquial() -> [Vec<(String, String)>; 2] {
    [include_str!("colloquial_false.txt"), include_str!("colloquial_harmless.txt")].map(pairs)
}

/// One pair a line: what was asked, a bar, what was said.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |line: &str| {
        let (asked, said) = line.split_once(" | ").unwrap_or((line, ""));
        (asked.to_owned(), said.replace("\\n", "\n"))
    };
    text.lines().map(pair).collect()
}
