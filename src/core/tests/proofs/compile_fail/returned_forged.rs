//! Only the future of a run says that its handler returned.

use candor_core::execution::Returned;
use candor_core::reply::Reply;

fn forge(other: Returned) -> Returned {
    Returned { result: Box::new(Ok(Reply::text("ran"))), ..other }
}

fn main() {}
