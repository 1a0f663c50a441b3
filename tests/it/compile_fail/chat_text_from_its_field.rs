//! Only the router makes words for the model.

use candor::router::ChatText;

fn main() {
    let _words = ChatText("/status".to_owned());
}
