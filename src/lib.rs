//! Candor: a self-hosted Discord bot that never fakes a command.
//!
//! This page is the architecture: what there is, who may use whom, what always holds, and the way of a slash
//! command and of a chat message through it.
//!
//! # Bird's eye
//!
//! Something arrives at an edge (Discord or the console) and becomes an [`inbound::Inbound`]. The
//! [`router`] decides what it is, without doing anything. The [`dispatch`]er does what was decided: a command
//! goes through the [`guard`] and the [`executor`] to a module's handler and comes back with a
//! [`receipt::Receipt`]; words go to the [`chat`] model and come back marked as generated; anything else is
//! refused in plain words. The edge renders the [`reply::Answer`], whose [`reply::Provenance`] says where it came from.
//!
//! # Map
//!
//! *The core* is pure: no tokio, no sockets, no files, no clock.
//!
//! - [`inbound`] what arrived · [`router`] what it is · [`guard`] who may · [`registry`] the commands in force
//! - [`contract`] what modules promise and are handed: manifest, signature, limits, the check
//! - [`diagnostic`] a problem as a value · [`written`] a TOML file as written · [`config`] settings
//! - [`reply`] what is answered · [`receipt`] the record of one execution · [`agent`] the chat turn
//! - [`chart`] a picture as data · [`language`] the bot's own words in several languages · [`permissions`] Discord's
//! - [`causes`] errors in one line · [`nearest`] near names · [`unicode`] what cannot be seen · [`readiness`] what is ready
//! - `strict_json` JSON that says one thing only: for the metrics file and for a model's calls
//! - [`counters`] what is counted · [`reconcile`] what Discord should have against what it has
//! - [`live_message`] a message that is kept up to date
//!
//! *Doing*: [`executor`] runs commands, [`chat`] talks, [`dispatch`] is the one way for every surface,
//! [`sampler`] writes down what the metrics were.
//! [`harness`] holds the bot's own commands, [`modules`] those that are compiled in.
//!
//! *Edges* hide one outside thing each: [`discord`] (serenity, poise), [`console`] (rustyline), [`model`]
//! (reqwest), [`store`] (sqlx), [`watch`] (notify), [`host_metrics`] (sysinfo), [`picture`] (resvg), [`admin`] (axum),
//! [`telemetry`] (tracing-subscriber), [`workspace`] (cap-std), [`settings_file`] and [`module_folder`] (files).
//!
//! *Top*: [`app`] builds everything once and owns shutdown, [`cli`] turns arguments into an exit code.
//!
//! # Invariants
//!
//! - Slash text never reaches the model: [`agent::Transcript`] takes a [`router::ChatText`], and only
//!   [`router::classify`] makes one.
//! - A model runs nothing: it asks, and only [`agent::Turn`] plans a call, out of the set that this request offered.
//! - Only the executor says that something ran: [`receipt::Receipt`] has one constructor, visible to it alone.
//!   A [`guard::Permit`] has one maker, the guard, and is spent once.
//! - What starts is what was checked: `candor check` and every start call [`app::examine`]. The printed table is built from the
//!   registry that dispatches, after a probe reached every command in it.
//! - No file outside `discord` names serenity or poise, and so on for each edge. A test reads every `use` line.
//! - The core does not know that Discord, files or time exist. Time is an argument.
//! - A module reaches the world through the services its manifest asks for, and through nothing else.
//! - A workspace is a folder that was opened as a capability: no path and no link leads out of it.
//! - What comes back from a button, a list or a form was signed for that person, that purpose and a time; it then goes the
//!   way of every command, and the guard is asked anew.
//! - No error reaches a person as it is, no text of a person reaches the log, and no state ends in a default
//!   text of success.
//!
//! # The way of a slash command
//!
//! Discord sends an interaction. `discord::handler` sees that it is a slash command and lets poise find its
//! entry; the one shared action converts it with `discord::convert` and hands it to
//! [`dispatch::Dispatcher::route`]. [`router::classify`] finds the command, compares the arguments with its options, and returns
//! [`router::Route::Command`]. [`guard::authorize`] makes a permit. [`executor::Executor::run`] claims the
//! interaction's id in the store, so that it runs once however often it is delivered, calls the handler under a deadline in a task of its
//! own, mints the receipt and appends it to the ledger. `discord::respond` renders an embed whose footer
//! is made from the receipt. If the handler takes longer than a second and a half, the answer was deferred and is
//! edited in. An interaction that poise does not know goes the same way and ends in
//! [`router::Route::UnknownCommand`].
//!
//! # The way of a chat message
//!
//! A message mentions the bot. `discord::convert` says how it is addressed; [`router::classify`] strips what
//! cannot be seen and finds that the first visible character is no slash: [`router::Route::Chat`], with the
//! only [`router::ChatText`] there will ever be for it. [`chat::Chat`] reads the conversation's history, claims the
//! message, and follows a turn: [`agent::Turn`] is a state machine that takes what happened and says what is next. It
//! asks the model ([`agent::Model`]) with an exact [`agent::OfferedSet`]; a call outside it, or one whose arguments do
//! not fit, is corrected within bounds and never runs. A good call becomes an invocation with the caller's own authority:
//! [`guard::authorize_for_model`] wants the caller's own consent for what changes something, the
//! executor runs it and mints its receipt, and the model is told the result. When it answers in words, the turn takes out
//! calls written as text and made-up results, compares claims and figures with the receipts, asks once more where they
//! differ, and then notes what is left. The record is kept for `/receipt`, the text is made harmless and returned with
//! [`reply::Provenance::Turn`]; the edge sets the host's notes and its label under it.

pub mod app;
pub mod cli;
pub mod edges;
pub mod host;
