//! Builds everything once, and owns shutdown.

mod build;
mod commands_log;
mod deployment;
mod edges;
mod examine;
mod exit;
mod guild_sheets;
mod online;
mod operator_port;
mod reload;
mod trial;
mod wings;

pub use build::App;
pub(crate) use build::{CONTROL_KEY, open_existing_store, open_store, personal_data, signed_store};
pub(crate) use commands_log::log_problems;
pub use deployment::examine_deployment;
pub use examine::{Examined, ModuleFiles, Running, Sources, examine};
pub use exit::{Exit, Failure};
pub use online::{AskedModel, ask_models};
pub use reload::{Found, Reloader};
pub use trial::{TestReport, Trial, Tried, tests_of_modules};
pub(crate) use wings::outside::run_as_child;
#[cfg(feature = "outside")]
pub use wings::outside::{SignInPlace, sign_in_place};
