//! Finds figures beside the names of values: `CPU: 23 %`, `1,204 users online`.

use std::sync::LazyLock;

use regex::Regex;

use crate::agent::pattern::pattern;
use crate::agent::turn::review::lexicon::{is_in, list};
use crate::text::{behind, stand_in, words};

/// The most characters of a line that are looked at.
const LINE_MAX: usize = 1_000;

/// The most words and figures between a value's name and its figure.
const FIGURE_REACH: usize = 6;

/// Figures, perhaps of money, words, and signs that stand between a name and its figure.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[$€]?\d(?:[\d.,]*\d)?|[%°][a-z]?|[\p{L}\p{M}](?:[\p{L}\p{M}'’-]*[\p{L}\p{M}])?(?:-?\*)?|[:/=~]")
});

/// Whether one of these names stands beside a figure: one with a unit or a sign of money, or any where the name has
/// several words. A bare figure behind a single word needs a colon or a decimal point.
pub(super) fn has_figure(reply: &str, names: &[String]) -> bool {
    let tokens = |line: &str| TOKEN.find_iter(line).map(|token| token.as_str().to_owned()).collect::<Vec<_>>();
    let names: Vec<_> = names.iter().map(|name| tokens(name).join(" ")).filter(|name| !name.is_empty()).collect();
    !names.is_empty()
        && reply.lines().any(|line| {
            let line: String = line.chars().take(LINE_MAX).flat_map(char::to_lowercase).collect();
            let line = line.replace(['_', '*'], " ");
            let tokens = tokens(&line);
            let is_measured = |name: &String| (0..tokens.len()).any(|at| is_beside(name, &tokens, at));
            names.iter().any(is_measured) && !stand_in(list("typical"), &words(&line).collect::<Vec<_>>())
        })
}

/// Whether the name stands at this place, beside a figure.
fn is_beside(name: &str, tokens: &[String], at: usize) -> bool {
    let Some(behind) = tokens.get(at..).and_then(|tokens| behind(name, tokens)) else { return false };
    let has_words = name.contains(' ');
    let before = |n: usize| at.checked_sub(n).and_then(|before| tokens.get(before)).map_or("", String::as_str);
    // `4.2 GB of RAM`.
    let n_of = usize::from(["of", "de", "an"].contains(&before(1)));
    if has_words && is_figure(before(1)) || is_in("units", before(1 + n_of)) && is_figure(before(2 + n_of)) {
        return true;
    }
    let may_stand_between = |token: &&String| is_figure(token) || is_in("beside_figures", token);
    let n_between = behind.iter().take(FIGURE_REACH).take_while(may_stand_between).count();
    behind.iter().enumerate().take(n_between + 1).filter(|(_, token)| is_figure(token)).any(|(at, figure)| {
        let unit = behind.get(at + 1).map_or(":", String::as_str);
        let is_marked =
            at.checked_sub(1).and_then(|before| behind.get(before)).is_some_and(|it| it == ":" || it == "=");
        let is_bare = !unit.starts_with(char::is_alphabetic) && (figure.contains('.') || is_marked);
        has_words || is_bare || figure.starts_with(['$', '€']) || is_in("units", unit)
    })
}

fn is_figure(token: &str) -> bool {
    token.starts_with(|sign: char| sign.is_ascii_digit() || matches!(sign, '$' | '€'))
}
