//! Figures that one part of the bot reads and the operator's port shows.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

/// What a look at store and disk found, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The size of the store, if it says one.
    pub store_size: Option<u64>,
    /// The room that is left for the data folder, if anybody knows.
    pub disk_free: Option<u64>,
}

/// The figures of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessFigures {
    /// Its memory, in bytes.
    pub memory: u64,
    /// The processor time that it used.
    pub processor_time: Duration,
    /// When it began, in seconds since 1970.
    pub started: u64,
    /// How many files it has open, if the system says.
    pub open_files: Option<usize>,
}

/// One shard of the connection to Discord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardState {
    /// Whether it has a session and a connection.
    pub is_connected: bool,
    /// How long ago Discord acknowledged a heartbeat.
    pub acknowledged: Option<Duration>,
    /// How long ago an event came.
    pub event: Option<Duration>,
}

/// How reloads went.
#[derive(Debug, Default)]
pub struct ReloadState {
    /// Whether the last one failed for any module. Failed modules keep their old version.
    pub has_failed: AtomicBool,
    /// How many came into force.
    pub done: AtomicU64,
    /// How many failed.
    pub failed: AtomicU64,
}
