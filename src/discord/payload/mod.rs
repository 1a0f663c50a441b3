//! Types of the gateway payloads that the bot uses. No I/O.
//!
//! A frame is parsed once. Texts are borrowed from it where JSON allows. A field with a value of another type counts as
//! missing ([`lenient`]), so a change by Discord in one field leaves the rest readable. Only fields that an object
//! cannot be used without are required: an object without one counts as missing as a whole.

mod event;
mod frame;
mod interaction;
mod lenient;
mod message;
#[cfg(test)]
mod tests;

pub(crate) use event::{Deleted, Hello, Joined, Outline, Reacted, Ready, read, read_event};
pub(crate) use frame::{Head, Kind};
pub(crate) use interaction::{
    Channel, Chosen, CommandData, CommandInteraction, CommandOption, ComponentInteraction, Interaction,
    ModalInteraction, Read, Resolved, Seeming, Unread, read_interaction,
};
pub(crate) use lenient::Scalar;
pub(crate) use message::{Attachment, Embed, Member, Message, Snapshot, User};
