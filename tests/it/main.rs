//! The integration tests, in one binary, a folder for each subject.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod architecture;
mod check;
mod cli;
mod discord;
mod fuzz;
mod host;
mod model;
mod operation;
mod programs;
mod store;
mod support;
