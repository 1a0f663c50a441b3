//! The start-up check, and the files that it reads.

mod examination;
mod http_hosts;
mod module_files;
mod module_settings;
mod operator_values;
mod outside;

pub use examination::{Examined, Running, Sources, examine};
pub use module_files::ModuleFiles;
