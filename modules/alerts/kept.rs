//! An alert as it is kept among a server's records, and what a look at its metric makes of it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use candor_core::contract::{CommandError, OwnRecords, RecordId};
use candor_core::inbound::ChannelId;

/// The side of the line on which a metric is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Side {
    Above,
    Below,
}

/// An alert. Times are in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The metric's dotted key.
    pub(super) metric: String,
    pub(super) side: Side,
    pub(super) line: f64,
    /// For how long the metric must be beyond the line until that is told, and on this side of it until it is over.
    lasts_s: u64,
    /// Where it is told: the id of a channel of this server.
    channel: u64,
    /// Whether it was told that the metric is beyond the line, and not yet that this is over.
    pub(super) told: bool,
    /// Since when the metric is where it was not told to be.
    since: Option<u64>,
    /// Whether it was told that the metric has no figure, and not yet that it has one again.
    #[serde(default)]
    pub(super) missing: bool,
}

/// What is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// The metric has been beyond the line for long enough.
    Began,
    /// And it is no longer.
    Over,
}

impl Kept {
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

    /// Where it is told.
    pub(super) fn channel(&self) -> ChannelId {
        ChannelId(self.channel)
    }

    /// For how long the metric must be where it is; zero: at once.
    pub(super) fn lasts(&self) -> Duration {
        Duration::from_secs(self.lasts_s)
    }

    /// Whether both are about the same, however long and by which line.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        (&self.metric, self.side, self.channel) == (&other.metric, other.side, other.channel)
    }

    /// Nobody looked for a while, or there was no figure: the time beyond the line, or on this side of it, begins anew.
    pub(super) fn had_gap(&mut self) {
        self.since = None;
    }

    /// What a look at the metric changes. Without a figure it is on no side: nothing is over.
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

/// An alert among the records.
pub(super) struct Found {
    pub(super) id: RecordId,
    /// As it is stored.
    pub(super) body: Value,
    pub(super) kept: Kept,
}

/// The alerts of a server, oldest first.
pub(super) async fn found(records: &OwnRecords<'_>) -> Result<Vec<Found>, CommandError> {
    let all = records.list().await?.into_iter();
    all.map(|(id, body)| Ok(Found { id, kept: serde_json::from_value(body.clone())?, body })).collect()
}
