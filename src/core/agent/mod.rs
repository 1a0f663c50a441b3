//! The chat turn: prompt, tool calls, and the model's reply.
//!
//! Pure: builds the requests to a model, judges its answers, and has a text for each failure. The client is in
//! `candor-providers`, the storage of conversations in the store.

mod budget;
mod conversation;
#[cfg(test)]
mod fixture;
mod model;
pub mod prompt;
pub(crate) mod settings;
pub mod surroundings;
mod text;
pub mod tools;
pub mod turn;

pub use budget::{Budget, BudgetSettings, Day, DayLimits, Spending, Spent, Subject, Tokens, Usage, Verdict};
pub use conversation::{
    ConversationKey, Conversations, Exchange, Generation, Generations, Spoken, Summaries, Summary, ToSummarise, Turns,
    UnshownExchange, Whose,
};
pub(crate) use model::final_words;
pub use model::{
    Growth, ImageProbe, Model, ModelFailure, Probe, Request, Unwatched, begins_in_thought, without_thinking,
    words_so_far,
};
pub use prompt::system_prompt;
pub use settings::{
    ChatSettings, GuardSettings, ImageSetting, MessageContent, OfferedModel, OwnThreads, PlaceChat, ToolMode,
    ToolSetting, TurnLimits,
};
pub use text::{HOST, unmarked};
pub use turn::{Effect, Ending, Finished, Input, Turn, TurnFailure, TurnSetup};
