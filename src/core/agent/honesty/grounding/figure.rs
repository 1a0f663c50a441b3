//! Figures, however they are written.

/// A figure of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// What it may mean: `1,234` is a thousand, or one and a bit.
    pub(super) readings: Vec<Reading>,
    /// Its unit in lower case, or nothing.
    pub(super) unit: String,
    /// Digits before the decimals.
    n_digits: usize,
}

/// A value as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// Never negative: signs are read as dashes too often.
    pub(super) value: f64,
    /// Decimals written.
    pub(super) n_decimals: i32,
}

/// What a token is, as to figures.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read {
    /// One figure, or several: `10-20`, `3.1/24`.
    Figures(Vec<Figure>),
    /// Digits that are no one number: a version, a network address, a long id.
    Exact,
    /// None.
    Other,
}

/// Digits that a floating-point number holds without loss.
const DIGITS_MAX: usize = 15;
/// Letters of the longest unit right behind a figure.
const UNIT_LENGTH_MAX: usize = 5;

/// Reads a token. `next` is the word behind it, which may be its unit.
pub(super) fn read(token: &str, next: &str) -> Read {
    // Around the clock: nobody's figure.
    if token == "24/7" {
        return Read::Other;
    }
    if let Some(read) = read_one(token, next) {
        return read;
    }
    let mut figures = Vec::new();
    for part in token.split(['-', '/', 'x', '×', ':']) {
        match read_one(part, next) {
            Some(Read::Figures(found)) => figures.extend(found),
            Some(Read::Exact) => return Read::Exact,
            Some(Read::Other) | None => return Read::Other,
        }
    }
    Read::Figures(figures)
}

fn read_one(token: &str, next: &str) -> Option<Read> {
    let number_on = token.trim_start_matches(['$', '€', '£']);
    let unit = number_on.trim_start_matches(|part: char| part.is_ascii_digit() || is_mark(part));
    let digits = number_on.strip_suffix(unit)?;
    if !digits.starts_with(|first: char| first.is_ascii_digit()) || !is_unit(unit) {
        return None;
    }
    if matches!(unit, "st" | "nd" | "rd" | "th") {
        return Some(Read::Other);
    }
    let digits = digits.trim_end_matches(is_mark);
    let n_digits = digits.chars().filter(char::is_ascii_digit).count();
    let readings = if n_digits <= DIGITS_MAX { readings(digits) } else { Vec::new() };
    if readings.is_empty() {
        return Some(Read::Exact);
    }
    let unit = match (unit, number_on.len() < token.len()) {
        ("", true) => "currency".to_owned(),
        ("", false) if is_known_unit(&next.to_lowercase()) => next.to_lowercase(),
        _ => unit.to_lowercase(),
    };
    let n_digits = digits.split(is_mark).next().map_or(0, str::len).max(readings.len());
    Some(Read::Figures(vec![Figure { readings, unit, n_digits }]))
}

impl Figure {
    /// Whether it says enough to be looked for: small counts without a unit do not.
    pub(super) fn counts(&self) -> bool {
        let has_decimals = self.readings.iter().any(|reading| reading.n_decimals != 0);
        1 < self.n_digits || has_decimals || is_known_unit(&self.unit)
    }

    /// What one of its unit is in the units that a known number may be in.
    pub(super) fn factors(&self) -> &'static [f64] {
        match self.unit.as_str() {
            "%" | "percent" => &[1.0, 0.01],
            "k" | "kb" | "kib" => &[1.0, 1e3, 1024.0],
            "m" | "mb" | "mib" => &[1.0, 1e6, 1_048_576.0],
            "gb" | "gib" => &[1.0, 1e9, 1_073_741_824.0],
            "tb" | "tib" => &[1.0, 1e12, 1_099_511_627_776.0],
            "ms" => &[1.0, 1e-3],
            "s" | "sec" | "second" | "seconds" => &[1.0, 1e3],
            "min" | "minute" | "minutes" => &[1.0, 60.0],
            "h" | "hour" | "hours" => &[1.0, 3_600.0],
            "d" | "day" | "days" => &[1.0, 86_400.0],
            _ => &[1.0],
        }
    }
}

/// The values a number may have. Empty if it is no number.
pub(super) fn readings(number: &str) -> Vec<Reading> {
    let plain: String = number.chars().filter(|part| part.is_ascii_digit() || matches!(part, ',' | '.')).collect();
    let n_commas = plain.matches(',').count();
    let n_dots = plain.matches('.').count();
    let whole = |mark: char| is_in_thousands(&plain, mark).then(|| value(&plain.replace(mark, ""))).flatten();
    let decimal = |mark: char, thousands: char| {
        let (before, after) = plain.rsplit_once(mark)?;
        let is_right = !before.contains(thousands) || is_in_thousands(before, thousands);
        is_right.then(|| value(&format!("{}.{after}", before.replace(thousands, "")))).flatten()
    };
    let found = match (n_commas, n_dots) {
        (0, 0) => vec![value(&plain)],
        (1, 0) => vec![whole(','), decimal(',', '.')],
        (0, 1) => vec![decimal('.', ','), whole('.')],
        (_, 0) => vec![whole(',')],
        (0, _) => vec![whole('.')],
        (_, 1) if plain.rfind(',') < plain.rfind('.') => vec![decimal('.', ',')],
        (1, _) if plain.rfind('.') < plain.rfind(',') => vec![decimal(',', '.')],
        _ => Vec::new(),
    };
    found.into_iter().flatten().collect()
}

