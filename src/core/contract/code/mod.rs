//! A module's code: its handlers and completers, what they are given, and how a module hands them over.

pub(crate) mod given;
pub(crate) mod handler;
pub(crate) mod module_code;
pub(crate) mod native_module;
