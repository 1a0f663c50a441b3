//! Only the router makes words for the model.

use candor::router::ChatText;

fn main() {
    let _words = ChatText { 0: "/status".to_owned() };
}
