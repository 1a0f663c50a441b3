//! Routes gateway events to their handlers.
//!
//! Sessions and deletions are handled at once, so later events cannot overtake them. Interactions, messages and events
//! that modules wait for run in a task each. A message that cannot be for the bot is dropped here, before it is parsed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use memchr::memmem;
use serenity::all::GatewayIntents;
use serenity::model::id::{ChannelId as DiscordChannel, GuildId as DiscordGuild, MessageId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tracing::{debug, error, info, trace, warn};

use super::event_triggers;
use super::sessions::InProgress;
use crate::payload::{
    Deleted, Head, Joined, Kind, Message, Outline, Reacted, Read, Ready, User, read, read_event, read_interaction,
};
use crate::shared::Shared;
use candor_core::contract::EventKind;
use candor_core::inbound::{EventId, GuildId, UserId};
use candor_core::record::{Dropped, UnknownInteraction};
use candor_engine::dispatch::Arriving;

/// The maximum of interactions in progress; further ones wait in their connections. The limits of the gate are lower,
/// so the gate refuses an interaction without a slot and gives a reason.
const INTERACTIONS_MAX: usize = 1_536;
/// The maximum of other events in progress. Further ones are dropped: some wait for REST requests, and interactions
/// must not wait for those.
const OTHERS_MAX: usize = 1_024;

/// A gateway event, its permit, and the mark that it is in progress.
pub(super) struct Arrived {
    pub(super) room: OwnedSemaphorePermit,
    /// `None` before READY.
    pub(super) progress: Option<InProgress>,
}

pub(crate) struct Events {
    shared: Arc<Shared>,
    /// Discord's id of the application. It equals the bot's own id, except for bots older than 2016.
    application: UserId,
    /// Whether Discord sends the content of messages that do not mention the bot.
    sends_words: bool,
    interactions: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

impl Events {
    pub(crate) fn new(shared: Arc<Shared>, application: UserId, intents: GatewayIntents) -> Self {
        let sends_words = intents.contains(GatewayIntents::MESSAGE_CONTENT);
        let interactions = Semaphore::new(INTERACTIONS_MAX);
        let others = Semaphore::new(OTHERS_MAX);
        Self { shared, application, sends_words, interactions: Arc::new(interactions), others: Arc::new(others) }
    }

    /// Returns a permit to process another event, if one is free.
    pub(super) fn try_room(&self) -> Option<OwnedSemaphorePermit> {
        self.interactions.clone().try_acquire_owned().ok()
    }

    /// Waits for a permit to process another event. Never `None`, because the semaphore is never closed.
    pub(super) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.interactions.clone().acquire_owned().await.ok()
    }

    pub(super) fn take(&self, frame: &Utf8Bytes, head: &Head<'_>, arrived: Arrived) {
        let Some(kind) = head.kind else { return };
        match kind {
            Kind::Ready => self.ready(frame, head),
            Kind::Resumed => info!("resumed and ready"),
            Kind::MessageDeleted | Kind::MessagesDeleted => {
                match read_event::<Deleted>(frame, head).map(|deleted| deleted.ids()).filter(|ids| !ids.is_empty()) {
                    Some(ids) => self.shared.deleted(&ids),
                    None => unreadable(&self.shared, "a deletion that cannot be decoded"),
                }
            }
            Kind::Interaction => self.work(kind, frame, arrived),
            Kind::Message if self.may_concern(head.data) => self.work_if_room(kind, frame, arrived),
            Kind::MessageEdited if self.is_followed(head.data) => self.work_if_room(kind, frame, arrived),
            Kind::MemberJoined | Kind::MemberChanged if self.is_awaited(EventKind::MemberJoined) => {
                self.work_if_room(kind, frame, arrived);
            }
            Kind::Reacted if self.is_awaited(EventKind::ReactionAdded) => self.work_if_room(kind, frame, arrived),
            Kind::Message | Kind::MessageEdited | Kind::MemberJoined | Kind::MemberChanged | Kind::Reacted => {}
        }
    }

    fn ready(&self, frame: &str, head: &Head<'_>) {
        let Some(ready) = read_event::<Ready<'_>>(frame, head) else { return };
        let bot = ready.user.as_ref().map_or(self.application, |user| UserId(user.id.get()));
        // A lost session leads to a second READY with the same id.
        let _known = self.shared.bot.set(bot);
        self.shared.reconciler.guilds(ready.guilds.iter().map(|guild| GuildId(guild.id.get())).collect());
        let name = ready.user.as_ref().map(User::display_name);
        info!(bot.id = %bot, bot.name = name, guilds = ready.guilds.len(), "ready");
    }

    fn work_if_room(&self, kind: Kind, frame: &Utf8Bytes, arrived: Arrived) {
        match self.others.clone().try_acquire_owned() {
            Ok(room) => self.work(kind, frame, Arrived { room, ..arrived }),
            Err(_) => {
                self.shared.counters.dropped.count(Dropped::Event);
                debug!(?kind, "an event is dropped: too many are in progress");
            }
        }
    }

    fn work(&self, kind: Kind, frame: &Utf8Bytes, arrived: Arrived) {
        let shared = self.shared.clone();
        let frame = frame.clone();
        // Edits and deletions are handled as they arrive, and count for this message from here on.
        let arriving = (kind == Kind::Message)
            .then(|| read::<Outline>(Head::read(&frame)?.data))
            .flatten()
            .map(|message| shared.dispatcher.chat.arriving(EventId(message.id.get())));
        self.shared.running.spawn(async move {
            let Arrived { room: _room, progress } = arrived;
            let was_looked_at = work(&shared, kind, &frame, arriving).await;
            if let Some(progress) = progress.filter(|_| !was_looked_at) {
                progress.leave_open();
            }
        });
    }

    /// Returns whether a message may be for the bot or for a module.
    fn may_concern(&self, data: &str) -> bool {
        let Some(bot) = self.shared.bot.get() else { return true };
        let listens = |guild, channel| self.sends_words && self.shared.listens(guild, channel);
        let ignored = ignored(data, *bot, listens);
        if let Some(id) = ignored {
            trace!("a message that is not for the bot is dropped");
            // Every message helps to measure the offset of the clocks.
            self.shared.gate.age(id.get());
        }
        ignored.is_none()
    }

    /// Returns whether the edited message waits for the model, is being answered, or was answered.
    fn is_followed(&self, data: &str) -> bool {
        read::<Outline>(data).is_none_or(|message| self.shared.follows(message.id))
    }

    fn is_awaited(&self, kind: EventKind) -> bool {
        self.shared.dispatcher.awaits(kind)
    }
}

/// Returns the id of a message that concerns neither the bot nor a module. Returns `None` if it may, or cannot be
/// parsed.
///
/// A message may concern them if it contains the bot's id, mentions a role, is a direct message, or is in a channel for
/// which `listens` returns true.
pub(crate) fn ignored(
    data: &str,
    bot: UserId,
    listens: impl FnOnce(DiscordGuild, DiscordChannel) -> bool,
) -> Option<MessageId> {
    let holds = |text: &str| memmem::find(data.as_bytes(), text.as_bytes()).is_some();
    // Digits may be written as escapes.
    if holds(&bot.to_string()) || holds(r"\u003") {
        return None;
    }
    let Outline { id, channel_id, guild_id, mention_roles } = read(data)?;
    let may_be = !mention_roles.is_empty() || listens(guild_id?, channel_id);
    (!may_be).then_some(id)
}

/// Handles the event of a frame. The future of each kind is boxed, because the sizes differ much.
async fn work(shared: &Shared, kind: Kind, frame: &str, arriving: Option<Arriving>) -> bool {
    let Some(head) = Head::read(frame) else { return true };
    match kind {
        Kind::Interaction => {
            let slowly = || read_interaction(Head::slowly(frame)?.data);
            match read_interaction(head.data).or_else(slowly) {
                Some(interaction) => return Box::pin(answered(shared, interaction)).await,
                None => {
                    shared.counters.unknown.count(UnknownInteraction::Undecodable);
                    warn!("an interaction that cannot be decoded, without an id or a token to answer it with");
                }
            }
        }
        Kind::Message => match read_event::<Message<'_>>(frame, &head) {
            Some(message) => return Box::pin(said(shared, message, arriving)).await,
            None => unreadable(shared, "a message that cannot be decoded"),
        },
        Kind::MessageEdited => match read_event::<Message<'_>>(frame, &head) {
            Some(message) => Box::pin(edited(shared, message)).await,
            None => unreadable(shared, "an edit that cannot be decoded"),
        },
        Kind::MemberJoined | Kind::MemberChanged => {
            if let Some(joined) = read_event::<Joined<'_>>(frame, &head) {
                return Box::pin(event_triggers::joined(shared, kind, joined)).await;
            }
        }
        Kind::Reacted => {
            if let Some(reacted) = read_event::<Reacted<'_>>(frame, &head) {
                return Box::pin(event_triggers::reacted(shared, reacted)).await;
            }
        }
        // Already handled on arrival.
        Kind::Ready | Kind::Resumed | Kind::MessageDeleted | Kind::MessagesDeleted => {}
    }
    true
}

/// Answers an interaction. After a panic the person gets an error message: a command may have run.
async fn answered(shared: &Shared, interaction: Read<'_>) -> bool {
    let id = interaction.id();
    let token = interaction.token().to_owned();
    if let Ok(is_finished) = AssertUnwindSafe(shared.interaction(interaction)).catch_unwind().await {
        return is_finished;
    }
    error!("an interaction broke in the Discord edge");
    shared.interaction_broke(id, &token).await;
    true
}

/// Answers a message for the bot, and passes any other to the modules.
async fn said(shared: &Shared, message: Message<'_>, arriving: Option<Arriving>) -> bool {
    let bot = *shared.bot.wait().await;
    let message = shared.mentioned_by_role(message, bot).await;
    shared.read(&message, bot, arriving).await && event_triggers::wrote(shared, &message, bot).await
}

async fn edited(shared: &Shared, message: Message<'_>) {
    let bot = *shared.bot.wait().await;
    let message = shared.mentioned_by_role(message, bot).await;
    shared.edited(&message, bot).await;
}

fn unreadable(shared: &Shared, what: &str) {
    shared.counters.unknown.count(UnknownInteraction::Message);
    warn!("{what}");
}
