//! Characters that mislead: invisible ones, those that act on a terminal, and those that look like others.

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
