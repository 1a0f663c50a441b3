//! The plan for an inbound, made before any work is done.

use candor_core::contract::Leaf;
use candor_core::reply::{Answer, Audience};
use candor_core::router::{ChatText, Invocation, ModalRequest};

#[derive(Debug)]
pub enum Plan {
    /// Do nothing: the inbound is not for the bot.
    Silence,
    /// Say why nothing runs.
    Refusal {
        answer: Box<Answer>,
        /// Whether Discord still offers a command that does not exist, or not with these options.
        is_outdated: bool,
    },
    /// A modal asks for required options that were left out. The caller may use the command.
    Modal {
        /// The command, its given options and its missing options.
        request: ModalRequest,
        leaf: Box<Leaf>,
    },
    Command {
        invocation: Box<Invocation>,
        audience: Audience,
    },
    Chat(ChatText),
}

impl Plan {
    pub(super) fn refusal(answer: Answer) -> Self {
        Self::Refusal { answer: Box::new(answer), is_outdated: false }
    }

    /// Returns the audience of the answer. It is known before the work, because a deferred response fixes it.
    pub fn audience(&self) -> Audience {
        match self {
            Self::Command { audience, .. } => *audience,
            Self::Chat(_) => Audience::Place,
            Self::Silence | Self::Refusal { .. } | Self::Modal { .. } => Audience::Asker,
        }
    }
}
