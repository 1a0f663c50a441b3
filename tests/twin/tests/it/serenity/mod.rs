//! The serenity library against the twin.

mod client;
mod options;
