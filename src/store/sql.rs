//! The common part of both engines: statements, values and rows.
//!
//! Each statement exists once, in SQL that both engines read. Parameters are `$1`, `$2` … in the order of their first
//! use, because SQLite numbers them so. The only types are whole numbers, text and bytes. Names are qualified where
//! PostgreSQL requires it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sha2::{Digest as _, Sha384};

use candor_core::contract::ServiceError;
use candor_core::record::milliseconds;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    DiskFull,
    Disk,
    /// Another process holds the lock.
    Locked,
    Crowded,
    Closed,
    CannotOpen,
    ReadOnly,
    NotADatabase,
    Damaged,
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "a server's alone"))]
    /// The server took too long, or no connection to it became free in time.
    Late,
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "a server's alone"))]
    /// The server cannot be reached, or went away.
    Unreachable,
    /// Any other cause: a bug in this program.
    Other,
}

impl Cause {
    /// Returns the error for the store's callers. `problem` is the engine's message.
    pub(crate) fn told(self, problem: &str) -> ServiceError {
        ServiceError::Store(match self {
            Self::DiskFull => return ServiceError::DiskFull,
            Self::Disk => format!("the disk failed, or is full: {problem}"),
            Self::Locked => "another process kept the database locked".to_owned(),
            Self::Crowded => "too many calls are waiting for it".to_owned(),
            Self::Closed => "it is closed".to_owned(),
            Self::CannotOpen => "the database file can no longer be opened".to_owned(),
            Self::ReadOnly => "the database is read-only".to_owned(),
            Self::NotADatabase | Self::Damaged => format!("the database is damaged: {problem}"),
            Self::Late => {
                "the database server did not answer in time: it is down, or too many calls are waiting for it"
                    .to_owned()
            }
            Self::Unreachable => format!("the database server cannot be reached: {problem}"),
            Self::Other => problem.to_owned(),
        })
    }
}

/// A connection within a transaction. With SQLite no method ever waits: the work is done when the call returns.
#[async_trait]
pub(crate) trait Connection: Send {
    async fn execute(&mut self, statement: &'static str, values: &[Param]) -> Result<u64, ServiceError>;

    /// Runs a statement to its end and returns its rows.
    async fn rows(&mut self, statement: &'static str, values: &[Param]) -> Result<Vec<Row>, ServiceError>;

    /// Takes a named lock until the transaction ends. Take several in a fixed order, to avoid a deadlock.
    async fn lock(&mut self, name: &str) -> Result<(), ServiceError>;

    /// Rolls the transaction back when its work ends, even if the work returns a result.
    fn undo(&mut self);

    /// Whether several transactions write at once. If so, a clean-up skips rows that another transaction holds.
    fn is_shared(&self) -> bool;
}

impl dyn Connection + '_ {
    pub(crate) async fn row(&mut self, statement: &'static str, values: &[Param]) -> Result<Option<Row>, ServiceError> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    pub(crate) async fn value<T: FromCell>(
        &mut self,
        statement: &'static str,
        values: &[Param],
    ) -> Result<Option<T>, ServiceError> {
        self.row(statement, values).await?.map(|mut row| row.take()).transpose()
    }
}

/// The work of one transaction. If it fails, nothing of it is stored.
pub(crate) type TransactionFn<T> =
    Box<dyn for<'c> FnOnce(&'c mut dyn Connection) -> BoxFuture<'c, Result<T, ServiceError>> + Send>;

/// How many rows one statement inserts. A batch takes the largest first. Few sizes, because each is a prepared statement.
const ROWS: [usize; 3] = [32, 8, 1];

/// An INSERT of a row of `N` values, as statements of several rows.
pub(crate) struct Insert<const N: usize>([String; ROWS.len()]);

impl<const N: usize> Insert<N> {
    /// `of_one` inserts one row: `INSERT … VALUES ($1, $2) …`.
    pub(crate) fn new(of_one: &str) -> Self {
        let names = |row: usize| (1..=N).map(|at| format!("${}", row * N + at)).collect::<Vec<_>>().join(", ");
        let row = |row| format!("({})", names(row));
        let of = |n: usize| of_one.replacen(&row(0), &(0..n).map(row).collect::<Vec<_>>().join(", "), 1);
        Self(ROWS.map(of))
    }

    /// Inserts all rows. Returns how many were inserted.
    pub(crate) async fn all(
        &'static self,
        connection: &mut dyn Connection,
        mut rows: &[[Param; N]],
    ) -> Result<u64, ServiceError> {
        let mut inserted = 0;
        for (n, statement) in ROWS.into_iter().zip(&self.0) {
            while let Some((first, rest)) = rows.split_at_checked(n) {
                inserted += connection.execute(statement, first.as_flattened()).await?;
                rows = rest;
            }
        }
        Ok(inserted)
    }
}

pub(crate) struct Migration {
    pub(crate) version: i64,
    pub(crate) name: &'static str,
    pub(crate) statements: &'static str,
}

impl Migration {
    /// Returns the digest that shows whether a database was made with exactly this migration.
    pub(crate) fn checksum(&self) -> Vec<u8> {
        Sha384::digest(self.statements).to_vec()
    }
}

