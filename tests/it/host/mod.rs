//! What runs between the edges and the core: commands, turns and watched files.

mod all_or_nothing;
mod conversations;
pub(crate) mod dispatch;
mod files;
mod hostile_model;
mod http_hosts;
mod live;
mod processes;
mod put_off;
mod ran_before;
mod replies;
mod turn_receipts;
mod unconfirmed;
