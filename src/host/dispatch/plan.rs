//! What to do about an inbound, known before anything is done.

use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::host::chat::Held;
use candor_core::contract::Leaf;
use candor_core::inbound::CommandPath;
use candor_core::language::{Language, say};
use candor_core::reply::{Answer, Audience};
use candor_core::router::ModalRequest;
use candor_core::text::in_code_span;

/// What to do about an inbound.
#[derive(Debug)]
pub enum Plan<'a> {
    /// Nothing: it is not for the bot.
    Silence,
    /// A modal asks for required options that were left out. The caller may use the command.
    Modal {
        /// The command, what was given, and what is missing.
        request: ModalRequest,
        /// What the command takes.
        leaf: &'a Leaf,
    },
    /// An answer, once the work is done.
    Answer(Work<'a>),
}

impl Plan<'_> {
    /// Does the work and returns the answer, for surfaces that cannot open a modal: there, it says which options are
    /// missing. `None` when there is nothing to say, because the inbound is not for the bot or another process answers
    /// it.
    pub async fn done(self, language: Language) -> Option<Answer> {
        match self {
            Self::Silence => None,
            Self::Modal { request, .. } => {
                let missing: Vec<_> = request.missing.iter().map(|name| in_code_span(name)).collect();
                let (command, options) = (request.path.to_string(), missing.join(", "));
                Some(Answer::host(say!(language, "modal-not-here", command = command, options = options)))
            }
            Self::Answer(work) => work.done().await,
        }
    }
}

/// The work that leads to an answer.
pub struct Work<'a> {
    /// The kind of work.
    pub kind: WorkKind,
    /// Who may see the answer: known before, because a deferred response fixes it.
    pub audience: Audience,
    answer: BoxFuture<'a, (Option<Answer>, Held)>,
}

/// What kind of work leads to an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// The run of a command.
    Command(CommandPath),
    /// A chat turn.
    Chat,
    /// None: the answer says why nothing runs.
    Refusal {
        /// Whether Discord still offers a command that does not exist, or not with these options.
        is_outdated: bool,
    },
}

impl<'a> Work<'a> {
    pub(super) fn new(
        kind: WorkKind,
        audience: Audience,
        answer: impl Future<Output = Option<Answer>> + Send + 'a,
    ) -> Self {
        Self { kind, audience, answer: answer.map(|answer| (answer, Held::default())).boxed() }
    }

    /// A chat turn.
    pub(super) fn chat(answer: impl Future<Output = (Option<Answer>, Held)> + Send + 'a) -> Self {
        Self { kind: WorkKind::Chat, audience: Audience::Place, answer: answer.boxed() }
    }

    /// Nothing runs, and the caller is told why.
    pub(super) fn refusal(is_outdated: bool, answer: impl Future<Output = Option<Answer>> + Send + 'a) -> Self {
        Self::new(WorkKind::Refusal { is_outdated }, Audience::Asker, answer)
    }

    /// Does the work. `None` when another process already answers.
    pub async fn done(self) -> Option<Answer> {
        self.answer.await.0
    }

    /// The same, for a surface that takes a while to show the answer: the next turn of the conversation begins when what
    /// comes with it is dropped.
    pub async fn done_and_held(self) -> (Option<Answer>, Held) {
        self.answer.await
    }
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("kind", &self.kind).field("audience", &self.audience).finish_non_exhaustive()
    }
}
