//! Tries commands in a temporary store: typed lines, and the tests of modules.

mod module_tests;
mod run;

pub use module_tests::{TestReport, tests_of_modules};
pub use run::{Trial, Tried};
