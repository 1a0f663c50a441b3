//! Only the router makes words for the model.

use candor_core::router::ChatText;

fn main() {
    let _words = ChatText("/status".to_owned());
}
