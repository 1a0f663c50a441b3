//! `candor sync`: shows what would change at Discord, and changes it. By REST alone, without a gateway, so that it can
//! run beside a bot.

mod command;
mod one_set;
mod report;

pub(super) use command::sync;
pub(super) use report::Ask;
