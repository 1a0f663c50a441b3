//! The operator's port; in a build without the feature `operate`, nothing is served.

#[cfg(not(feature = "operate"))]
mod absent;
#[cfg(feature = "operate")]
mod page;
#[cfg(feature = "operate")]
mod present;

#[cfg(not(feature = "operate"))]
pub(super) use absent::serve;
#[cfg(feature = "operate")]
pub(super) use present::serve;
