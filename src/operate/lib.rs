//! The operator's port: serves `GET /livez`, `GET /readyz`, `GET /metrics` and optionally the operator's page, and
//! sends the request of `candor health`.
//!
//! `/livez` answers 200 as long as this process answers at all. A Discord outage must not restart it, because every
//! restart costs one of a thousand logins a day. `/readyz` answers 200 when everything is ready, else 503 with the
//! missing parts and how long ago each shard heard Discord. It tests store and disk on each request. `/metrics` is for
//! Prometheus.

mod connections;
mod health;
mod metrics;
mod page;
mod serve;
mod state;

pub use health::{Health, ask, ask_to_reload};
pub use metrics::{FAMILIES, Family, Kind, Label, Values};
pub use page::{
    Finding, Metrics, ModuleView, NotAtDiscord, Overview, Page, PageToken, Part, Pasted, Simulated, TokenError,
    TurnEvent, UnavailableCommand,
};
pub use serve::serve;
pub use state::{AdminState, Count, Gauge, Look, Modules, Reloads, Shards, States};
