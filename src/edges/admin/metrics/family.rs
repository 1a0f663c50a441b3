//! A family of metrics: its name, its kind, its labels with their values, and what it says.

use candor_core::record::Counted;

/// One family.
#[derive(Debug)]
pub struct Family {
    /// The name.
    pub name: &'static str,
    /// The kind.
    pub kind: Kind,
    /// The labels of each sample, in their order.
    pub labels: &'static [Label],
    /// What it says, in one sentence.
    pub help: &'static str,
}

/// How the figures of a family move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They only grow, from 0 at the start of the process.
    Counter,
    /// They go up and down.
    Gauge,
    /// Counts of what took at most so long, their sum, and how many there were.
    Histogram,
}

impl Kind {
    /// The word of Prometheus for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A label. Its values come from a closed set, so that no person and no model can make the page grow.
#[derive(Debug)]
pub struct Label {
    /// The name.
    pub name: &'static str,
    /// The values.
    pub values: Values,
}

/// The values of a label.
#[derive(Debug)]
pub enum Values {
    /// These.
    Listed(&'static [&'static str]),
    /// The names of a closed set.
    Named(fn() -> Vec<&'static str>),
    /// The numbers of the shards, from 0.
    Shards,
    /// The version that runs.
    Version,
}

impl Values {
    /// The values, where they are the same in each deployment.
    pub fn fixed(&self) -> Option<Vec<&'static str>> {
        match self {
            Self::Listed(values) => Some(values.to_vec()),
            Self::Named(values) => Some(values()),
            Self::Shards | Self::Version => None,
        }
    }
}

/// The names of a closed set.
pub(super) fn named<T: Counted>() -> Vec<&'static str> {
    T::ALL.iter().map(|one| one.name()).collect()
}
