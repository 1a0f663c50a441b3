//! Authorization: decides whether a caller may run a command in a place. The only place that creates permits.

mod chat;
pub(crate) mod cooldown;
mod denied;
pub(crate) mod permit;
mod rules;
mod summary;
#[cfg(test)]
mod tests;

pub use chat::{ChatAccess, ChatDenied, DirectMessages};
pub use cooldown::{CooldownKey, CooldownKind};
pub use denied::{Denied, Lack, Where};
pub(crate) use permit::Spent;
pub use permit::{
    Access, Consent, Permit, authorize, authorize_due, authorize_event, authorize_for_model, authorize_refresh,
    authorize_schedule,
};
pub(crate) use summary::{admits_nobody, admitted};
