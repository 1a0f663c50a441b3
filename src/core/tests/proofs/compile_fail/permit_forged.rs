//! Only `access` makes permits.

use candor_core::access::Permit;
use candor_core::contract::{Handler, Owner};
use candor_core::reply::Audience;
use candor_core::router::Invocation;

fn forge(invocation: Invocation, handler: Handler) -> Permit {
    Permit { invocation, handler, owner: Owner::Builtin, audience: Audience::Place }
}

fn main() {}
