//! A module's code: handlers and completers, their arguments, and how a module registers them.

pub(crate) mod handler;
pub(crate) mod module_code;
pub(crate) mod native_module;
pub(crate) mod operator_values;
