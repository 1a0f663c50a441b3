//! A transcript takes a `ChatText` as the person's words, and no string.

use candor_core::agent::prompt::Transcript;

fn main() {
    let _asked = Transcript::new(String::new(), &[], "/status");
}
