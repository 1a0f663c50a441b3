//! The store: what it keeps over restarts, what it keeps apart, what several processes share, and what it refuses to
//! open. One suite for every engine: see `trial`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

mod chat;
mod clock;
mod commands;
mod database;
mod history;
mod privacy;
mod records;
mod retention;
mod secrets;
mod spending;
mod stored;
mod trial;

use std::time::{SystemTime, UNIX_EPOCH};

use trial::{Steps, Trial, on_every_engine};

const NOW: SystemTime = UNIX_EPOCH;
