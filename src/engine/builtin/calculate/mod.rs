//! `/calculate`: the command, its [`Calculator`], and the evaluation.

mod calculator;
mod command;
mod dates;
mod evaluate;

pub(super) use calculator::NoCalculator;
pub use calculator::{Calculated, Calculator, NotCalculated};
pub(super) use command::calculate;
pub use evaluate::evaluate;
