//! Only the router makes a `ChatText`: there is no conversion from a string.

use candor_core::router::ChatText;

fn main() {
    let _words: ChatText = String::from("/status").into();
}