/// The difference between a database's format and this program's.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FormatMismatch {
    Older(i64),
    /// The database has this migration, of a later version.
    Newer(i64),
    /// The database has this migration, but this program has a different one of that number, or does not have it.
    Other(i64),
}

/// Returns the migrations that a database still lacks. `taken` holds the version and checksum of those that it has.
pub(crate) fn missing<'a>(
    migrations: &'a [Migration],
    taken: &[(i64, Vec<u8>)],
) -> Result<Vec<&'a Migration>, FormatMismatch> {
    let last = migrations.iter().map(|migration| migration.version).max().unwrap_or_default();
    for (version, checksum) in taken {
        match migrations.iter().find(|migration| migration.version == *version) {
            Some(migration) if migration.checksum() == *checksum => {}
            None if last < *version => return Err(FormatMismatch::Newer(*version)),
            Some(_) | None => return Err(FormatMismatch::Other(*version)),
        }
    }
    Ok(migrations.iter().filter(|migration| taken.iter().all(|(version, _)| *version != migration.version)).collect())
}

/// A typed parameter of a statement. A null has a type too, because PostgreSQL asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    Integer(Option<i64>),
    /// Text. NUL characters are replaced for both engines, because PostgreSQL's text cannot hold them.
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Param {
    /// Passes any number of ids, as a JSON array of integers.
    pub(crate) fn listed(ids: &[u64]) -> Self {
        let ids: Vec<_> = ids.iter().map(|id| id.cast_signed().to_string()).collect();
        format!("[{}]", ids.join(",")).into()
    }
}

impl From<i64> for Param {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<Option<i64>> for Param {
    fn from(number: Option<i64>) -> Self {
        Self::Integer(number)
    }
}

impl From<u64> for Param {
    /// Converts an id. Ids are unsigned 64-bit numbers and the engines' integers are signed, so the bits are kept. Ids
    /// from 2^63 on read as negative numbers in the database. No statement depends on their order.
    fn from(id: u64) -> Self {
        id.cast_signed().into()
    }
}

impl From<Option<u64>> for Param {
    fn from(id: Option<u64>) -> Self {
        id.map(u64::cast_signed).into()
    }
}

impl From<usize> for Param {
    fn from(count: usize) -> Self {
        i64::try_from(count).unwrap_or(i64::MAX).into()
    }
}

impl From<SystemTime> for Param {
    /// Converts a time to milliseconds since 1970.
    fn from(at: SystemTime) -> Self {
        milliseconds(at).into()
    }
}

impl From<Option<SystemTime>> for Param {
    fn from(at: Option<SystemTime>) -> Self {
        at.map(milliseconds).into()
    }
}

impl From<&str> for Param {
    fn from(text: &str) -> Self {
        Some(text).into()
    }
}

impl From<String> for Param {
    fn from(text: String) -> Self {
        match text.contains('\0') {
            true => Self::Text(Some(text.replace('\0', "\u{fffd}"))),
            false => Self::Text(Some(text)),
        }
    }
}

impl From<Option<&str>> for Param {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Text(None), |text| text.to_owned().into())
    }
}

impl From<&[u8]> for Param {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(Some(bytes.to_owned()))
    }
}

impl From<Option<Vec<u8>>> for Param {
    fn from(bytes: Option<Vec<u8>>) -> Self {
        Self::Bytes(bytes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row that was read. Its columns are taken in the order in which the statement names them.
#[derive(Debug)]
pub(crate) struct Row(std::vec::IntoIter<Cell>);

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self(cells.into_iter())
    }

    /// Takes the next column. Fails on a value of another type, which this program did not write.
    pub(crate) fn take<T: FromCell>(&mut self) -> Result<T, ServiceError> {
        let cell = self.0.next().unwrap_or(Cell::Null);
        T::from_cell(cell).ok_or_else(|| ServiceError::Store("a column holds what it never should".to_owned()))
    }
}

/// A type that a column can be read as.
pub(crate) trait FromCell: Sized {
    fn from_cell(cell: Cell) -> Option<Self>;
}

impl FromCell for i64 {
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Integer(number) = cell { Some(number) } else { None }
    }
}

impl FromCell for u64 {
    fn from_cell(cell: Cell) -> Option<Self> {
        i64::from_cell(cell).map(i64::cast_unsigned)
    }
}

impl FromCell for SystemTime {
    fn from_cell(cell: Cell) -> Option<Self> {
        let since_1970 = Duration::from_millis(u64::try_from(i64::from_cell(cell)?).unwrap_or_default());
        Some(UNIX_EPOCH.checked_add(since_1970).unwrap_or(UNIX_EPOCH))
    }
}

impl FromCell for String {
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Text(text) = cell { Some(text) } else { None }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: Cell) -> Option<Self> {
        if let Cell::Bytes(bytes) = cell { Some(bytes) } else { None }
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell) -> Option<Self> {
        if cell == Cell::Null { Some(None) } else { T::from_cell(cell).map(Some) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_as_many_rows_as_its_size_and_numbers_its_values() {
        let insert = Insert::<2>::new("INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING");
        assert_eq!(insert.0[2], "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING");
        assert!(insert.0[1].starts_with("INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), "), "{}", insert.0[1]);
        assert!(insert.0[1].ends_with(", ($15, $16) ON CONFLICT (a) DO NOTHING"), "{}", insert.0[1]);
    }
}
