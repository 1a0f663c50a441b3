//! The parts of chat: the model, conversations, budgets, and the executor of commands.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::Semaphore;
use tracing::{error, info, warn};

use crate::Leases;
use crate::chat::arrivals::Arriving;
use crate::chat::budget::Budgets;
use crate::chat::talk::{SummaryWriter, Talker};
use crate::executor::{Charts, Executor};
use candor_core::access::Access;
use candor_core::agent::surroundings::{ContextSource, Unread};
use candor_core::agent::{ChatSettings, Conversations, Model, Summaries, Turns};
use candor_core::guild::Rules;
use candor_core::inbound::{AttachedFile, CameWith, EventId, Picture, PictureReader, Place};
use candor_core::router::ChatText;

/// The most pictures that are fetched or read at once, in all conversations together: each has up to 10 MiB.
const PICTURES_AT_ONCE_MAX: usize = 3;

pub struct Chat {
    /// The model, if one is configured. Without one, every chat message is answered with setup instructions.
    pub model: Option<Arc<dyn Model>>,
    /// The models, how each of them calls tools, and the model chosen for each conversation.
    pub talker: Arc<Talker>,
    /// `[chat]` and `[guard]`.
    pub settings: ChatSettings,
    pub access: Access,
    /// Runs the commands that the model calls. Also provides the clock and the counters.
    pub executor: Arc<Executor>,
    pub conversations: Arc<dyn Conversations>,
    pub turns: Arc<dyn Turns>,
    /// Lends each conversation to one process at a time.
    pub leases: Arc<dyn Leases>,
    pub budgets: Arc<Budgets>,
    pub charts: Charts,
    pub pictures: Pictures,
    /// Writes summaries of conversations. `None` without a model or a store of summaries.
    pub summaries: Option<Arc<SummaryWriter>>,
    /// Whether the warning was logged that the provider leaves tool calls in the text.
    pub told_of_calls_in_text: AtomicBool,
}

impl Chat {
    /// Adds summaries, stored in `store`, if there is a model.
    #[must_use]
    pub fn summarising(self, store: Arc<dyn Summaries>) -> Self {
        let summaries = self.model.clone().map(|model| {
            Arc::new(SummaryWriter::new(
                model,
                self.settings.clone(),
                self.talker.clone(),
                self.budgets.clone(),
                self.conversations.clone(),
                store,
                self.executor.clone(),
            ))
        });
        Self { summaries, ..self }
    }

    /// Reads the rules of a place, for the event that is admitted there.
    pub async fn rules(&self, place: Place) -> Rules {
        match &self.talker.places.guilds {
            Some(guilds) => guilds.rules(place).await,
            None => Rules::default(),
        }
    }

    /// Registers a message on its way to its turn. Its edits and its deletion are noted until it has its place or the
    /// guard is dropped.
    pub fn arriving(&self, event: EventId) -> Arriving {
        Arriving::begin(&self.talker.queues.arrivals, event)
    }

    /// Whether a message is on its way, waiting, or being answered.
    pub fn is_answering(&self, event: EventId) -> bool {
        self.talker.queues.holds(event)
    }

    /// Whether the turn of this event answers a question that was edited meanwhile. Known until its answer is shown.
    pub fn was_edited(&self, event: EventId) -> bool {
        self.talker.queues.was_edited(event)
    }

    /// Handles an edit. `now` is the new content, or `None` if it is no longer meant for the model.
    pub fn edited(&self, event: EventId, now: Option<(ChatText, CameWith)>) {
        self.talker.queues.edited(event, now);
    }

    /// Handles a deletion: the message is not answered, and a turn that answers nothing else ends.
    pub fn deleted(&self, event: EventId) {
        self.talker.queues.deleted(event);
    }

    /// Removes summaries that contain deleted messages, or replies that those messages showed.
    pub async fn messages_are_gone(&self, messages: &[u64]) {
        let Some(store) = &self.talker.summaries else { return };
        let mut gone = messages.to_vec();
        match self.turns.turns_of_messages(messages).await {
            Ok(turns) => gone.extend(turns.into_iter().flat_map(|turn| turn.record.answered())),
            Err(problem) => warn!(error = %problem, "cannot look up whose reply a deleted message was"),
        }
        match store.messages_are_gone(&gone).await {
            Ok(0) => {}
            Ok(n) => info!(n, "summaries went with a deleted message that went into them"),
            Err(problem) => error!(error = %problem, "summaries may hold what a deleted message said"),
        }
    }

    /// Waits, for a short time, until running summaries have ended and their use is counted. Called after
    /// [`Talker::leave`].
    pub async fn left(&self) {
        if let Some(summaries) = &self.summaries {
            summaries.ended().await;
        }
    }

    /// Finds out how the default model calls tools, so that the first reply need not wait for it.
    pub async fn find_tools(&self) {
        if let (Some(client), Some(model)) = (&self.model, self.talker.default_model()) {
            // A failure is logged, and the probe is repeated before the first reply.
            let _mode = self.talker.modes.of(&model.name, client.as_ref()).await;
        }
    }
}

/// Fetches pictures and prepares them. Without a reader, the model only gets each picture's name.
pub struct Pictures {
    reader: Option<Arc<dyn PictureReader>>,
    room: Semaphore,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { reader: None, room: Semaphore::new(PICTURES_AT_ONCE_MAX) }
    }
}

impl Pictures {
    pub fn read_by(reader: Arc<dyn PictureReader>) -> Self {
        Self { reader: Some(reader), ..Self::default() }
    }

    /// Reads a file as a picture. The caller sets the timeout.
    pub(super) async fn read(&self, file: &AttachedFile, source: &dyn ContextSource) -> Result<Picture, Unread> {
        let reader = self.reader.as_ref().ok_or(Unread::Image)?;
        let _room = self.room.acquire().await.map_err(|_closed| Unread::Late)?;
        Ok(reader.read(source.picture(file).await?).await?)
    }
}
