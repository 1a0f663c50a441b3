//! Candor: a self-hosted Discord bot that never fakes a command.
//!
//! This page describes the architecture: the parts, their dependencies, the invariants, and the path of a slash command
//! and of a chat message.
//!
//! # Bird's eye
//!
//! An edge (Discord or the console) converts an event into an [`Inbound`](candor_core::inbound::Inbound) and hands it
//! to the [`Dispatcher`](host::dispatch::Dispatcher). [`classify`](candor_core::router::classify()) decides its route
//! and does nothing else. A command goes through [`access`](candor_core::access) and the
//! [`Executor`](host::executor::Executor) to its handler, and comes back with a
//! [`Receipt`](candor_core::record::Receipt). Other text goes to the chat model and comes back marked as generated.
//! Everything else is refused with a reason. The edge renders the [`Answer`](candor_core::reply::Answer), whose
//! [`Provenance`](candor_core::reply::Provenance) names its origin.
//!
//! # Map
//!
//! `candor-core` (`src/core`) is pure: no tokio, no sockets, no files, no clock.
//!
//! - [`text`](candor_core::text) invisible characters, near names, cutting, escaping ·
//!   [`diagnostic`](candor_core::diagnostic) a problem as a value · [`language`](candor_core::language) the bot's own
//!   texts in several languages
//! - [`inbound`](candor_core::inbound) events for the bot · [`router`](candor_core::router) their route ·
//!   [`access`](candor_core::access) who may run a command · [`execution`](candor_core::execution) from a permit to a
//!   receipt
//! - [`contract`](candor_core::contract) the module contract: manifest, signature, services, the check ·
//!   [`registry`](candor_core::registry) the commands in force
//! - [`reply`](candor_core::reply) answers, charts included · [`record`](candor_core::record) receipts, turn records,
//!   counters, readiness · [`agent`](candor_core::agent) the chat turn
//! - [`settings`](candor_core::settings) the operator's settings · [`guild`](candor_core::guild) the settings of guild
//!   administrators · [`registration`](candor_core::registration) the difference between the wanted commands and those
//!   at Discord, as a plan
//!
//! `candor-modules` (`modules`) holds the compiled-in modules. It depends on the core alone.
//!
//! `candor` is everything that acts:
//!
//! - [`host`] carries out the core's decisions: [`dispatch`](host::dispatch) is the one path for every surface,
//!   [`executor`](host::executor) runs commands, [`chat`](host::chat) runs chat turns, [`sampler`](host::sampler)
//!   records the history of the metrics, [`builtin`](host::builtin) holds the built-in commands. It also holds the
//!   registry in force, the clock, the secrets, the health of store and disk, and personal data.
//! - [`edges`] hide one outside thing each: [`discord`](edges::discord) (serenity, poise), [`console`](edges::console)
//!   (rustyline), [`model`](edges::model) (reqwest), [`store`](edges::store) (rusqlite, sqlx), [`watch`](edges::watch)
//!   (notify), [`web`](edges::web) (reqwest), [`host_metrics`](edges::host_metrics) (sysinfo),
//!   [`chart_png`](edges::chart_png) (resvg), [`admin`](edges::admin) (axum), [`telemetry`](edges::telemetry)
//!   (tracing-subscriber, OpenTelemetry), [`workspace`](edges::workspace) (cap-std), [`programs`](edges::programs)
//!   (landlock and seccompiler: the modules' programs and the calculator behind `/calculate`, contained), `candor_mcp`
//!   (rmcp: MCP servers, a package of its own in `src/edges/mcp`) and [`files`](edges::files) (the settings file and
//!   module folders). `files::secret_file` is shared by `discord`, `model` and `admin`.
//! - [`app`] builds everything once and owns shutdown; [`cli`] turns arguments into an exit code.
//!
//! # Invariants
//!
//! - Slash text never reaches the model. A [`Transcript`](candor_core::agent::prompt::Transcript) takes a
//!   [`ChatText`](candor_core::router::ChatText), and only [`classify`](candor_core::router::classify()) makes one. The
//!   tests in `src/core/tests/proofs/compile_fail` try the other ways.
//! - A model runs nothing. It asks, and only [`Turn`](candor_core::agent::Turn) plans a call, out of the
//!   [`OfferedSet`](candor_core::agent::tools::OfferedSet) of this request.
//! - Only [`access`](candor_core::access) makes a [`Permit`](candor_core::access::Permit), and a permit is spent once.
//! - The host shows what ran, and every message with a model's words is marked as generated. The label
//!   ([`Mark`](candor_core::reply::Mark)) states, from receipts, that a model wrote the text and what ran.
//! - The host never claims that something ran that did not. [`open`](candor_core::execution::open) turns a permit into
//!   a [`Running`](candor_core::execution::Running) future and a [`Ticket`](candor_core::execution::Ticket). Only the
//!   [`Returned`](candor_core::execution::Returned) of that future closes the ticket as done; the code that polled it
//!   can only report a panic or a timeout. A [`Receipt`](candor_core::record::Receipt) is made nowhere else.
//! - The bot starts only checked settings and modules. `candor check` and every start call [`app::examine()`]. The
//!   printed table comes from the registry that dispatches, after [`probe`](candor_core::execution::probe()) reached
//!   every command in it.
//! - The core knows no Discord, no files and no time: time is an argument. The crate's manifest and `.clippy.toml`
//!   enforce this.
//! - Each outside crate is named in its own edge only, and each module uses only the modules it may:
//!   `tests/it/architecture`.
//! - A module reaches the world only through the [`Services`](candor_core::contract::Services) that its manifest asks
//!   for.
//! - A workspace is a folder opened as a capability: no path and no link leads out of it
//!   ([`WorkspaceFolders`](edges::workspace::WorkspaceFolders)).
//! - The custom id of a component or a modal is signed for one purpose, a limited time and one person. A component for
//!   everyone says so under its signature. Its command takes the path of every command, for the person who uses it, and
//!   access is checked again.
//! - A raw error never reaches a person, a person's text never reaches the log, and no state ends in a default text of
//!   success.
//!
//! # The path of a slash command
//!
//! Discord sends an interaction. The event handler in [`edges::discord`] recognizes a slash command and lets poise find
//! it in its table. The one shared action converts it and calls
//! [`Dispatcher::answer`](host::dispatch::Dispatcher::answer) with the inbound and the surface.
//! [`classify`](candor_core::router::classify()) finds the command among the names in force and compares the arguments
//! with its options. The caller's catalog is made only when a name is unknown. The result is a
//! [`Plan`](host::dispatch::Plan): silence, a modal that asks for missing options, or work that leads to an answer,
//! with who may see it.
//!
//! To run a command, [`authorize`](candor_core::access::authorize) makes a permit.
//! [`Executor::run`](host::executor::Executor::run) opens the permit, which holds the handler (the registry keeps
//! handlers by owner and name). It polls the handler in a task of its own under a deadline, and closes the ticket into
//! a receipt. The handler's changes to the store and its messages to channels are staged. They are committed together
//! with the receipt and the claim of the event, so an event runs once however often it is delivered. Discord gets an
//! embed whose footer is made from the receipt. If the handler takes longer than 1.5 s, the interaction is deferred and
//! the answer edited in. A command that poise does not know takes the same path and ends in
//! [`Route::UnknownCommand`](candor_core::router::Route::UnknownCommand).
//!
//! # The path of a chat message
//!
//! A message mentions the bot. [`edges::discord`] converts it, with the way it addresses the bot.
//! [`classify`](candor_core::router::classify()) ignores marks and invisible characters. If the first visible character
//! is no slash and no line is a command, it returns [`Route::Chat`](candor_core::router::Route::Chat) with the only
//! [`ChatText`](candor_core::router::ChatText) that is ever made for the message.
//! [`Chat::answer`](host::chat::Chat::answer) reads the conversation's history, claims the message, and drives a
//! [`Turn`](candor_core::agent::Turn): a state machine that takes each event and returns the next step.
//!
//! The turn asks the [`Model`](candor_core::agent::Model) with an exact
//! [`OfferedSet`](candor_core::agent::tools::OfferedSet). A call outside it, or with arguments that do not fit, is
//! corrected within bounds and never runs. A good call becomes an invocation with the caller's own authority:
//! [`authorize_for_model`](candor_core::access::authorize_for_model) requires the caller's consent for a change. The
//! executor runs it with a receipt, the [`Surface`](candor_core::agent::tools::Surface) shows its answer at once, and
//! the model gets the result. The model's comment on it cannot change the answer that the person has seen.
//!
//! The bot does not judge the model's words. It removes only calls of its own tools and results that no tool gave; one
//! reminder asks the model to make such a call properly. The checks in `agent/turn/review` find the tools that the
//! request or the reply touches. For those that did not run, a note says so, and the person is offered to run them
//! ([`Chat::offered`](host::chat::Chat::offered)). The record is kept for `/receipt` and for the context-menu command
//! that shows [the model's own words](host::chat::Chat::said). The text is made harmless and returned with
//! [`Provenance::Turn`](candor_core::reply::Provenance::Turn); the edge adds the notes, the buttons and the label.

pub mod app;
pub mod cli;
pub mod edges;
pub mod host;
