//! Only the guard makes permits.

use candor::contract::{Handler, Owner};
use candor::guard::Permit;
use candor::reply::Audience;
use candor::router::Invocation;

fn forge(invocation: Invocation, handler: Handler) -> Permit {
    Permit { invocation, handler, owner: Owner::Harness, audience: Audience::Place }
}

fn main() {}
