//! A transcript takes words that were chat, and nothing else.

use candor_core::agent::prompt::Transcript;

fn main() {
    let _asked = Transcript::new(String::new(), &[], "/status");
}
