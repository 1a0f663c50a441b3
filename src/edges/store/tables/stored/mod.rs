//! The tables of the host's other data: calls that are due, leases, live messages, logins,
//! refused requests, and who used which place.

pub(super) mod due_calls;
mod leases;
mod live_messages;
mod logins;
pub(super) mod places;
mod refusals;
