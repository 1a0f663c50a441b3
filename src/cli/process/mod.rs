//! The process's token and its signals.

mod handover;
mod signals;

pub(super) use handover::{is_set as token_stays_readable, take_token_out};
pub(super) use signals::{Hangup, reload_on_hangup, stop_on_signal};
