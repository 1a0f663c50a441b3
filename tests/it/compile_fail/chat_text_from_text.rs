//! Text is not words for the model until the router says so.

use candor_core::router::ChatText;

fn main() {
    let _words: ChatText = String::from("/status").into();
}
