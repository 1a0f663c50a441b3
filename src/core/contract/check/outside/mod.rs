//! Checks specific to modules without Rust code, and builds their handlers.

mod code;
mod run;
mod server;
mod signature;
mod spec;
mod text;
mod tool_schema;

pub(crate) use code::with_code;
pub(crate) use run::read as run_spec;
pub(crate) use server::take_in;
pub(crate) use spec::kind;
pub use spec::{OutsideSpec, Probe};
