//! Outside programs, contained: limits of the kernel, Landlock, a process group of their own, and nothing of the bot's.
//!
//! The bot never forks: that would cost the more the larger it is. It starts its own binary again as a small
//! [`starter`], which sets the limits and the rules on itself and then becomes the program. See `SECURITY.md` for what
//! this holds and what it does not.

mod calculator;
pub mod copy;
mod error;
mod look;
mod module;
mod program;
mod quota;
mod rights;
mod running;
mod sandbox;
mod spec;
pub mod starter;

pub use calculator::{ProcessCalculator, answer_calculation};
pub use copy::CheckedCopy;
pub use error::ProgramError;
pub use look::{Found, find};
pub use module::{ModuleFolders, Prepared, Turns};
pub use program::Printed;
pub use rights::{AskedReads, Forbidden, token_files};
pub use running::Running;
pub use sandbox::{Containment, containment};
pub use spec::{ProgramLimits, ProgramSpec, Programs};
