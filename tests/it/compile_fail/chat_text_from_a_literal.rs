//! Only the router makes words for the model.

use candor_core::router::ChatText;

fn main() {
    let _words = ChatText { 0: "/status".to_owned() };
}
