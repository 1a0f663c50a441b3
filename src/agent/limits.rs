//! How far one chat turn may go, and what is checked in its reply.

use std::time::Duration;

/// The bounds of one turn: `[chat.limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// Requests to the model, retries and corrections included. 1 to 32.
    pub steps: usize,
    /// Calls that run in one step; further ones are answered as not run. 1 to 16.
    pub calls_per_step: usize,
    /// Time for the model and the commands together. Waiting for a person's Confirm does not count.
    pub time: Duration,
    /// How often one unknown name is corrected before its calls are skipped. 0 to 16.
    pub corrections_per_name: u32,
    /// How often anything is corrected before the turn is given up. 0 to 64.
    pub corrections: u32,
    /// The longest result of a tool that the model is shown, in bytes of UTF-8. 256 to 1 MiB.
    pub result_bytes: usize,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            steps: 8,
            calls_per_step: 4,
            time: Duration::from_secs(60),
            corrections_per_name: 3,
            corrections: 6,
            result_bytes: 16 * 1024,
        }
    }
}

/// Which checks a reply goes through before anybody reads it: `[guard]`. What is switched off is not looked for;
/// nothing that a model writes as text runs either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardSettings {
    /// Tool calls written as text are taken out.
    pub tool_text: bool,
    /// Made-up results are taken out.
    pub made_up_results: bool,
    /// Claims that something was done are compared with the receipts.
    pub claims: bool,
    /// Commands that do not exist are pointed out.
    pub command_names: bool,
    /// After a tool ran: figures, names, paths and dates are looked for in what it said.
    pub grounding: bool,
    /// What happens to a memory that the model only pretended to save.
    pub recover_memory: RecoverMemory,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self {
            tool_text: true,
            made_up_results: true,
            claims: true,
            command_names: true,
            grounding: true,
            recover_memory: RecoverMemory::Ask,
        }
    }
}

/// `[guard] recover_memory`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverMemory {
    /// The person is asked by a button under the reply.
    Ask,
    /// It is saved for real, with a receipt that says so.
    Auto,
}

/// How the model calls tools: `[model] tools`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMode {
    /// By the tool calls of the chat API.
    Native,
    /// By a JSON block that is the whole message.
    Text,
    /// Not at all: none are offered.
    None,
}

impl ToolMode {
    /// The word for it in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Text => "text",
            Self::None => "none",
        }
    }
}
