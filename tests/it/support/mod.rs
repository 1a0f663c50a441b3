//! What several tests need: the real binary in a folder of its own, what the bot says, and a scripted chat model.

pub(crate) mod bot;
pub(crate) mod executor;
pub(crate) mod inside;
pub(crate) mod log;
pub(crate) mod other_apis;
pub(crate) mod postgres;
#[cfg(unix)]
pub(crate) mod pty;
pub(crate) mod registered;
pub(crate) mod said;
pub(crate) mod scripted_model;
pub(crate) mod typist;
