//! Words stay what the router read.

use candor_core::router::ChatText;

fn change(mut words: ChatText) -> ChatText {
    words.0 = "/status".to_owned();
    words
}

fn main() {}
