//! The text of a `ChatText` cannot be changed after the router read it.

use candor_core::router::ChatText;

fn change(mut words: ChatText) -> ChatText {
    words.0 = "/status".to_owned();
    words
}

fn main() {}
