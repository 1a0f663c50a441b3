#![doc = include_str!("README.md")]
//! The modules compiled into the bot, one line each.

pub mod status;
pub mod tasks;

use crate::contract::NativeModule;

/// Every built-in module. Of two that claim one command, the first keeps it; nothing else hangs on the order.
pub fn all() -> Vec<NativeModule> {
    vec![status::module(), tasks::module()]
}
