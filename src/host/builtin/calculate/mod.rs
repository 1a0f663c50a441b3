//! `/calculate`: the command, and the calculator that it asks.

mod calculator;
mod command;
mod dates;

pub(super) use command::calculate;
