//! Works out arithmetic, units and dates for `/calculate`, exactly where that is possible, within a bound of time.
//!
//! The arithmetic is fend's. What it reads otherwise than people mean it is refused or written out before: a comma
//! between digits, and a date without its sign.
#![expect(
    clippy::disallowed_methods,
    reason = "a calculation runs in a thread of its own, whose stack is large, and ends by the clock"
)]

use std::time::{Duration, Instant};

use fend_core::{Context, Interrupt};
use tokio::sync::Semaphore;

use crate::host::builtin::calculate::dates;

/// The longest that one calculation may take. An ordinary one takes less than a millisecond.
const WITHIN: Duration = Duration::from_millis(300);

/// The longest result that is shown, in characters: a message on Discord has 2,000.
const RESULT_LENGTH_MAX: usize = 1_200;

/// The stack of a calculation, in bytes. Memory that it does not touch is not used. 300 brackets or signs, the most
/// that `/calculate` takes, need a tenth of it.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// The signs of functions: fend calls such a one without end if it calls itself, and no stack is deep enough for that.
const FUNCTIONS: [&str; 3] = ["\\", "=>", ":"];

/// How fend says that there is no such number.
const DIVIDED_BY_ZERO: &str = "division by zero";

/// Calculations at once: each may take a processor for [`WITHIN`].
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// What was worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Calculated {
    /// The result.
    pub(super) value: String,
    /// Whether it is exact, and not rounded.
    pub(super) is_exact: bool,
}

/// Why nothing was worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotCalculated {
    /// A comma stands between digits: it may be a decimal point or none.
    Comma,
    /// It takes longer than it may.
    OutOfTime,
    /// The result has so many characters.
    TooLong(usize),
    /// It divides by zero.
    ByZero,
    /// There is nothing in it.
    Nothing,
    /// This sign has no meaning here.
    NoMeaning(&'static str),
    /// It makes no sense, in fend's words, which are English and may hold parts of it. Untrusted.
    Problem(String),
    /// There is no result, and it is not known why.
    Unknown,
}

/// Works an expression out. `today` is the date of this day: `2026-11-24`.
///
/// # Errors
/// If there is no result.
pub(super) async fn calculate(expression: String, today: String) -> Result<Calculated, NotCalculated> {
    // Nothing closes it.
    let _one = AT_ONCE.acquire().await;
    let worked_out = tokio::task::spawn_blocking(move || on_a_deep_stack(&expression, &today)).await;
    worked_out.unwrap_or(Err(NotCalculated::Unknown))
}

/// Works it out in a thread of its own: fend calls itself for each bracket and sign, and a stack that ends ends the
/// bot.
fn on_a_deep_stack(expression: &str, today: &str) -> Result<Calculated, NotCalculated> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("calculate".to_owned()).stack_size(STACK_BYTES);
        let working = thread.spawn_scoped(scope, || work_out(expression, today)).map_err(|_| NotCalculated::Unknown)?;
        working.join().unwrap_or(Err(NotCalculated::Unknown))
    })
}

fn work_out(expression: &str, today: &str) -> Result<Calculated, NotCalculated> {
    if has_comma_between_digits(expression) {
        return Err(NotCalculated::Comma);
    }
    if let Some(sign) = FUNCTIONS.into_iter().find(|sign| expression.contains(sign)) {
        return Err(NotCalculated::NoMeaning(sign));
    }
    if let Some(days) = dates::between(expression, today) {
        return Ok(Calculated { value: days, is_exact: true });
    }
    let mut context = Context::new();
    let end = End(Instant::now() + WITHIN);
    let result = fend_core::evaluate_with_interrupt(&dates::marked(expression, today), &mut context, &end);
    let result = match result {
        Ok(result) => result.get_main_result().trim().to_owned(),
        Err(_) if end.should_interrupt() => return Err(NotCalculated::OutOfTime),
        Err(problem) if problem == DIVIDED_BY_ZERO => return Err(NotCalculated::ByZero),
        Err(problem) => return Err(NotCalculated::Problem(problem)),
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

/// `3,5` is three and a half in some languages, and thirty-five for fend.
fn has_comma_between_digits(expression: &str) -> bool {
    let signs: Vec<char> = expression.chars().collect();
    signs.windows(3).any(|signs| matches!(signs, [before, ',', behind] if before.is_numeric() && behind.is_numeric()))
}

/// When a calculation is given up.
struct End(Instant);

impl Interrupt for End {
    fn should_interrupt(&self) -> bool {
        self.0 <= Instant::now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: &str = "2026-11-24";

    fn shown(expression: &str) -> String {
        match on_a_deep_stack(expression, TODAY) {
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
        assert!(shown("2026-02-30 + 1 day").starts_with("Problem"), "{}", shown("2026-02-30 + 1 day"));
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        assert_eq!((shown("3,5 + 1"), shown("1,000 * 2")), ("Comma".to_owned(), "Comma".to_owned()));
    }

    #[test]
    fn whatever_is_written_ends_in_time_and_in_bounds() {
        let hostile = [
            "9^9^9".to_owned(),
            "99!!".to_owned(),
            "10^-10^8".to_owned(),
            "10^1000000".to_owned(),
            "(".repeat(300),
            format!("{}1", "-".repeat(299)),
            format!("9{}", "!".repeat(299)),
            "9^".repeat(149) + "9",
            "(\\x.x x)(\\x.x x)".to_owned(),
            "(x: x x)(x: x x)".to_owned(),
            "f = (x => f x); f 1".to_owned(),
            "sqrt ".repeat(60),
            format!("{}1", "(-".repeat(149)),
            String::new(),
            "\u{0}\u{202e}".to_owned(),
        ];
        for expression in &hostile {
            let result = on_a_deep_stack(expression, TODAY);
            assert_ne!(result, Err(NotCalculated::Comma), "{expression}");
            if let Ok(Calculated { value, .. }) = result {
                assert!(value.chars().count() <= RESULT_LENGTH_MAX, "{expression}");
            }
        }
        assert_eq!(shown("2^10000"), "TooLong(3011)");
        assert_eq!(
            (shown("1/0"), shown(" "), shown("x => x")),
            ("ByZero".into(), "Nothing".into(), "NoMeaning(\"=>\")".into())
        );
        for none in ["random", "10 EUR to USD", "abc"] {
            assert!(shown(none).starts_with("Problem"), "{}", shown(none));
        }
    }
}
