//! The router: classifies each inbound event as a command, chat or neither.
//!
//! [`classify`] is pure, total and never fails. Its rules, in order:
//!
//! 1. An interaction is a command or an unknown command. Never chat.
//! 2. A message from a bot, a webhook or this bot itself, or one not addressed to the bot, is ignored.
//! 3. A message whose first visible character reads as a slash is *slash text*, whatever follows it. See
//!    `router/normalize.rs` for what counts as visible. All Unicode normal forms of a message are decided alike.
//! 4. Slash text that names a command, with arguments that parse, is that command.
//! 5. Slash text that names a command with arguments that do not parse is malformed; with a group or a subcommand
//!    that does not exist it is unknown.
//! 6. Any other slash text is an unknown command.
//! 7. Everything else is chat: only here is a [`ChatText`] created.

pub(crate) mod arguments;
mod chat_text;
mod classify;
mod front;
mod level;
mod menu;
mod modal;
mod normalize;
mod refusal;
mod route;
#[cfg(test)]
mod tests;

pub use chat_text::ChatText;
pub use classify::classify;
pub use refusal::refusal;
pub use route::{Ignored, Invocation, Malformed, ModalRequest, Route, Unavailable, Unknown, UnknownKind};
