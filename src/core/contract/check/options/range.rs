//! Checks bounds: within Discord's limits, no wider than the handler's, and minimum not above maximum.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::contract::check::findings::Findings;
use crate::contract::limits;
use crate::contract::manifest::{Figure, WrittenOption};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;

/// Minimum and maximum; `None` is unbounded.
type Ends<N> = (Option<N>, Option<N>);

pub(crate) fn of_lengths((min, max): Ends<u16>, written: &WrittenOption, found: &mut Findings) -> Ends<u16> {
    let lower = Bound { key: "min_length", written: written.min_length.clone(), discord: limits::MIN_LENGTH };
    let upper = Bound { key: "max_length", written: written.max_length.clone(), discord: limits::MAX_LENGTH };
    let (min, max) = narrow((min.map(i64::from), max.map(i64::from)), lower, upper, found);
    let length = |end: Option<i64>| end.and_then(|end| u16::try_from(end).ok());
    (length(min), length(max))
}

pub(crate) fn of_integers(own: Ends<i64>, written: &WrittenOption, found: &mut Findings) -> Ends<i64> {
    let lower = Bound { key: "min", written: whole("min", written.min.as_ref(), found), discord: limits::INTEGER };
    let upper = Bound { key: "max", written: whole("max", written.max.as_ref(), found), discord: limits::INTEGER };
    narrow(own, lower, upper, found)
}

pub(crate) fn of_numbers(own: Ends<f64>, written: &WrittenOption, found: &mut Findings) -> Ends<f64> {
    let lower = Bound { key: "min", written: written.min.as_ref().map(real), discord: limits::NUMBER };
    let upper = Bound { key: "max", written: written.max.as_ref().map(real), discord: limits::NUMBER };
    narrow(own, lower, upper, found)
}

/// A bound from the manifest, with the range that Discord accepts for it.
struct Bound<N> {
    key: &'static str,
    written: Option<Spanned<N>>,
    discord: RangeInclusive<N>,
}

fn whole(key: &str, figure: Option<&Spanned<Figure>>, found: &mut Findings) -> Option<Spanned<i64>> {
    let Spanned { value, span } = figure?;
    match value {
        Figure::Whole(number) => Some(Spanned { value: *number, span: span.clone() }),
        Figure::Real(number) => {
            found.at(Code::ManifestWrongType, span).report(
                format!("`{key}` of a whole number takes a whole number, but this is {number}"),
                "write it without a fraction",
            );
            None
        }
    }
}

fn real(figure: &Spanned<Figure>) -> Spanned<f64> {
    Spanned { value: figure.value.real(), span: figure.span.clone() }
}

fn narrow<N: PartialOrd + Display + Copy>(
    (min, max): Ends<N>,
    lower: Bound<N>,
    upper: Bound<N>,
    found: &mut Findings,
) -> Ends<N> {
    let new_min = accept(&lower, min, |new, old| new < old, "at least", found);
    let new_max = accept(&upper, max, |new, old| old < new, "at most", found);
    let ends = (new_min.or(min), new_max.or(max));
    let (Some(lowest), Some(highest)) = ends else {
        return ends;
    };
    if highest < lowest {
        report_empty(&lower, &upper, lowest, highest, found);
    }
    ends
}

/// Returns the manifest's bound if Discord and the handler accept it. `widens` compares it with the handler's own.
fn accept<N: PartialOrd + Display + Copy>(
    bound: &Bound<N>,
    own: Option<N>,
    widens: impl Fn(N, N) -> bool,
    words: &str,
    found: &mut Findings,
) -> Option<N> {
    let Spanned { value, span } = bound.written.as_ref()?;
    let key = bound.key;
    if !bound.discord.contains(value) {
        found.at(Code::OptionBounds, span).report(
            format!("`{key}` is beyond what Discord accepts"),
            format!("write a number from {} to {}", bound.discord.start(), bound.discord.end()),
        );
        return None;
    }
    match own.filter(|own| widens(*value, *own)) {
        Some(own) => {
            found.at(Code::HandlerSignatureMismatch, span).label(format!("the handler takes {words} {own}")).report(
                format!("`{key} = {value}` allows more than the handler takes"),
                format!("write `{key} = {own}`, or take the key out; a manifest may only narrow"),
            );
            None
        }
        None => Some(*value),
    }
}

fn report_empty<N: Display>(lower: &Bound<N>, upper: &Bound<N>, lowest: N, highest: N, found: &mut Findings) {
    let message = format!("no value is at least {lowest} and at most {highest}");
    let help = format!("write a `{}` that is not above `{}`", lower.key, upper.key);
    match (&lower.written, &upper.written) {
        (Some(low), Some(high)) => found
            .at(Code::OptionBounds, &low.span)
            .label("the smallest")
            .also(&high.span, "the largest")
            .report(message, help),
        (Some(only), None) | (None, Some(only)) => found.at(Code::OptionBounds, &only.span).report(message, help),
        // Reading the signature already rejected ranges without any value.
        (None, None) => {}
    }
}
