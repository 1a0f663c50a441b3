//! There are no words that nobody wrote.

use candor_core::router::ChatText;

fn main() {
    let _words: ChatText = Default::default();
}
