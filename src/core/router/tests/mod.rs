//! The router's rules, one line per case.

mod fixture;
mod interactions;
mod messages;
mod names;
mod properties;
