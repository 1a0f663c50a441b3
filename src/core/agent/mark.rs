//! The prefix of everything that the host, not a person, says to a model.

/// The mark at the start of everything that the host says to a model. No person's words contain it, and no model's.
pub const HOST: &str = "[host]";
