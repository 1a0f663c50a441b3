//! Formats values for people: numbers with units, everything else in a few words.

use std::sync::LazyLock;

use candor_core::language::{self, Language, Texts, say_from};
use candor_core::text::one_line;
use serde_json::{Number, Value};

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// The most characters of a text that are shown.
const TEXT_LENGTH_MAX: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit<'a> {
    Plain,
    Percent,
    /// Bytes, shown by powers of 1,024.
    Bytes,
    BytesPerSecond,
    Seconds,
    /// The operator's own unit, put after the number.
    Text(&'a str),
}

/// Key endings that name a unit. Longer ones come first.
const ENDINGS: [(&str, Unit<'static>); 4] = [
    ("_bytes_per_second", Unit::BytesPerSecond),
    ("_bytes", Unit::Bytes),
    ("_percent", Unit::Percent),
    ("_seconds", Unit::Seconds),
];

/// Abbreviations that are written in capitals.
const ABBREVIATIONS: [&str; 12] = ["api", "cpu", "db", "dns", "gpu", "http", "id", "io", "ip", "ram", "ssd", "url"];

impl<'a> Unit<'a> {
    pub(super) fn of_key(key: &str) -> Self {
        ENDINGS.into_iter().find(|(ending, _)| key.ends_with(ending)).map_or(Self::Plain, |(_, unit)| unit)
    }

    /// Returns the unit as a word that [`Unit::of_text`] can read.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Plain => "",
            Self::Percent => "%",
            Self::Bytes => "bytes",
            Self::BytesPerSecond => "bytes/s",
            Self::Seconds => "seconds",
            Self::Text(text) => text,
        }
    }

    pub(super) fn of_text(text: &'a str) -> Self {
        match text {
            "" => Self::Plain,
            "%" => Self::Percent,
            "bytes" => Self::Bytes,
            "bytes/s" => Self::BytesPerSecond,
            "seconds" => Self::Seconds,
            other => Self::Text(other),
        }
    }
}

fn own_name(key: &str, language: Language) -> Option<String> {
    Some(match key {
        "cores" => say_from!(TEXTS, language, "name-cores"),
        "cpu" => say_from!(TEXTS, language, "name-cpu"),
        "disk" => say_from!(TEXTS, language, "name-disk"),
        "fifteen" => say_from!(TEXTS, language, "name-fifteen"),
        "five" => say_from!(TEXTS, language, "name-five"),
        "load" => say_from!(TEXTS, language, "name-load"),
        "memory" => say_from!(TEXTS, language, "name-memory"),
        "network" => say_from!(TEXTS, language, "name-network"),
        "one" => say_from!(TEXTS, language, "name-one"),
        "received" => say_from!(TEXTS, language, "name-received"),
        "receiving" => say_from!(TEXTS, language, "name-receiving"),
        "sending" => say_from!(TEXTS, language, "name-sending"),
        "sent" => say_from!(TEXTS, language, "name-sent"),
        "total" => say_from!(TEXTS, language, "name-total"),
        "uptime" => say_from!(TEXTS, language, "name-uptime"),
        "usage" => say_from!(TEXTS, language, "name-usage"),
        "used" => say_from!(TEXTS, language, "name-used"),
        _ => return None,
    })
}

/// Makes a display name from a key, without its unit.
pub(super) fn name_of(key: &str, language: Language) -> String {
    let ending = ENDINGS.into_iter().find_map(|(ending, _)| key.strip_suffix(ending));
    let bare = ending.filter(|bare| !bare.is_empty()).unwrap_or(key);
    if let Some(name) = own_name(bare, language) {
        return name;
    }
    let words: Vec<_> = bare.split(['_', '-', '.', ' ']).filter(|word| !word.is_empty()).map(spelled).collect();
    let mut letters = words.join(" ");
    if let Some(first) = letters.chars().next() {
        letters.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
        return letters;
    }
    "(no name)".to_owned()
}

fn spelled(word: &str) -> String {
    if ABBREVIATIONS.contains(&word) { word.to_uppercase() } else { word.to_owned() }
}

/// Formats a value in a few words. Everything except numbers is untrusted text.
pub(super) fn value(value: &Value, unit: Unit<'_>, language: Language) -> String {
    match value {
        Value::Number(number) => self::number(number, unit, language),
        Value::String(text) if text.trim().is_empty() => say_from!(TEXTS, language, "empty"),
        Value::String(text) => one_line(text, TEXT_LENGTH_MAX),
        Value::Bool(true) => say_from!(TEXTS, language, "yes"),
        Value::Bool(false) => say_from!(TEXTS, language, "no"),
        Value::Null => say_from!(TEXTS, language, "no-value"),
        Value::Array(items) => list(items, unit, language),
        Value::Object(entries) => say_from!(TEXTS, language, "entries", n = entries.len()),
    }
}

