//! Makes the model summarise the exchanges of a conversation that it is no longer shown. Runs after a turn, in the
//! background.
//!
//! No turn waits for it. It is a separate request, without tools, with limits of tokens and time, and counts for the
//! budgets of the turn's person. If it fails, nothing is stored, and it is tried again after some turns: more turns
//! after each failure.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::chat::budget::Budgets;
use crate::chat::talk::setbacks::Setbacks;
use crate::chat::talk::talker::Talker;
use crate::executor::Executor;
use candor_core::agent::prompt::{Transcript, request_tokens, summary_of, summary_request};
use candor_core::agent::tools::OfferedSet;
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, Growth, Model, ModelFailure, OfferedModel, PlaceChat, Request,
    Summaries, Tokens, ToolMode,
};
use candor_core::contract::ServiceError;
use candor_core::guild::Rules;
use candor_core::inbound::{Place, UserId};

/// The most summaries written at once, in all conversations together. A skipped summary follows the next turn.
const AT_ONCE_MAX: usize = 4;

/// How long a summary may take, including the waits for a place at the model and for the first token.
const WITHIN: Duration = Duration::from_mins(3);

/// How long shutdown waits until the use of running summaries is counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(2);

const EXCHANGES_MAX: usize = 50;

/// At most this many exchanges count as shown. The store holds 200, and an exchange beyond that is lost.
const SHOWN_MAX: usize = 160;

pub struct SummaryWriter {
    model: Arc<dyn Model>,
    talker: Arc<Talker>,
    settings: ChatSettings,
    conversations: Arc<dyn Conversations>,
    store: Arc<dyn Summaries>,
    budgets: Arc<Budgets>,
    executor: Arc<Executor>,
    under_way: Mutex<HashSet<ConversationKey>>,
    setbacks: Setbacks,
    running: TaskTracker,
}

impl SummaryWriter {
    pub(in crate::chat) fn new(
        model: Arc<dyn Model>,
        settings: ChatSettings,
        talker: Arc<Talker>,
        budgets: Arc<Budgets>,
        conversations: Arc<dyn Conversations>,
        store: Arc<dyn Summaries>,
        executor: Arc<Executor>,
    ) -> Self {
        let under_way = Mutex::default();
        let setbacks = Setbacks::default();
        let running = TaskTracker::new();
        Self { model, talker, settings, conversations, store, budgets, executor, under_way, setbacks, running }
    }
}

/// An ended turn that a summary may follow.
pub(in crate::chat) struct EndedTurn {
    pub(in crate::chat) key: ConversationKey,
    pub(in crate::chat) user: UserId,
    pub(in crate::chat) place: Place,
    pub(in crate::chat) rules: Rules,
    /// How many earlier exchanges the model was shown.
    pub(in crate::chat) n_given: usize,
}

