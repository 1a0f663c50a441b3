//! Figures that one part of the bot reads and the operator's port shows.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The size of the store in bytes, if known.
    pub store_size: Option<u64>,
    /// The free space for the data folder in bytes, if known.
    pub disk_free: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessFigures {
    /// In bytes.
    pub memory: u64,
    pub processor_time: Duration,
    /// The start time, in seconds since 1970.
    pub started: u64,
    /// The number of open files, if the system reports it.
    pub open_files: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardState {
    /// Whether it has a session and a connection.
    pub is_connected: bool,
    /// Time since the last acknowledged heartbeat.
    pub acknowledged: Option<Duration>,
    /// Time since the last event.
    pub event: Option<Duration>,
}

#[derive(Debug, Default)]
pub struct ReloadState {
    /// Whether the last reload failed for any module. Failed modules keep their old version.
    pub has_failed: AtomicBool,
    pub done: AtomicU64,
    pub failed: AtomicU64,
}
