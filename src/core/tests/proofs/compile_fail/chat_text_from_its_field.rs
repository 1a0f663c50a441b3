//! Only the router makes a `ChatText`: its field is private.

use candor_core::router::ChatText;

fn main() {
    let _words = ChatText("/status".to_owned());
}
