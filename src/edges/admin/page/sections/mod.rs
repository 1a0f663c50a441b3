pub(super) mod commands;
mod counts;
pub(super) mod events;
pub(super) mod health;
pub(super) mod kept;
pub(super) mod metrics;
pub(super) mod modules;
pub(super) mod simulator;
