//! There are no words that nobody wrote.

use candor::router::ChatText;

fn main() {
    let _words: ChatText = Default::default();
}
