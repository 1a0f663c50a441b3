//! The sections of the operator's page.

pub(super) mod commands;
pub(super) mod health;
pub(super) mod metrics;
pub(super) mod modules;
pub(super) mod records;
pub(super) mod simulator;
