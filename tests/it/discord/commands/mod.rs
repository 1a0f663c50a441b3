//! Commands on Discord: who may run them, what they take, and how they answer.

mod access;
mod answers;
mod controls;
mod files;
mod limited;
mod modals;
mod options;
mod remind;
mod settings;
mod status;
mod thread;
