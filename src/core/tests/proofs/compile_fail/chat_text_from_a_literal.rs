//! Only the router makes a `ChatText`: not a struct literal.

use candor_core::router::ChatText;

fn main() {
    let _words = ChatText { 0: "/status".to_owned() };
}
