//! The commands at Discord are kept in step with those in force.

mod in_step;
mod limits;
mod refusals;
