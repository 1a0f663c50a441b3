//! Secret keys, and encryption with them.

mod key;
mod salt;
mod sealer;

pub use key::{KEY_LENGTH, Secrets, SigningKey};
pub use salt::salt;
pub use sealer::Sealer;
