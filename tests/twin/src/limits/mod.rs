//! Discord's documented limits as checks of request bodies.
//!
//! The error codes (50035 and others) and the paths in the `errors` tree are documented or were observed. Where Discord
//! does not document an inner code, the twin's is a guess: rely on the path.

mod check;
mod command;
mod component;
mod embed;
mod field;
mod file;
mod message;
mod name;
mod option;
mod size;

pub use check::{check_command, check_commands, check_message};
pub(crate) use command::{check_counts, kind_of};
pub(crate) use component::check_modal;
pub(crate) use field::{Need, Text, is_object, length, list, too_many};
pub(crate) use file::{BodyContext, check_sizes};
pub(crate) use message::{Uploads, check_body, check_choices, require_content};
