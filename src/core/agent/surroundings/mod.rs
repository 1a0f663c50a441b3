//! Message context for the model, as data: the messages replied to, and attachments.
//!
//! All of it is other people's text. It goes into one JSON object on one line, behind a sentence of the host that says
//! that it is data. So it cannot form a separate line that reads like an instruction or like the host. Each piece has a
//! bound, and all of them together may have a third of the model's context:
//!
//! | piece | how many | each at most |
//! | --- | --- | --- |
//! | messages in the chain of replies, the nearest first | [`QUOTED_MAX`] | [`QUOTED_LENGTH_MAX`] characters |
//! | text files that are read | [`FILES_MAX`] | [`FILE_BYTES_MAX`] bytes, and the rest of the third |
//! | pictures, if the model takes them | [`PICTURES_MAX`] | their tokens, if the third has room for them |
//! | names of people, places and files | | [`NAME_LENGTH_MAX`] characters |
//!
//! Cut and hidden pieces are named: to the model in the data, to people in the record of the turn.

mod around;
mod file;
mod framed;

pub use around::{
    ContextSource, FILES_NAMED_MAX, NAME_LENGTH_MAX, PlaceNames, QUOTED_LENGTH_MAX, QUOTED_MAX, Surroundings,
};
pub use file::{
    FILE_BYTES_MAX, FILES_MAX, FileContent, PICTURES_MAX, ReadFile, Unread, is_picture, unread, unread_picture,
};
pub use framed::Framed;
pub(crate) use framed::told_summary;
