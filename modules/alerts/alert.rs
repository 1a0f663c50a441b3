//! A guild's alert as stored, and how a new value of its metric changes it.
//!
//! Also states an alert and a value of its metric in words.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::status::{lasting, named};
use candor_core::contract::{CommandError, Live, OwnRecords, RecordId};
use candor_core::inbound::ChannelId;
use candor_core::language::{Language, Texts, say_from};
use candor_core::text::escaped;

/// The side of the line on which a metric is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    Above,
    Below,
}

/// An alert. Times are in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Alert {
    pub(super) metric: String,
    pub(super) side: Side,
    pub(super) line: f64,
    /// How long the metric must stay beyond the line before the alert fires, and back on this side before it ends.
    lasts_s: u64,
    /// The id of the channel for its messages, in this guild.
    channel: u64,
    /// Whether the alert has fired and its end is not reported yet.
    pub(super) told: bool,
    /// Since when the metric contradicts `told`.
    since: Option<u64>,
    /// Whether the loss of the metric's value was reported and its return was not.
    #[serde(default)]
    pub(super) missing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    Began,
    Over,
}

impl Alert {
    pub(super) fn new(metric: String, (side, line): (Side, f64), lasts: Duration, channel: ChannelId) -> Self {
        Self {
            metric,
            side,
            line,
            lasts_s: lasts.as_secs(),
            channel: channel.0,
            told: false,
            since: None,
            missing: false,
        }
    }

    pub(super) fn channel(&self) -> ChannelId {
        ChannelId(self.channel)
    }

    /// Returns how long the metric must stay on a side before that counts; zero: at once.
    pub(super) fn lasts(&self) -> Duration {
        Duration::from_secs(self.lasts_s)
    }

    /// Returns whether both watch the same metric, side and channel, ignoring line and duration.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        (&self.metric, self.side, self.channel) == (&other.metric, other.side, other.channel)
    }

    /// Restarts the time on a side, after a missed look or a missing value.
    pub(super) fn had_gap(&mut self) {
        self.since = None;
    }

    /// Updates the alert from a value and returns the change to report. Without a value the metric is on neither side:
    /// an alert does not end.
    pub(super) fn looked_at(&mut self, value: Option<f64>, now: SystemTime) -> Option<(News, f64)> {
        self.missing = value.is_none();
        let Some(value) = value else {
            self.had_gap();
            return None;
        };
        let is_beyond = match self.side {
            Side::Above => self.line < value,
            Side::Below => value < self.line,
        };
        if is_beyond == self.told {
            self.since = None;
            return None;
        }
        let now_s = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let since = *self.since.get_or_insert(now_s);
        if now_s.saturating_sub(since) < self.lasts_s {
            return None;
        }
        (self.told, self.since) = (is_beyond, None);
        Some((if is_beyond { News::Began } else { News::Over }, value))
    }
}

pub(super) struct Found {
    pub(super) id: RecordId,
    /// The record's body as stored.
    pub(super) body: Value,
    pub(super) alert: Alert,
}

/// Returns the alerts of a guild, oldest first.
pub(super) async fn found(records: &OwnRecords<'_>) -> Result<Vec<Found>, CommandError> {
    let all = records.list().await?.into_iter();
    all.map(|(id, body)| Ok(Found { id, alert: serde_json::from_value(body.clone())?, body })).collect()
}

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
