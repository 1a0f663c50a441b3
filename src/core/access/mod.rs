//! The guard: may this caller run this command here? The only maker of permits.

mod admitted;
pub(crate) mod cooldown;
mod denied;
pub(crate) mod permit;
mod rules;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use admitted::{admits_nobody, admitted};
pub use cooldown::{CooldownKey, CooldownKind};
pub use denied::{Denied, Lack, Where};
pub(crate) use permit::Spent;
pub use permit::{Access, Consent, Permit, authorize, authorize_for_model, authorize_refresh};
