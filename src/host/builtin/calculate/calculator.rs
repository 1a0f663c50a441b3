//! Who works out an expression for `/calculate`, and what comes of it.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// Works out expressions. The arithmetic is code of others and can run without end, so an implementation must be able
/// to end it.
#[async_trait]
pub trait Calculator: Send + Sync {
    /// Works out an expression. `today` is the date of this day: `2026-11-24`. Always returns within 500 ms.
    ///
    /// # Errors
    /// If there is no result.
    async fn calculate(&self, expression: String, today: String) -> Result<Calculated, NotCalculated>;
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calculated {
    /// The result.
    pub value: String,
    /// Whether it is exact, and not rounded.
    pub is_exact: bool,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotCalculated {
    /// A comma stands between digits: it may be a decimal point or not.
    Comma,
    /// It takes more time or memory than a calculation may.
    TooMuch,
    /// The result has so many characters.
    TooLong(usize),
    /// It divides by zero.
    ByZero,
    /// There is nothing in it.
    Nothing,
    /// This sign has no meaning here.
    NoMeaning(String),
    /// This word is unknown. Untrusted.
    UnknownWord(String),
    /// These units measure different things. Untrusted.
    Units(String, String),
    /// A date in it does not exist.
    NoSuchDate,
    /// `in` stands where it may be meant as inches.
    In,
    /// It makes no sense.
    Problem,
    /// Too many calculations run, or this machine is too slow at the moment.
    Busy,
    /// The calculator failed, for the log.
    Failed(String),
}

/// No calculator, where nothing is calculated.
pub(in crate::host::builtin) struct NoCalculator;

#[async_trait]
impl Calculator for NoCalculator {
    async fn calculate(&self, _: String, _: String) -> Result<Calculated, NotCalculated> {
        Err(NotCalculated::Failed("there is no calculator".to_owned()))
    }
}
