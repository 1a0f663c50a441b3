//! A transcript takes words that were chat, and nothing else.

use candor::agent::Transcript;

fn main() {
    let _asked = Transcript::new(String::new(), &[], "/status");
}
