//! The plan for an inbound, made before any work is done.

use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tracing::{Instrument as _, Span};

use crate::chat::Held;
use crate::executor::Keeping;
use candor_core::contract::Leaf;
use candor_core::inbound::CommandPath;
use candor_core::language::{Language, say};
use candor_core::reply::{Answer, Audience};
use candor_core::router::ModalRequest;
use candor_core::text::in_code_spans;

#[derive(Debug)]
pub enum Plan<'a> {
    /// Do nothing: the inbound is not for the bot.
    Silence,
    /// A modal asks for required options that were left out. The caller may use the command.
    Modal {
        /// The command, its given options and its missing options.
        request: ModalRequest,
        leaf: Box<Leaf>,
    },
    Answer(Work<'a>),
}

impl Plan<'_> {
    /// Does the work and returns the answer, for surfaces that cannot open a modal: there, it names the missing
    /// options. `None` if the inbound is not for the bot or another process answers it.
    pub async fn done(self, language: Language) -> Option<Answer> {
        match self {
            Self::Silence => None,
            Self::Modal { request, .. } => {
                let command = request.path.to_string();
                let options = in_code_spans(&request.missing);
                Some(Answer::host(say!(language, "modal-not-here", command = command, options = options)))
            }
            Self::Answer(work) => work.done().await,
        }
    }
}

pub struct Work<'a> {
    pub kind: WorkKind,
    /// The audience of the answer. Known before the work, because a deferred response fixes it.
    pub audience: Audience,
    answer: Box<Doing<'a>>,
}

/// Does the work. The argument says whether a receipt may be stored after its answer.
type Doing<'a> = dyn FnOnce(Keeping) -> BoxFuture<'a, (Option<Answer>, Held)> + Send + 'a;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkKind {
    Command(CommandPath),
    Chat,
    /// No work: the answer says why nothing runs.
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
        let answer = answer.map(|answer| (answer, Held::default())).boxed();
        Self { kind, audience, answer: Box::new(|_| answer) }
    }

    pub(super) fn command<R>(path: CommandPath, audience: Audience, run: impl FnOnce(Keeping) -> R + Send + 'a) -> Self
    where
        R: Future<Output = Option<Answer>> + Send + 'a,
    {
        let answer = |keeping| run(keeping).map(|answer| (answer, Held::default())).boxed();
        Self { kind: WorkKind::Command(path), audience, answer: Box::new(answer) }
    }

    pub(super) fn chat(answer: impl Future<Output = (Option<Answer>, Held)> + Send + 'a) -> Self {
        let answer = answer.boxed();
        Self { kind: WorkKind::Chat, audience: Audience::Place, answer: Box::new(|_| answer) }
    }

    pub(super) fn refusal(is_outdated: bool, answer: impl Future<Output = Option<Answer>> + Send + 'a) -> Self {
        Self::new(WorkKind::Refusal { is_outdated }, Audience::Asker, answer)
    }

    pub(super) fn within(self, span: Span) -> Self {
        if span.is_disabled() {
            return self;
        }
        let answer = self.answer;
        Self { answer: Box::new(move |keeping| answer(keeping).instrument(span).boxed()), ..self }
    }

    /// Does the work. `None` if another process already answers.
    pub async fn done(self) -> Option<Answer> {
        self.done_and_held().await.0
    }

    /// Does the work. The receipt of a command that changes nothing may be stored while the answer is sent: the caller
    /// must ask `keeping` afterwards.
    pub async fn done_before_kept(self, keeping: &Keeping) -> Option<Answer> {
        (self.answer)(keeping.clone()).await.0
    }

    /// Does the work for a surface that takes a while to show the answer. The next turn of the conversation begins when
    /// the second value is dropped.
    pub async fn done_and_held(self) -> (Option<Answer>, Held) {
        (self.answer)(Keeping::default()).await
    }
}

impl fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("kind", &self.kind).field("audience", &self.audience).finish_non_exhaustive()
    }
}
