//! The values of statements and of rows.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use candor_core::contract::ServiceError;
use candor_core::record::milliseconds;

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
