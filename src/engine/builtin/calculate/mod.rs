//! `/calculate`: the command, its [`Calculator`], and the evaluation.

mod calculator;
mod command;
mod dates;
mod evaluate;

pub use calculator::{Calculated, Calculator, NoCalculator, NotCalculated};
pub(super) use command::calculate;
pub use evaluate::evaluate;
