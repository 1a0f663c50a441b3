//! Programs and MCP servers of modules; in a build without the feature `outside`, a refusal of such modules.

#[cfg(not(feature = "outside"))]
mod absent;
#[cfg(feature = "outside")]
mod present;

#[cfg(not(feature = "outside"))]
pub(crate) use absent::{Containment, calculator, remove_unused, run_as_child, start_modules};
#[cfg(feature = "outside")]
pub(crate) use present::{Containment, calculator, remove_unused, run_as_child, start_modules};
#[cfg(feature = "outside")]
pub use present::{SignInPlace, sign_in_place};
