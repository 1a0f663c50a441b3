//! Secret keys, and what is encrypted with them.

mod key;
mod sealer;

pub use key::{KEY_LENGTH, Secrets, SigningKey};
pub use sealer::Sealer;
