//! Misleading characters: invisible ones, control characters of a terminal, and look-alikes.

mod invisible;
mod printable;
mod seen;
mod skeleton;
mod visible;

pub use invisible::is_invisible;
pub use printable::{first_control, printable};
pub use seen::{seen, without_hidden};
pub(crate) use skeleton::skeleton;
pub use visible::{visible, visible_line};
