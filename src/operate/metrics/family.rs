//! A family of metrics: its name, kind, labels with their values, and description.

use candor_core::record::Counted;
use candor_core::text::names;

#[derive(Debug)]
pub struct Family {
    pub name: &'static str,
    pub kind: Kind,
    pub labels: &'static [Label],
    pub help: &'static str,
}

names! {
    /// How the values of a family change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// Only grows, from 0 at the start of the process.
        Counter = "counter",
        /// Goes up and down.
        Gauge = "gauge",
        /// Counts of durations up to each bound, their sum and their number.
        Histogram = "histogram",
    }
}

/// A label. Its values come from a closed set, so that no person and no model can make the page grow.
#[derive(Debug)]
pub struct Label {
    pub name: &'static str,
    pub values: Values,
}

#[derive(Debug)]
pub enum Values {
    Listed(&'static [&'static str]),
    Named(fn() -> Vec<&'static str>),
    /// The numbers of the shards, from 0.
    Shards,
    Version,
}

impl Values {
    /// Returns the values if they are the same in each deployment.
    pub fn fixed(&self) -> Option<Vec<&'static str>> {
        match self {
            Self::Listed(values) => Some(values.to_vec()),
            Self::Named(values) => Some(values()),
            Self::Shards | Self::Version => None,
        }
    }
}

pub(super) fn named<T: Counted>() -> Vec<&'static str> {
    T::ALL.iter().map(|one| one.name()).collect()
}
