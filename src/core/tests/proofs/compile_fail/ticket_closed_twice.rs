//! A ticket is closed once: closing it takes it.

use std::time::Duration;

use candor_core::execution::{Closed, Effect, End, Ticket};

fn close_twice(ticket: Ticket, first: End, second: End) -> [Closed; 2] {
    [ticket.close(first, Effect::None, Duration::ZERO), ticket.close(second, Effect::None, Duration::ZERO)]
}

fn main() {}
