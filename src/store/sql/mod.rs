//! The common part of both engines: statements, values and rows.
//!
//! Each statement exists once, in SQL that both engines read. Parameters are `$1`, `$2` … in the order of their first
//! use, because SQLite numbers them so. The only types are whole numbers, text and bytes. Names are qualified where
//! PostgreSQL requires it.

mod cause;
mod connection;
mod insert;
mod migration;
mod value;

pub(crate) use cause::Cause;
pub(crate) use connection::{Connection, TransactionFn};
pub(crate) use insert::Insert;
pub(crate) use migration::{FormatMismatch, Migration, missing};
pub(crate) use value::{Cell, Param, Row};
