//! An alert and a value of its metric in words.

use std::sync::LazyLock;

use candor_core::contract::Live;
use candor_core::language::{Language, Texts, say_from};
use candor_core::text::escaped;

use super::alert::{Alert, Side};
use crate::status::{lasting, named};

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// Describes an alert in a few words: metric, side, line and duration.
pub(super) fn what(alert: &Alert, live: &dyn Live, language: Language) -> String {
    let name = name(alert, live, language);
    let line = shown(alert, alert.line, live, language);
    let what = match alert.side {
        Side::Above => say_from!(TEXTS, language, "above", name = name, line = line),
        Side::Below => say_from!(TEXTS, language, "below", name = name, line = line),
    };
    match alert.lasts().is_zero() {
        true => what,
        false => say_from!(TEXTS, language, "lasting", what = what, lasts = lasting(alert.lasts(), language)),
    }
}

pub(super) fn name(alert: &Alert, live: &dyn Live, language: Language) -> String {
    escaped(&named(&alert.metric, alert.line, live.presentation(), language).0)
}

pub(super) fn shown(alert: &Alert, value: f64, live: &dyn Live, language: Language) -> String {
    named(&alert.metric, value, live.presentation(), language).1
}
