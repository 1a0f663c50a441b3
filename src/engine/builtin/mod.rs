//! The built-in commands: `/help`, `/clear`, `/context`, `/model`, `/thread`, `/receipt`, `/privacy`, `/usage`,
//! `/settings` and `/calculate`.
//!
//! They are a module like any other, under the same contract, with six services that no other module may request.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod calculate;
mod commands_in_force;
mod context;
mod help;
mod module;
mod privacy;
mod receipt;
mod settings;
mod thread;
mod usage;

pub use calculate::{Calculated, Calculator, NoCalculator, NotCalculated, evaluate};
pub use commands_in_force::CommandsInForce;
pub use module::{module, module_with};
