//! Formats the arguments of a run for people, from the JSON in its receipt.

use candor_core::language::{Language, say};
use candor_core::record::argument_lines;
use candor_core::text::in_code_span;

/// Returns a line for each option: `title: buy milk`. Truncated arguments are shown as stored.
pub(super) fn shown(kept: &str, language: Language) -> String {
    match argument_lines(kept) {
        Some(lines) if lines.is_empty() => say!(language, "receipt-arguments-none"),
        Some(lines) => lines.iter().map(|line| in_code_span(line)).collect::<Vec<_>>().join("\n"),
        None => in_code_span(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;
    use candor_core::language::{Language, say};

    #[test]
    fn each_argument_has_a_line_and_what_was_cut_is_shown_as_it_is_kept() {
        let none = say!(Language::ENGLISH, "receipt-arguments-none");
        for (kept, expected) in [
            ("{}", none.as_str()),
            (r#"{"id":3,"title":"buy \"milk\" and `bread`"}"#, "`id: 3`\n`title: buy \"milk\" and ˋbreadˋ`"),
            (r#"{"title":"buy mi"#, "`{\"title\":\"buy mi`"),
        ] {
            assert_eq!(shown(kept, Language::ENGLISH), expected, "{kept}");
        }
    }
}
