//! How values are stored in SQLite's columns.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use candor_core::record::milliseconds;

/// An id. Ids have 64 bits without a sign and SQLite's integers have one: the bits are kept as they are,
/// so that ids from 2^63 on read as negative numbers in the file. Nothing ever asks for their order.
pub(crate) fn id_column(id: u64) -> i64 {
    id.cast_signed()
}

/// The id in a column.
pub(crate) fn id(column: i64) -> u64 {
    column.cast_unsigned()
}

/// A time, in milliseconds since 1970.
pub(crate) fn time_column(at: SystemTime) -> i64 {
    milliseconds(at)
}

/// The time in a column.
pub(crate) fn time(column: i64) -> SystemTime {
    let since_1970 = Duration::from_millis(u64::try_from(column).unwrap_or_default());
    UNIX_EPOCH.checked_add(since_1970).unwrap_or(UNIX_EPOCH)
}
