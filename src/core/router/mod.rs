//! The router: classifies each inbound event as a command, chat or neither.
//!
//! [`classify`] is pure, total and never fails, and takes time linear in the length of a message. Its rules, in order:
//!
//! 1. An interaction is a command or an unknown command. Never chat.
//! 2. A message from a bot, a webhook, this bot itself or Discord, or one not addressed to the bot, is ignored.
//! 3. A message whose first visible character reads as a slash is *slash text* with any continuation: `//x`, `/ x`,
//!    `/home/x` and `/` alone are slash text too. The router skips mentions and similar tags, white space, invisible
//!    characters, whole quoted lines, and marks of quoting, code, emphasis, lists and the like; see
//!    `router/normalize.rs`. If one Unicode normal form of a message is slash text, all are.
//! 4. Refuse wide, run narrow. Slash text is *plain* if it is a real `/` with nothing but white space and mentions of
//!    the bot in front. Only plain slash text runs: if it names a command and its arguments parse, it is that command.
//! 5. Plain slash text that names a command with arguments that do not parse is malformed.
//! 6. Slash text that names a command and is not plain is refused as such ([`Route::NotPlain`]), with any arguments.
//! 7. Slash text that names a group or command without its subcommand is malformed; with a subcommand that does not
//!    exist it is unknown. Any other slash text is an unknown command.
//! 8. A message with a separate line, below other words, that would be a command by rule 4 is refused as not plain.
//!    Other lines that begin with a slash do not matter: `/home/x` below words is words.
//! 9. A message that is only the name of a command or tool is answered ([`Route::Named`]), with a button if the caller
//!    may use it. This does not apply to a message that replies to another or came with a file.
//! 10. Everything else is chat: a [`ChatText`] is created only here. *Go on* under a reply is chat as well: the router
//!     writes its sentence. So is a message without words that has attachments or mentions the bot.
//!
//! The context of a message, such as the message it replies to, never affects the route and is never read for commands.
//!
//! The router looks up the commands that the caller may use only for near names and for words that name a command,
//! never for other chat.

pub(crate) mod arguments;
mod chat_text;
mod classify;
mod front;
mod menu;
mod names;
mod normalize;
mod refusal;
mod route;
#[cfg(test)]
mod tests;

pub use chat_text::ChatText;
pub use classify::classify;
pub use refusal::refusal;
pub use route::{Ignored, Invocation, Malformed, ModalRequest, Named, Route, Unavailable, Unknown, UnknownKind};
