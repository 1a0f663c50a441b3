//! Builds everything once, and owns shutdown.

mod build;
mod deployment;
mod edges;
mod examine;
mod exit;
mod kept_sheets;
mod module_files;
mod online;
mod outside;
mod page;
mod reload;
mod trial;

pub use build::App;
pub(crate) use build::{CONTROL_KEY, open_existing_store, open_store, personal_data};
pub use deployment::examine_deployment;
pub use examine::{Examined, Running, Sources, examine};
pub use exit::{Exit, Failure};
pub use module_files::ModuleFiles;
pub use online::{AskedModel, ask_models};
pub use outside::{SignInPlace, Starting, sign_in_place};
pub use reload::{Found, ReloadState, Reloader};
pub use trial::{TestReport, Trial, Tried, tests_of_modules};
