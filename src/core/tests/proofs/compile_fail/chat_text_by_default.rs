//! `ChatText` has no default: only what a person wrote becomes one.

use candor_core::router::ChatText;

fn main() {
    let _words: ChatText = Default::default();
}
