//! Commands tried in a store of their own: what somebody types to see what it does, and the tests of modules.

mod module_tests;
mod run;

pub use module_tests::{TestReport, tests_of_modules};
pub use run::{Trial, Tried};
