//! The channel of one message while it is answered: sends, edits and deletes the bot's messages.
//!
//! Also shows that the bot types, and names the target of a reply: a message, or a press of *Go on* under one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use serenity::all::{ChannelId, GuildId, MessageId};
use tokio::sync::{Mutex, OnceCell, watch};
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::convert;
use crate::custom_id::Signer;
use crate::messages::question::{ShownQuestion, Unanswered};
use crate::payload::{ComponentInteraction, Message};
use crate::render::posts::{Post, replying};
use crate::render::turn_text::closed_question;
use crate::rest::{RequestError, Rest, SendError, with_retries};
use crate::shared::Shared;
use candor_core::contract::ServiceError;
use candor_core::inbound;
use candor_core::inbound::{EventId, Place, UserId};
use candor_core::language::{Language, say};
use candor_engine::{OpenReplies, OpenReply};

/// The channel of one message while it is answered.
pub(crate) struct ChannelSurface<'a> {
    pub(super) shared: &'a Shared,
    pub(super) target: ReplyTarget,
    /// The language of the place.
    pub(super) language: Language,
    pub(super) bot: UserId,
    /// The reply that the model is writing.
    pub(super) draft: watch::Sender<Draft>,
    /// The progress messages, in order.
    pub(super) shown: Mutex<Vec<Shown>>,
    /// A progress message that may have arrived, though its request failed.
    pub(super) doubtful: Mutex<Option<Doubtful>>,
    /// The number of progress messages so far: each has its own nonce.
    n_progress: AtomicU32,
    /// The question that waits for a click, and its text.
    pub(super) question: Mutex<Option<ShownQuestion>>,
    /// Whether a turn is in progress: the messages are not the whole reply yet.
    pub(super) is_growing: AtomicBool,
    /// Whether the reply is stored as being written. Empty before the first try.
    is_open: OnceCell<bool>,
}

pub(crate) struct Shown {
    pub(super) id: MessageId,
    /// Its text with the label; `None` if it says what runs.
    pub(super) words: Option<String>,
}

pub(super) struct Doubtful {
    pub(super) post: Post,
    /// The end of its nonce.
    pub(super) part: String,
    pub(super) link: Link,
}

impl<'a> ChannelSurface<'a> {
    pub(crate) fn new(shared: &'a Shared, target: ReplyTarget, language: Language, bot: UserId) -> Self {
        Self {
            shared,
            language,
            target,
            bot,
            draft: watch::Sender::default(),
            shown: Mutex::default(),
            doubtful: Mutex::default(),
            n_progress: AtomicU32::new(0),
            question: Mutex::default(),
            is_growing: AtomicBool::new(false),
            is_open: OnceCell::new(),
        }
    }

