//! The common part of both engines: statements, values and rows.
//!
//! Each statement stands once, in SQL that both engines read: `$1`, `$2` … in the order of their first use, which is
//! how SQLite numbers them; whole numbers, text and bytes as the only types; names qualified where PostgreSQL asks for
//! it.

mod cause;
mod connection;
mod migration;
mod value;

pub(crate) use cause::Cause;
pub(crate) use connection::{Connection, TransactionFn};
pub(crate) use migration::{FormatMismatch, Migration, missing};
pub(crate) use value::{Cell, Param, Row};
