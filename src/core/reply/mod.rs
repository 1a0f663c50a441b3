//! Replies and answers, independent of the surface that shows them.
//!
//! A handler returns a [`Reply`]; it never sends one. The host turns it into an [`Answer`], which always knows its
//! [`Provenance`]: a command's receipt, a chat turn, or the host itself. Edges render answers and add only the parts
//! that follow from the provenance: the footer, or the notes and the mark.

pub(crate) mod answer;
pub mod chart;
mod control;
mod fold;
mod footer;
mod host_line;
mod mark;
mod mention;
mod model_text;
mod pages;
mod sanitize;
mod split;

pub use answer::{Answer, AnswerParts, Audience, Author, Field, Provenance, Reply, ReplyFile, Thing, TurnFacts};
pub use chart::{Chart, SERIES_MAX, Series, sparkline};
pub use control::{Control, ControlStyle, Emoji, Picked, PreparedCall};
pub use footer::{
    CLOCK_SKEW_MAX, age, age_in, clock_time, moment, moment_ahead, moment_and_age, receipt_footer, run_line, took_text,
};
pub(crate) use host_line::{reads_like_a_question, reads_like_the_hosts};
pub use mark::{Mark, still_writing};
pub use mention::Mentionable;
pub use model_text::model_text;
pub use pages::{PAGE_OPTION, Page};
pub use sanitize::{sanitize_model_text, sanitize_module_text};
pub use split::{CONTENT_LENGTH_MAX, split_content};
