//! Options: what the handler takes, as the manifest words and narrows it.

pub(crate) mod channel;
pub(crate) mod choices;
pub(crate) mod modal;
pub(crate) mod option;
pub(crate) mod private;
pub(crate) mod range;
