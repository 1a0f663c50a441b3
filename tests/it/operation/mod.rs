//! What an operator runs the bot with: its metrics, the files of `deploy`, the lists of settings, the pictures of the
//! README, and what is asked of a running deployment.

mod deploy;
mod floods;
mod generated;
mod health;
mod metrics;
mod page;
mod pictures;
mod settings;
mod soak;
mod start_log;
