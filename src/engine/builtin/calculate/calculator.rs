//! The interface of the calculator behind `/calculate`, and its results.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// Evaluates expressions. The arithmetic is third-party code and can run without end, so an implementation must be able
/// to end it.
#[async_trait]
pub trait Calculator: Send + Sync {
    /// Evaluates an expression. `today` is the current date: `2026-11-24`. Always returns within 500 ms.
    ///
    /// # Errors
    /// Fails if there is no result.
    async fn calculate(&self, expression: String, today: String) -> Result<Calculated, NotCalculated>;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calculated {
    pub value: String,
    /// Whether it is exact, and not rounded.
    pub is_exact: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotCalculated {
    /// A comma stands between digits, which may or may not be a decimal point.
    Comma,
    /// The expression needs more time or memory than a calculation may use.
    TooMuch,
    /// The result is too long. Contains its number of characters.
    TooLong(usize),
    ByZero,
    /// This bot has no calculator.
    Absent,
    /// The expression is empty.
    Nothing,
    /// This sign has no meaning here.
    NoMeaning(String),
    /// This word is unknown. Untrusted.
    UnknownWord(String),
    /// These units measure different things. Untrusted.
    Units(String, String),
    NoSuchDate,
    /// `in` is ambiguous: it may mean inches.
    In,
    Problem,
    /// Too many calculations run, or this machine is too slow at the moment.
    Busy,
    /// The calculator failed. The text is for the log.
    Failed(String),
}

/// Stands where no process can be started.
pub struct NoCalculator;

#[async_trait]
impl Calculator for NoCalculator {
    async fn calculate(&self, _: String, _: String) -> Result<Calculated, NotCalculated> {
        Err(NotCalculated::Absent)
    }
}
