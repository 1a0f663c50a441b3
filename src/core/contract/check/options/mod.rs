//! Options: the handler's parameters, as the manifest describes and narrows them.

pub(crate) mod channel;
pub(crate) mod choices;
pub(crate) mod modal;
pub(crate) mod option;
pub(crate) mod private;
pub(crate) mod range;
