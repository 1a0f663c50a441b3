//! The integration tests, in one binary, a folder for each subject.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

// Tests begin in the order of their names: that with a real model takes longest, so it is first.
mod a_model;
mod architecture;
mod check;
mod cli;
mod discord;
mod fuzz;
mod host;
mod operation;
mod programs;
mod store;
mod support;
