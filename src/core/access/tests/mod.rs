//! Who may run what: each rule by itself, and every surface for every kind of caller.

mod chat;
mod in_guild;
mod matrix;
mod permits;
mod rules;
mod who;