fn value(plain: &str) -> Option<Reading> {
    let n_decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some(Reading { value: plain.parse().ok()?, n_decimals: i32::try_from(n_decimals).ok()? })
}

/// Whether marks part a number into groups of three digits.
fn is_in_thousands(number: &str, mark: char) -> bool {
    let mut groups = number.split(mark);
    let first = groups.next().map_or(0, str::len);
    let mut rest = groups.peekable();
    (1..=3).contains(&first)
        && rest.peek().is_some()
        && rest.all(|group| group.len() == 3 && !group.contains(['.', ',']))
}

fn is_mark(character: char) -> bool {
    matches!(character, '.' | ',' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Letters that may stand right behind a figure.
fn is_unit(text: &str) -> bool {
    let letters = text.strip_prefix('°').unwrap_or(text);
    let letters = letters.strip_suffix("/s").unwrap_or(letters);
    letters == "%" || (letters.len() <= UNIT_LENGTH_MAX && letters.chars().all(char::is_alphabetic))
}

/// Units that make a figure of a single digit.
fn is_known_unit(unit: &str) -> bool {
    matches!(
        unit,
        "%" | "percent"
            | "°c"
            | "°f"
            | "b"
            | "byte"
            | "bytes"
            | "k"
            | "kb"
            | "kib"
            | "mb"
            | "mib"
            | "gb"
            | "gib"
            | "tb"
            | "tib"
            | "kb/s"
            | "mb/s"
            | "gb/s"
            | "ms"
            | "s"
            | "sec"
            | "second"
            | "seconds"
            | "min"
            | "minute"
            | "minutes"
            | "h"
            | "hour"
            | "hours"
            | "day"
            | "days"
            | "week"
            | "weeks"
            | "hz"
            | "mhz"
            | "ghz"
            | "w"
            | "kwh"
            | "v"
            | "kg"
            | "km"
            | "cm"
            | "mm"
            | "eur"
            | "usd"
            | "gbp"
            | "euros"
            | "dollars"
            | "currency"
    )
}

#[cfg(test)]
mod tests {
    use super::{Read, read, readings};

    #[test]
    fn a_number_is_read_in_every_way_it_may_be_meant() {
        let cases: [(&str, &[(f64, i32)]); 14] = [
            ("12", &[(12.0, 0)]),
            ("12.5", &[(12.5, 1)]),
            ("12,5", &[(12.5, 1)]),
            ("12.50", &[(12.5, 2)]),
            ("1,234", &[(1234.0, 0), (1.234, 3)]),
            ("1.234", &[(1.234, 3), (1234.0, 0)]),
            ("1,234,567", &[(1_234_567.0, 0)]),
            ("1.234.567", &[(1_234_567.0, 0)]),
            ("1,234.5", &[(1234.5, 1)]),
            ("1.234,5", &[(1234.5, 1)]),
            ("1\u{a0}234", &[(1234.0, 0)]),
            ("1.2.3", &[]),
            ("1,2,3", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = readings(text).iter().map(|reading| (reading.value, reading.n_decimals)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn figures_are_told_from_other_tokens() {
        let count = |token: &str, next: &str| match read(token, next) {
            Read::Figures(figures) => Some(figures.iter().filter(|figure| figure.counts()).count()),
            Read::Exact => None,
            Read::Other => Some(0),
        };
        let figures =
            ["12", "5%", "3.1", "24GiB", "$5", "1,000", "64bit", "3MB/s", "05"].map(|token| count(token, "of"));
        assert_eq!(figures, [Some(1); 9]);
        assert_eq!(
            [count("5", "GiB"), count("5", "%"), count("5", "apples"), count("5", "")].map(Option::unwrap),
            [1, 1, 0, 0]
        );
        assert_eq!([count("10-20", ""), count("3.1/24.0", ""), count("1920x1080", "")].map(Option::unwrap), [2, 2, 2]);
        for other in ["21st", "7F3K2", "3D", "5", "24/7", "abc", "12abcdefg", "v1", "%"] {
            assert_eq!(count(other, ""), Some(0), "{other}");
        }
        for exact in ["1.2.3", "10.0.0.1", "123456789012345678"] {
            assert_eq!(read(exact, ""), Read::Exact, "{exact}");
        }
    }
}