enum NotWritten {
    Store(ServiceError),
    /// The reason in a word, for the log.
    Because(&'static str),
    /// The model was asked and wrote no summary. The reason in a word, for the log.
    Asked(&'static str),
}

impl From<ServiceError> for NotWritten {
    fn from(problem: ServiceError) -> Self {
        Self::Store(problem)
    }
}

impl SummaryWriter {
    /// Starts to write the summary of a conversation if some exchanges are no longer shown. Returns at once.
    pub(in crate::chat) fn follow(self: &Arc<Self>, turn: EndedTurn) {
        let here = self.talker.places.at(turn.place, &turn.rules);
        let settings = self.settings.in_place(&here);
        if !settings.summaries || self.talker.queues.leaving.is_cancelled() {
            return;
        }
        let history = settings.history;
        if !self.setbacks.lets(&turn.key) {
            return;
        }
        let Some(under_way) = UnderWay::begin(self, &turn.key) else { return };
        self.running.spawn(async move {
            let of = under_way.of.clone();
            match of.write(&turn, &here, history).await {
                Ok(()) => of.setbacks.ended(&turn.key),
                Err(NotWritten::Asked(reason)) => {
                    let turns = of.setbacks.failed(&turn.key);
                    info!(
                        reason,
                        turns, "a summary of a conversation was not written: it is tried again after some turns"
                    );
                }
                Err(NotWritten::Because(reason)) => info!(reason, "a summary of a conversation was not written"),
                Err(NotWritten::Store(problem)) => {
                    warn!(error = %problem, "the summary of a conversation cannot be read or kept");
                }
            }
            drop(under_way);
        });
    }

    /// Waits, for a short time, until the running summaries have ended and their use is counted. Called at shutdown.
    pub(crate) async fn ended(&self) {
        self.running.close();
        if timeout(COUNTED_WITHIN, self.running.wait()).await.is_err() {
            warn!("stopped before the tokens of the last summaries were counted");
        }
    }

    async fn write(&self, turn: &EndedTurn, here: &PlaceChat, history: usize) -> Result<(), NotWritten> {
        let EndedTurn { key, user, place, n_given, .. } = turn;
        let n_kept = usize::try_from(self.conversations.n_exchanges(key).await?).unwrap_or(usize::MAX);
        // This turn's exchange is stored by now, and was not shown. Other exchanges that were not shown had no room.
        let was_left_out = n_given + 1 < n_kept;
        let n_shown = if was_left_out { (*n_given).max(1) } else { history }.min(SHOWN_MAX);
        if self.store.to_summarise(key, n_shown, 1).await?.exchanges.is_empty() {
            return Ok(());
        }
        // Also includes a part of the shown exchanges, so that not every turn needs a new summary.
        let mut of = self.store.to_summarise(key, n_shown - n_shown / 4, EXCHANGES_MAX).await?;
        let candidates = self.talker.candidates(key, here).await?;
        let model = candidates.first().ok_or(NotWritten::Because("no-model"))?;
        let (transcript, n_in_it) = summary_request(&of, model.context_tokens.saturating_sub(model.answer_tokens) / 2);
        of.exchanges.truncate(n_in_it);
        let text = self.ask(model, key, &transcript, *user, *place).await?;
        match self.store.keep_summary(key, &of, &text).await? {
            true => Ok(()),
            false => Err(NotWritten::Because("forgotten-meanwhile")),
        }
    }

    async fn ask(
        &self,
        model: &OfferedModel,
        key: &ConversationKey,
        transcript: &Transcript,
        user: UserId,
        place: Place,
    ) -> Result<String, NotWritten> {
        let counted = self.budgets.beside(user, place, self.executor.clock.now()).await;
        let counted = counted.map_err(|_refusal| NotWritten::Because("no-budget"))?;
        let none = OfferedSet::none();
        let request = Request {
            conversation: Some(key),
            model: &model.name,
            transcript,
            tools: &none,
            within: self.settings.limits.time,
        };
        let growth = Counting::default();
        let answered = tokio::select! {
            biased;
            () = self.talker.queues.leaving.cancelled() => Err(NotWritten::Because("leaving")),
            answered = timeout(WITHIN, self.model.complete(request, &growth)) => {
                answered.map_err(|_elapsed| NotWritten::Asked("out-of-time"))
            }
        };
        let written = growth.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        let said = match &answered {
            Ok(Ok(completion)) => Some(completion.text.as_str()),
            // Timed out: if the request was sent, the provider has read it and may bill it.
            Err(_) | Ok(Err(ModelFailure::TimedOut(_))) => growth.was_asked.into_inner().then_some(written.as_str()),
            Ok(Err(_)) => growth.began.into_inner().then_some(written.as_str()),
        };
        let used = match (growth.counted.into_inner(), said) {
            (0, Some(said)) => {
                Tokens { estimated: request_tokens(ToolMode::None, transcript, &none, said), counted: 0 }
            }
            (counted, _) => Tokens { counted, estimated: 0 },
        };
        self.budgets.end(counted, used, &self.executor.counters).await;
        match answered? {
            Err(failure) => Err(NotWritten::Asked(failure.name())),
            Ok(completion) => summary_of(&completion).ok_or(NotWritten::Asked("no-summary")),
        }
    }
}

/// A summary that is being written, until it is dropped. Each conversation has at most one.
struct UnderWay {
    of: Arc<SummaryWriter>,
    key: ConversationKey,
}

impl UnderWay {
    fn begin(of: &Arc<SummaryWriter>, key: &ConversationKey) -> Option<Self> {
        let mut under_way = of.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = under_way.len() < AT_ONCE_MAX && under_way.insert(key.clone());
        begins.then(|| Self { of: of.clone(), key: key.clone() })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.of.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// Counts the tokens of one request.
#[derive(Default)]
struct Counting {
    was_asked: AtomicBool,
    began: AtomicBool,
    written: Mutex<String>,
    counted: AtomicU64,
}

impl Growth for Counting {
    fn asked(&self) {
        self.was_asked.store(true, Ordering::Relaxed);
    }

    fn began(&self) {
        self.began.store(true, Ordering::Relaxed);
    }

    fn grew(&self, text: &str) {
        text.clone_into(&mut self.written.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn used(&self, tokens: u64) {
        self.counted.fetch_add(tokens, Ordering::Relaxed);
    }
}
