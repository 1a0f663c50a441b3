#![doc = include_str!("README.md")]
//! The modules compiled into the bot, one line each.

pub mod status;
pub mod tasks;

use crate::contract::NativeModule;

/// Every built-in module. The order is the order of the registration table's totals, nothing more.
pub fn all() -> Vec<NativeModule> {
    vec![status::module(), tasks::module()]
}
