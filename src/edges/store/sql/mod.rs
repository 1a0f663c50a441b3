//! What both engines have in common: statements, values and rows.
//!
//! Each statement stands once, in SQL that both engines read: `$1`, `$2` … in the order of their first use, which is
//! how SQLite numbers them; whole numbers, text and bytes as the only types; names qualified where PostgreSQL asks for
//! it.

mod cause;
mod connection;
mod steps;
mod value;

pub(crate) use cause::Cause;
pub(crate) use connection::{Connection, Work};
pub(crate) use steps::{Difference, Step, missing};
pub(crate) use value::{Cell, Row, Value};
