//! The chat turn: a person's words to a model, and the model's answer, honestly told.
//!
//! Pure: what a model may be given and what it may answer, and the words for each way it can fail. The
//! wire is in `model`, the conversation's keeping in the store.

mod conversation;
mod failure;
#[cfg(test)]
mod fixture;
pub mod honesty;
mod model;
pub mod prompt;
pub(crate) mod settings;
pub mod tools;
pub mod turn;

pub use conversation::{ConversationKey, Conversations, Exchange, Turns};
pub use failure::ModelFailure;
pub use model::{Model, Request};
pub use prompt::system_prompt;
pub use settings::{ChatSettings, GuardSettings, RecoverMemory, ToolMode, TurnLimits};
pub use turn::{Effect, Ending, Finished, Input, MEMORY, Turn, TurnFailure, TurnSetup};
