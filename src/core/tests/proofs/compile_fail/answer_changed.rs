//! What stands above a receipt is what it vouches for: the parts of an answer cannot be replaced.

use candor_core::reply::{Answer, Reply};

fn dressed(mut answer: Answer) -> Answer {
    answer.reply = Reply::text("All is done.");
    answer
}

fn main() {}
