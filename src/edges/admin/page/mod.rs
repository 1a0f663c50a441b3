//! The operator's page at `/`: what runs, how it is, and a simulator of the router. One answer, made here from data that
//! others collect: no script, nothing from elsewhere, nothing on it changes anything.
//!
//! Everything on it may be text of strangers. [`html`] takes markup from this program alone and escapes all else, and the
//! headers of [`routes`] keep a browser from running or loading anything whatever stands in it.

mod entry;
mod figures;
mod health;
mod html;
mod render;
mod routes;
mod sections;
mod simulate;
mod table;
mod view;

pub use entry::{PageToken, TokenError};
pub use routes::Page;
pub(in crate::edges::admin) use routes::routes;
pub use simulate::{Part, Pasted, Simulated};
pub use view::{Finding, Metrics, ModuleView, NotAtDiscord, Overview, TurnEvent, UnavailableCommand};
