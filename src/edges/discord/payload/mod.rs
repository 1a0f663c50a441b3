//! Types of the gateway payloads that the bot uses. No I/O.
//!
//! A frame is read once. Texts are borrowed from it where JSON allows. A field with a value of another type counts as
//! missing ([`lenient`]), so nothing that Discord adds or changes in one field makes the rest unreadable. Only what an
//! object cannot be used without is required: an object without it counts as missing as a whole.

mod event;
mod frame;
mod interaction;
mod lenient;
mod message;
mod person;
#[cfg(test)]
mod tests;

pub(crate) use event::{Deleted, Hello, Joined, Outline, Reacted, Ready, read, read_event};
pub(crate) use frame::{Head, Kind};
pub(crate) use interaction::{
    Channel, Chosen, CommandData, CommandInteraction, CommandOption, ComponentInteraction, Interaction,
    ModalInteraction, Read, Resolved, Seeming, Unread, read_interaction,
};
pub(crate) use lenient::Scalar;
pub(crate) use message::{Attachment, Embed, Message, Snapshot};
pub(crate) use person::{Member, User};
