//! What an operator runs the bot with: its metrics, the files of `deploy`, the lists of settings, and what is asked of
//! a running deployment.

mod deploy;
mod generated;
mod health;
mod metrics;
mod page;
mod settings;
mod soak;
