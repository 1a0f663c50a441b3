//! The built-in commands: `/help`, `/clear`, `/context`, `/model`, `/thread`, `/receipt`, `/privacy`, `/usage`,
//! `/settings` and `/calculate`.
//!
//! They are a module like any other, under the same contract. Only their calls carry the bot's own parts ([`Builtins`]).
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod builtins;
mod calculate;
mod context;
mod help;
mod module;
mod privacy;
mod receipt;
mod settings;
mod thread;
mod usage;

pub use builtins::Builtins;
pub use calculate::{Calculated, Calculator, NoCalculator, NotCalculated, evaluate};
pub use module::{module, module_with};
