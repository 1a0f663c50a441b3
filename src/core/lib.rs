//! The core of Candor: all of the bot's decisions, without I/O.
//!
//! The core parses manifests and settings, routes events, checks access, runs handlers into receipts, drives the chat
//! model's turns and builds answers. Everything is passed in as values: events, times, settings, and services behind
//! traits.
//!
//! It must not depend on tokio, serenity, poise, rusqlite, sqlx, reqwest or notify, directly or indirectly (checked by
//! `.ci/run`). It must not read the clock, the environment or files, or start threads (checked by Clippy's
//! `disallowed_methods`). So every decision can be tested without Discord, a network or a disk, and handlers cannot
//! send messages past the host. The other crates do I/O.
//!
//! # Modules
//!
//! From the bottom up, without a cycle:
//!
//! - [`text`]: text utilities: invisible characters, near names, shortening, making untrusted text harmless.
//! - [`diagnostic`]: problems in a file, with code, position and help, rendered for terminals or as JSON.
//! - [`language`]: the bot's own messages in every language.
//! - [`inbound`]: received events with their caller and place.
//! - [`record`]: records of past events: receipts, chat turns, counters, readiness.
//! - [`guild`]: the settings of a guild's administrators.
//! - [`reply`]: replies and answers, with pages, components and charts.
//! - [`contract`]: manifests, handlers, services, and the start-up check of modules.
//! - [`registry`]: the commands in force.
//! - [`router`]: classifies each event as a command, chat or neither.
//! - [`access`]: decides who may run a command, and grants permits.
//! - [`execution`]: turns a permit into a run, an answer and a receipt.
//! - [`agent`]: chat turns: prompt, tool calls, and checks of the model's reply.
//! - [`settings`]: the operator's `config.toml`.
//! - [`registration`]: compares the wanted commands with those on Discord.
//! - `testing` (feature `testing`): helpers for the tests of modules.
//!
//! # For module authors
//!
//! A module needs only a few types. The documentation of the crate `candor-modules` is the guide.
//!
//! - [`contract::NativeModule`]: the module: its manifest and its handlers.
//! - [`contract::Call`]: who called the command, where and when, and the granted services.
//! - [`contract::CommandError`]: a refusal for the caller, or an error for the log.
//! - [`contract::NoArguments`]: the arguments of a handler that takes none.
//! - [`contract::entity`]: option types for users, channels, roles, files and messages.
//! - [`contract::Services`]: records, workspace, live metrics and other services, if the manifest asks for them.
//! - [`reply::Reply`] and [`reply::Field`]: the content of an answer.
//! - [`text`]: escaping and shortening of untrusted text.
//! - `testing`: the start-up check, in-memory records, and answers as text.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod access;
pub mod agent;
#[warn(missing_docs)]
pub mod contract;
pub mod diagnostic;
pub mod execution;
pub mod guild;
pub mod inbound;
pub mod language;
pub mod record;
pub mod registration;
pub mod registry;
#[warn(missing_docs)]
pub mod reply;
pub mod router;
pub mod settings;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
