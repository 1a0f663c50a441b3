//! `/calculate`: the command, the [`Calculator`] that it asks, and what that works out.

mod calculator;
mod command;
mod dates;
mod evaluate;

pub(super) use calculator::NoCalculator;
pub use calculator::{Calculated, Calculator, NotCalculated};
pub(super) use command::calculate;
pub use evaluate::evaluate;
