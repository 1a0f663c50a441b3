//! `candor sync`: shows the changes to make at Discord, and applies them. Uses REST only, without a gateway, so that it
//! can run beside a bot.

mod command;
mod one_set;
mod report;

pub(super) use command::sync;
pub(super) use report::Ask;