    /// Returns a signer of components for the asker.
    pub(crate) fn signer(&self) -> Signer<'_> {
        self.shared.custom_ids.for_person(self.target.person, SystemTime::now())
    }

    pub(crate) fn typing(&self) -> Typing {
        Typing::begin(self.shared.rest.clone(), self.target.channel)
    }

    /// Closes an open question. Returns the progress messages, to be reused.
    pub(crate) async fn end(&self) -> Vec<MessageId> {
        if let Some(ShownQuestion { message, post, part, text }) = self.question.lock().await.take() {
            // If it was still being sent, it may have arrived: the same nonce finds it, or sends it.
            let found = match message {
                Some(id) => Ok(id),
                None => self.send(&post, &part, Link::Reply).await,
            };
            if let Ok(id) = found {
                self.show_end(id, &text, Unanswered::Stopped).await;
            }
        }
        self.take_shown().await
    }

    pub(crate) fn over(&self) {
        self.is_growing.store(false, Ordering::Relaxed);
        self.draft.send_replace(Draft::Over);
    }

    pub(super) async fn take_shown(&self) -> Vec<MessageId> {
        let mut shown = self.shown.lock().await;
        self.settle(&mut shown).await;
        shown.drain(..).map(|shown| shown.id).collect()
    }

    /// Finds the message that may have arrived, so that it does not show progress for ever. With the same nonce Discord
    /// returns it, or creates it now.
    pub(super) async fn settle(&self, shown: &mut Vec<Shown>) {
        let mut doubtful = self.doubtful.lock().await;
        let Some(Doubtful { post, part, link }) = &*doubtful else { return };
        let sent = self.send(post, part, *link).await;
        *doubtful = None;
        if let Ok(id) = sent {
            self.next_part("g");
            shown.push(Shown { id, words: None });
        }
    }

    /// Sends a message in answer to the target. With the same nonce, Discord creates no second message; a reply says
    /// which message it is about.
    pub(crate) async fn send(&self, post: &Post, part: &str, link: Link) -> Result<MessageId, SendError> {
        let sent = with_retries(|| self.send_once(post, part, link)).await;
        sent.map_err(|problem| self.report(&problem, "could not send a message"))
    }

    pub(super) async fn send_once(&self, post: &Post, part: &str, link: Link) -> Result<MessageId, RequestError> {
        let body = post.created(self.target.event, part);
        let body = match link {
            // For a new thread, the message is in another channel: above the thread.
            Link::Reply if self.target.asked_in == self.target.channel => {
                replying(body, (self.target.channel, self.target.message))
            }
            Link::Reply | Link::None => body,
        };
        let is_open = self.is_growing.load(Ordering::Relaxed) && *self.is_open.get_or_init(|| self.begins()).await;
        if is_open && let Err(problem) = self.shared.open_replies.reply_sends(self.target.event, part).await {
            warn!(error = %problem, "a message of a reply could not be stored");
        }
        let id = self.shared.rest.post(self.target.channel, post.files(), &body).await?.id;
        if is_open && let Err(problem) = self.shared.open_replies.reply_shows(self.target.event, id.get()).await {
            warn!(error = %problem, "a message of a reply could not be stored");
        }
        Ok(id)
    }

    /// Stores that a reply is being written, until [`Self::is_whole`]. If the bot ends meanwhile, the reply is marked
    /// as interrupted later. Returns whether it is stored.
    async fn begins(&self) -> bool {
        let target = &self.target;
        let reply = OpenReply {
            event: target.event,
            channel: inbound::ChannelId(target.channel.get()),
            question: target.message.get(),
            messages: Vec::new(),
            in_doubt: None,
            mark: None,
            began: self.shared.dispatcher.now(),
            language: self.language,
        };
        let stored = self.shared.open_replies.reply_begins(&reply).await;
        if let Err(problem) = &stored {
            warn!(error = %problem, "a reply that begins could not be stored");
        }
        stored.is_ok()
    }

    /// Stores more about the reply, if the reply is stored.
    pub(super) async fn notes<'b, F>(&'b self, note: impl FnOnce(&'b dyn OpenReplies, EventId) -> F)
    where
        F: Future<Output = Result<(), ServiceError>> + 'b,
    {
        if self.is_open.get() == Some(&true)
            && let Err(problem) = note(&*self.shared.open_replies, self.target.event).await
        {
            warn!(error = %problem, "could not store the commands that a reply ran");
        }
    }

    /// Records that the reply is complete, or says why it is not.
    pub(super) async fn is_whole(&self) {
        if self.is_open.get() == Some(&true)
            && let Err(problem) = self.shared.open_replies.reply_is_over(self.target.event).await
        {
            warn!(error = %problem, "a reply that is whole is still stored as open");
        }
    }

    pub(super) async fn edit_once(&self, id: MessageId, post: &Post) -> Result<(), RequestError> {
        self.shared.rest.edit(self.target.channel, id, &post.edited(), post.files()).await
    }

    pub(crate) async fn edit(&self, id: MessageId, post: &Post) -> Result<(), SendError> {
        let edited = with_retries(|| self.edit_once(id, post)).await;
        edited.map_err(|problem| self.report(&problem, "could not change a message"))
    }

    /// Deletes a message of ours. A failure leaves it in place: nothing depends on it.
    pub(crate) async fn delete(&self, id: MessageId) {
        if let Err(problem) = with_retries(|| self.shared.rest.delete(self.target.channel, id)).await {
            self.report(&problem, "could not delete a message");
        }
    }

    fn report(&self, problem: &RequestError, what: &'static str) -> SendError {
        warn!(channel.id = %self.target.channel.get(), error = %problem, "{what}");
        SendError::of(problem)
    }

    /// Returns the end of a nonce, different for each message of this turn.
    pub(super) fn next_part(&self, kind: &str) -> String {
        format!("{kind}{}", self.n_progress.fetch_add(1, Ordering::Relaxed))
    }

    /// The same for a growing message, until [`Self::next_part`]: a failed one may have arrived.
    pub(super) fn growing_part(&self) -> String {
        format!("g{}", self.n_progress.load(Ordering::Relaxed))
    }

    pub(super) async fn show_end(&self, id: MessageId, text: &str, why: Unanswered) {
        let end = match why {
            Unanswered::InTime => say!(self.language, "question-unanswered"),
            Unanswered::Leaving => say!(self.language, "question-restarting"),
            Unanswered::Stopped => say!(self.language, "question-stopped"),
        };
        // If it fails, a click on the remaining buttons is answered that they are no longer in use.
        let _shown = self.edit(id, &Post::text(closed_question(text, &end))).await;
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Link {
    Reply,
    /// It follows a message that is a reply.
    None,
}

/// The reply that the model is writing.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Draft {
    #[default]
    Nothing,
    /// No words yet; the model was asked at this time.
    Thinking(Instant),
    Words(String),
    Over,
}

/// How often the indicator is renewed. Discord shows it for ten seconds.
const EVERY: Duration = Duration::from_secs(8);

/// The indicator is shown until this is dropped.
pub(crate) struct Typing {
    _shown: AbortOnDropHandle<()>,
}

impl Typing {
    /// Starts the indicator in this channel, as far as Discord lets the bot.
    pub(crate) fn begin(rest: Arc<Rest>, channel: ChannelId) -> Self {
        let shown = tokio::spawn(async move {
            loop {
                let wait = match rest.typing(channel).await {
                    Ok(()) => EVERY,
                    Err(RequestError::Limited(wait)) => wait.max(EVERY),
                    // For any cause, the answer itself will say more.
                    Err(_) => return,
                };
                sleep(wait).await;
            }
        });
        Self { _shown: AbortOnDropHandle::new(shown) }
    }
}

/// The event and message that a reply answers, its asker and its place.
#[derive(Clone, Copy)]
pub(crate) struct ReplyTarget {
    /// The event. Nonces begin with it.
    pub(crate) event: EventId,
    pub(crate) channel: ChannelId,
    /// The channel of the message: another one if a thread was opened for the answer.
    pub(crate) asked_in: ChannelId,
    pub(crate) message: MessageId,
    /// The guild, if others may read along.
    pub(crate) guild: Option<GuildId>,
    pub(crate) person: UserId,
}

impl ReplyTarget {
    pub(crate) fn message(message: &Message<'_>) -> Self {
        Self {
            event: EventId(message.id.get()),
            channel: message.channel_id,
            asked_in: message.channel_id,
            message: message.id,
            guild: message.guild_id,
            person: UserId(message.author.id.get()),
        }
    }

    pub(crate) fn place(&self) -> Place {
        convert::place(self.guild.map(GuildId::get), self.channel.get())
    }

    pub(crate) fn press(press: &ComponentInteraction<'_>) -> Self {
        Self {
            event: EventId(press.id.get()),
            channel: press.channel_id,
            asked_in: press.channel_id,
            message: press.data.message.id,
            guild: press.guild_id,
            person: UserId(press.user.id.get()),
        }
    }
}
