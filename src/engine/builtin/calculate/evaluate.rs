//! Evaluates arithmetic, units and dates, exactly where that is possible.
//!
//! The arithmetic is fend's. Some notations mean something else to fend than to people. They are refused (a comma
//! between digits) or rewritten (a date without its sign).

use fend_core::Context;

use crate::builtin::calculate::calculator::{Calculated, NotCalculated};
use crate::builtin::calculate::dates;

/// The longest result that is shown, in characters: a message on Discord has 2,000.
const RESULT_LENGTH_MAX: usize = 1_200;

/// The signs of functions, which are refused: fend never returns from a function that calls itself.
const FUNCTIONS: [&str; 3] = ["\\", "=>", ":"];

/// The words after an `in` that means inches. Before other words, `in` means conversion.
const BEHIND_INCH: [&str; 3] = ["in", "to", "as"];

/// Evaluates an expression in this process, without limits of time, memory and stack. `today` is the current date.
///
/// # Errors
/// Fails if there is no result.
pub fn evaluate(expression: &str, today: &str) -> Result<Calculated, NotCalculated> {
    if has_comma_between_digits(expression) {
        return Err(NotCalculated::Comma);
    }
    if let Some(sign) = FUNCTIONS.into_iter().find(|sign| expression.contains(sign)) {
        return Err(NotCalculated::NoMeaning(sign.to_owned()));
    }
    if let Some(days) = dates::between(expression, today) {
        return Ok(Calculated { value: days, is_exact: true });
    }
    let result = fend_core::evaluate(&dates::marked(&with_inches(expression), today), &mut Context::new());
    let result = match result {
        Ok(result) => result.get_main_result().trim().to_owned(),
        Err(problem) => return Err(why(&problem, expression)),
    };
    let (value, is_exact) = match result.strip_prefix("approx. ") {
        Some(value) => (value.to_owned(), false),
        None => (result, true),
    };
    match value.chars().count() {
        0 => Err(NotCalculated::Nothing),
        length if RESULT_LENGTH_MAX < length => Err(NotCalculated::TooLong(length)),
        _ => Ok(Calculated { value, is_exact }),
    }
}

/// Converts fend's error. Its own texts are for programmers and are not shown.
fn why(problem: &str, expression: &str) -> NotCalculated {
    let quoted = |before: &str| problem.split_once(before)?.1.split('\'').next().map(str::to_owned);
    if problem == "division by zero" {
        return NotCalculated::ByZero;
    }
    if problem.contains(" does not exist, did you mean ") || problem.starts_with("failed to convert '") {
        return NotCalculated::NoSuchDate;
    }
    if let Some(word) = quoted("unknown identifier '") {
        return NotCalculated::UnknownWord(word);
    }
    if has_in_behind_number(expression) {
        return NotCalculated::In;
    }
    match (quoted(": units '"), quoted("' and '")) {
        (Some(from), Some(to)) => NotCalculated::Units(from, to),
        _ => NotCalculated::Problem,
    }
}

/// Replaces an `in` that means inches by `inch`: one after a number, and before a sign, a conversion or the end. `5 in
/// cm` is ambiguous and stays.
fn with_inches(expression: &str) -> String {
    let mut written = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some((before, behind)) = rest.split_once("in") {
        written.push_str(before);
        let next = behind.trim_start().split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
        let is_word = !behind.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let is_unit = is_word
            && written.trim_end().ends_with(|sign: char| sign.is_ascii_digit())
            && (next.is_empty() || BEHIND_INCH.contains(&next));
        written.push_str(if is_unit { "inch" } else { "in" });
        rest = behind;
    }
    written + rest
}

fn has_in_behind_number(expression: &str) -> bool {
    let words: Vec<_> = expression.split_whitespace().collect();
    words
        .windows(2)
        .any(|words| matches!(words, [before, "in"] if before.ends_with(|sign: char| sign.is_ascii_digit())))
}

/// Detects `3,5`, which is three and a half in some languages, and thirty-five for fend.
fn has_comma_between_digits(expression: &str) -> bool {
    let signs: Vec<char> = expression.chars().collect();
    signs.windows(3).any(|signs| matches!(signs, [before, ',', behind] if before.is_numeric() && behind.is_numeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: &str = "2026-11-24";

    fn shown(expression: &str) -> String {
        match evaluate(expression, TODAY) {
            Ok(Calculated { value, is_exact: true }) => format!("= {value}"),
            Ok(Calculated { value, is_exact: false }) => format!("≈ {value}"),
            Err(why) => format!("{why:?}"),
        }
    }

    #[test]
    fn arithmetic_is_exact_or_says_that_it_is_not() {
        for (expression, expected) in [
            ("0.1 + 0.2", "= 0.3"),
            ("12% of 340", "= 40.8"),
            ("2^100", "= 1267650600228229401496703205376"),
            ("1/3", "≈ 0.3333333333"),
            ("(1/7) to fraction", "= 1/7"),
            ("5 km to miles", "≈ 3.1068559612 miles"),
            ("1 GiB to MB", "= 1073.741824 MB"),
            ("100 celsius to fahrenheit", "= 212 fahrenheit"),
        ] {
            assert_eq!(shown(expression), expected, "{expression}");
        }
    }

    #[test]
    fn dates_are_dates_with_or_without_their_sign() {
        for (expression, expected) in [
            ("today", "= Tuesday, 24 November 2026"),
            ("today + 30 days", "= Thursday, 24 December 2026"),
            ("2026-11-24 + 3 days", "= Friday, 27 November 2026"),
            ("@2024-02-28 + 1 day", "= Thursday, 29 February 2024"),
            ("2026-11-24 to 2026-12-24", "= 30 days"),
            ("2026-12-24 - today", "= 30 days"),
            ("today until 2026-01-01", "= -327 days"),
        ] {
            assert_eq!(shown(expression), expected, "{expression}");
        }
        assert_eq!(shown("2026-02-30 + 1 day"), "NoSuchDate");
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        assert_eq!((shown("3,5 + 1"), shown("1,000 * 2")), ("Comma".to_owned(), "Comma".to_owned()));
    }

    #[test]
    fn a_result_that_cannot_be_shown_or_that_is_none_is_refused() {
        assert_eq!(shown("2^10000"), "TooLong(3011)");
        assert_eq!(
            (shown("1/0"), shown(" "), shown("x => x")),
            ("ByZero".into(), "Nothing".into(), "NoMeaning(\"=>\")".into())
        );
        for (none, expected) in [
            ("abc", "UnknownWord(\"abc\")"),
            ("5 km to kg", "Units(\"meter\", \"kilogram\")"),
            ("5 in cm", "In"),
            ("2 +", "Problem"),
            ("random", "UnknownWord(\"random\")"),
            ("10 EUR in USD", "Problem"),
        ] {
            assert_eq!(shown(none), expected, "{none}");
        }
    }

    #[test]
    fn in_is_a_unit_of_length_behind_a_number() {
        for (expression, expected) in [
            ("5 ft 11 in in cm", "= 180.34 cm"),
            ("1 in in cm", "= 2.54 cm"),
            ("2.5in to mm", "= 63.5 mm"),
            ("(3 in) to cm", "= 7.62 cm"),
            ("3 in + 2 cm", "≈ 3.7874015748 inches"),
            ("10 in", "= 10 inches"),
            ("5 km in m", "= 5000 m"),
            ("255 in hex", "= ff"),
            ("3 min in s", "= 180 s"),
        ] {
            assert_eq!(shown(expression), expected, "{expression}");
        }
    }
}
