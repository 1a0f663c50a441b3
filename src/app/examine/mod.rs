//! The start-up check, and the files that it reads.

mod examined;
mod given;
mod http_hosts;
mod module_commands;
mod module_files;
mod module_settings;
mod outside;

pub use examined::{Examined, Running, Sources, examine};
pub use module_files::ModuleFiles;
