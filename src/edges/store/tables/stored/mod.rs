//! What the host has stored beside commands and chat: calls that are due, leases, live messages, logins.

mod due_calls;
mod leases;
mod live_messages;
mod logins;
