//! A receipt says what the executor saw.

use candor_core::record::{Outcome, Receipt};

fn change(receipt: &mut Receipt) {
    receipt.facts.outcome = Outcome::Done;
}

fn main() {}
