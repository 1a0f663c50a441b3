//! The model takes words that were chat, and nothing else.

use candor::agent::Model;

async fn ask(model: &dyn Model) {
    let _answer = model.answer("llama", "", &[], "/status").await;
}

fn main() {}
