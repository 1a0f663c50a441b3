//! The operator's page at `/`: the setup, the state, and a simulator of the router. It is one response, made here from
//! data that others collect. It has no scripts, loads nothing, and changes nothing.
//!
//! Most of its text is untrusted. [`html`] accepts markup only from this program and escapes everything else. The
//! headers of [`routes`] keep a browser from running or loading anything in it.

mod entry;
mod figures;
mod health;
mod html;
mod render;
mod routes;
mod sections;
mod simulate;
mod view;

pub use entry::{PageToken, TokenError};
pub use routes::Page;
pub(crate) use routes::routes;
pub use simulate::{Part, Pasted, Simulated};
pub use view::{Finding, Metrics, ModuleView, NotAtDiscord, Overview, TurnEvent, UnavailableCommand};
