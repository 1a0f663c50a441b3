//! The router: classifies each inbound event as a command, chat or neither.
//!
//! [`classify`] is pure, total and never fails, and takes time linear in the length of a message. Its rules, in order:
//!
//! 1. An interaction is a command or an unknown command. Never chat.
//! 2. A message from a bot, a webhook, this bot itself or Discord, or one not addressed to the bot, is ignored.
//! 3. A message whose first visible character reads as a slash is *slash text*, whatever follows it: `//x`, `/ x`,
//!    `/home/x` and `/` alone are slash text too. Looked past are mentions and what Discord shows alike, white space,
//!    invisible characters, whole quoted lines, and marks of quoting, code, emphasis, lists and the like; see
//!    `router/normalize.rs`. All Unicode normal forms of a message are slash text, or none is.
//! 4. Refuse wide, run narrow. Slash text is *plain* if it is a real `/` with nothing but white space and mentions of
//!    the bot in front. Only plain slash text runs: if it names a command and its arguments parse, it is that command.
//! 5. Plain slash text that names a command with arguments that do not parse is malformed.
//! 6. Slash text that names a command and is not plain is refused as such ([`Route::NotPlain`]), whatever its
//!    arguments.
//! 7. Slash text that names a group or command without its subcommand is malformed; with one that does not exist it is
//!    unknown. Any other slash text is an unknown command.
//! 8. A message with a line of its own that would be a command by rule 4, below other words, is refused as not plain,
//!    too. Other lines that begin with a slash do not matter: `/home/x` below words is words.
//! 9. A message that is nothing but the name of a command or tool that the caller may use is answered with a button
//!    ([`Route::Named`]), unless it replies to something or came with a file.
//! 10. Everything else is chat: only here is a [`ChatText`] created. *Go on* under a reply is chat as well: a sentence
//!     of the router's own. So is a message without words that came with something or mentions the bot.
//!
//! What came with a message, such as a message that it replies to, decides nothing: it is never read for commands.
//!
//! The commands that the caller may use are asked for only to name near ones, and for words that name one: never for other
//! chat.

pub(crate) mod arguments;
mod chat_text;
mod classify;
mod front;
mod menu;
mod modal;
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
