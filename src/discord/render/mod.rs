//! Renders answers as Discord's messages, embeds and components.
//!
//! `respond` renders an answer to an interaction and `posts` one to a message. `controls` renders an answer's
//! components and `button` the host's own buttons. `turn_text` renders the text of a chat turn with the lines below it.
//! `mentions` turns commands named in a text into clickable mentions.

pub(crate) mod button;
pub(crate) mod controls;
pub(crate) mod mentions;
pub(crate) mod posts;
pub(crate) mod respond;
pub(crate) mod turn_text;