/// Formats a part of a whole in the unit that suits the whole: `3.1 of 24.0 GiB`. `None` if the numbers are not a part
/// and its whole.
pub(super) fn part_of(part: f64, whole: f64, language: Language) -> Option<String> {
    if part < 0.0 || whole <= 0.0 {
        return None;
    }
    let scale = Scale::of(whole);
    // A small part of a large whole would be shown as 0.
    let vanishes = 0.0 < part && part / scale.bytes < 0.05;
    Some(if vanishes {
        say_from!(TEXTS, language, "part", part = bytes(part, language), whole = bytes(whole, language))
    } else {
        let whole = format!("{} {}", scale.amount(whole, language), scale.name);
        say_from!(TEXTS, language, "part", part = scale.amount(part, language), whole = whole)
    })
}

/// Formats a duration in its two largest units: `3 h 12 min`.
pub(super) fn span(seconds: f64, language: Language) -> String {
    if seconds < 0.0 {
        return format!("-{}", span(-seconds, language));
    }
    // Below a minute, fractions count; a duration longer than the age of any machine is a mistake.
    if !(60.0..1e12).contains(&seconds) {
        return format!("{} s", decimals(seconds, language));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 60 and 10^12")]
    let whole = seconds.round() as u64;
    let (large, small) = match whole {
        0..3_600 => (format!("{} min", whole / 60), (whole % 60, "s")),
        3_600..86_400 => (format!("{} h", whole / 3_600), (whole % 3_600 / 60, "min")),
        _ => (say_from!(TEXTS, language, "days", n = whole / 86_400), (whole % 86_400 / 3_600, "h")),
    };
    match small {
        (0, _) => large,
        (amount, unit) => format!("{large} {amount} {unit}"),
    }
}

fn number(number: &Number, unit: Unit<'_>, language: Language) -> String {
    let approximate = number.as_f64().unwrap_or_default();
    match unit {
        Unit::Plain => plain(number, language),
        Unit::Percent => format!("{} %", plain(number, language)),
        Unit::Bytes => bytes(approximate, language),
        Unit::BytesPerSecond => format!("{}/s", bytes(approximate, language)),
        Unit::Seconds => span(approximate, language),
        Unit::Text(text) => format!("{} {}", plain(number, language), one_line(text, TEXT_LENGTH_MAX)),
    }
}

/// Formats whole numbers in full, others with two decimals.
fn plain(number: &Number, language: Language) -> String {
    match number.as_f64() {
        Some(fraction) if number.is_f64() => decimals(fraction, language),
        _ => number.to_string(),
    }
}

fn decimals(number: f64, language: Language) -> String {
    let size = number.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    // Two decimals would show these numbers as 0, or fill a line with zeros.
    if !(0.005..1e15).contains(&size) {
        return language::number(&format!("{number:.1e}"), language);
    }
    let text = format!("{number:.2}");
    language::number(text.trim_end_matches('0').trim_end_matches('.'), language)
}

fn bytes(number: f64, language: Language) -> String {
    // A size beyond a million EiB is a mistake and would fill a line with digits.
    if 1e24 < number.abs() {
        return format!("{} B", decimals(number, language));
    }
    let scale = Scale::of(number.abs());
    format!("{} {}", scale.amount(number, language), scale.name)
}

/// A power of 1,024.
#[derive(Clone, Copy)]
struct Scale {
    bytes: f64,
    name: &'static str,
    digits: usize,
}

impl Scale {
    /// Returns the largest unit in which the value is at least 1 after rounding.
    fn of(bytes: f64) -> Self {
        let mut scale = Self { bytes: 1.0, name: "B", digits: 0 };
        for name in ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] {
            let rounds_up_at = if scale.digits == 0 { 1_023.5 } else { 1_023.95 };
            if bytes / scale.bytes < rounds_up_at {
                break;
            }
            scale = Self { bytes: scale.bytes * 1_024.0, name, digits: 1 };
        }
        scale
    }

    fn amount(self, bytes: f64, language: Language) -> String {
        language::number(&format!("{:.*}", self.digits, bytes / self.bytes), language)
    }
}

fn list(items: &[Value], unit: Unit<'_>, language: Language) -> String {
    let has_inner = items.iter().any(|item| item.is_array() || item.is_object());
    if items.is_empty() || has_inner {
        return say_from!(TEXTS, language, "entries", n = items.len());
    }
    // Items that do not fit in the line need not be formatted.
    let shown: Vec<_> = items.iter().take(TEXT_LENGTH_MAX).map(|item| value(item, unit, language)).collect();
    one_line(&shown.join(", "), TEXT_LENGTH_MAX)
}
