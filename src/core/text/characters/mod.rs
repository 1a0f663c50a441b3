//! Misleading characters: invisible ones, control characters of a terminal, and look-alikes.

mod seen;
mod skeleton;
mod visible;

pub use seen::{seen, without_hidden};
pub(crate) use skeleton::skeleton;
pub use visible::{first_control, is_invisible, printable, visible, visible_line};
