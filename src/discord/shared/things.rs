//! The messages that show a thing of a module to everybody in a guild, such as a poll. They are stored, so that the last
//! answer about the thing can replace them, wherever its command was called.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::json;
use serenity::all::{ChannelId, MessageId};
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::render::posts::{Post, without_components};
use crate::rest::{Rest, twice, with_retries};
use crate::shared::turns::Turns;
use candor_core::contract::{RecordId, Records, ServiceError};
use candor_core::inbound::Place;
use candor_core::language::Language;
use candor_core::record::Facts;
use candor_core::reply::{Answer, Audience, Provenance, Thing};
use candor_core::text::first_characters;
use candor_engine::dispatch::Dispatcher;

/// The most stored messages of one thing. Each costs a request when it is replaced.
const OF_THING_MAX: usize = 5;

/// The most stored messages of one module in a guild.
const OF_MODULE_MAX: usize = 200;

/// How long a message is stored. Its buttons work for a month.
const KEPT_FOR: Duration = Duration::from_hours(31 * 24);

pub(crate) struct Things {
    pub(crate) rest: Arc<Rest>,
    pub(crate) records: Arc<dyn Records>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) turns: Arc<Turns>,
    /// The work in progress, awaited at shutdown.
    pub(crate) running: TaskTracker,
}

pub(crate) enum AnswerMessage {
    Id(MessageId),
    /// The response to the interaction of this token.
    Response(String),
    /// A message without components, which needs no replacement.
    Plain,
}

/// A stored message.
#[derive(Deserialize, Serialize)]
struct MessageOfThing {
    thing: String,
    channel: u64,
    message: u64,
    /// When it was stored, in seconds since 1970.
    at: u64,
}

impl Things {
    /// Handles a shown answer about a thing: stores its message, or replaces the earlier ones if the thing is over. The
    /// caller does not wait for it.
    pub(crate) fn update(self: &Arc<Self>, answer: &Answer, language: Language, shown_by: AnswerMessage) {
        let (Some(thing), Provenance::Command(receipt)) = (&answer.reply.thing, &answer.provenance) else { return };
        // An answer for one person must not replace messages that others can read.
        if !answer.is_reply_of_command() || answer.audience != Audience::Place {
            return;
        }
        let post = without_components(answer, language).filter(|_| thing.is_over);
        let things = Arc::clone(self);
        let thing = thing.clone();
        let receipt = receipt.clone();
        self.running.spawn(async move {
            let facts = receipt.facts();
            let done = match post {
                Some(post) => things.replace(&thing, facts, &post, &shown_by).await,
                None => things.remember(&thing, facts, &shown_by).await,
            };
            if let Err(problem) = done {
                let command = &facts.command;
                warn!(command.name = command, error = %problem, "could not read or store the messages of a thing");
            }
        });
    }

    async fn remember(&self, thing: &Thing, facts: &Facts, shown_by: &AnswerMessage) -> Result<(), ServiceError> {
        let (Some(module), Place::Guild { channel, .. }) = (self.dispatcher.module_of(facts), facts.place) else {
            return Ok(());
        };
        let Some(message) = self.message_id(shown_by).await else { return Ok(()) };
        let scope = scope(facts.place);
        let now = seconds(self.dispatcher.now());
        let stored = self.messages(&module, &scope).await?;
        if stored.iter().any(|(_, known)| known.message == message.get()) {
            return Ok(());
        }
        for id in surplus(&stored, name(thing), now) {
            self.records.remove(&module, &scope, id).await?;
        }
        let new = MessageOfThing { thing: name(thing).to_owned(), channel: channel.0, message: message.get(), at: now };
        // Concurrent answers may add a few more.
        self.records.add(&module, &scope, &json!(new), 2 * OF_MODULE_MAX).await?;
        info!(module, message.id = %message, "the last answer about its thing will replace a message");
        Ok(())
    }

    /// Replaces the stored messages of a thing with its last answer, except the one that shows it already.
    async fn replace(
        &self,
        thing: &Thing,
        facts: &Facts,
        post: &Post,
        shown_by: &AnswerMessage,
    ) -> Result<(), ServiceError> {
        let Some(module) = self.dispatcher.module_of(facts) else { return Ok(()) };
        let scope = scope(facts.place);
        let mut stored = self.messages(&module, &scope).await?;
        stored.retain(|(_, known)| known.thing == name(thing));
        if stored.is_empty() {
            return Ok(());
        }
        let shown = self.message_id(shown_by).await.map(MessageId::get);
        for (id, known) in stored {
            if shown != Some(known.message) {
                self.edit(&known, post).await;
            }
            self.records.remove(&module, &scope, id).await?;
        }
        Ok(())
    }

    async fn edit(&self, known: &MessageOfThing, post: &Post) {
        let channel = ChannelId::new(known.channel.max(1));
        let message = MessageId::new(known.message.max(1));
        // An earlier press may still change this message. Its answer is older.
        let _turn = self.turns.take(message).await;
        let body = post.edited();
        if let Err(problem) = with_retries(|| self.rest.edit(channel, message, &body, post.files())).await {
            info!(
                channel.id = %channel, message.id = %message, error = %problem,
                "the last answer about its thing could not replace a message"
            );
        }
    }

    async fn message_id(&self, shown_by: &AnswerMessage) -> Option<MessageId> {
        match shown_by {
            AnswerMessage::Id(id) => Some(*id),
            AnswerMessage::Response(token) => {
                twice(|| self.rest.response(token)).await.ok().map(|response| response.id)
            }
            AnswerMessage::Plain => None,
        }
    }

    /// Returns the stored messages of a module in a guild, the oldest first.
    async fn messages(&self, module: &str, scope: &str) -> Result<Vec<(RecordId, MessageOfThing)>, ServiceError> {
        let records = self.records.list(module, scope).await?;
        let read = |(id, body)| Some((id, serde_json::from_value(body).ok()?));
        Ok(records.into_iter().filter_map(read).collect())
    }
}

/// Returns the stored messages, the oldest first, that are removed for a new one of this thing.
fn surplus(stored: &[(RecordId, MessageOfThing)], thing: &str, now: u64) -> Vec<RecordId> {
    let mut n_of_thing = 0;
    let mut surplus = Vec::new();
    for (n_newer, (id, known)) in stored.iter().rev().enumerate() {
        n_of_thing += usize::from(known.thing == thing);
        let is_too_many = OF_MODULE_MAX <= n_newer + 1 || (known.thing == thing && OF_THING_MAX <= n_of_thing);
        if is_too_many || known.at + KEPT_FOR.as_secs() < now {
            surplus.push(*id);
        }
    }
    surplus
}

/// Returns the scope of the records with messages. The module's own records are in another scope.
fn scope(place: Place) -> String {
    format!("{}/messages", place.scope())
}

fn name(thing: &Thing) -> &str {
    first_characters(&thing.name, Thing::NAME_LENGTH_MAX)
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_messages_of_a_thing_and_of_a_module_make_room_and_so_do_expired_ones() {
        let message =
            |id, thing: &str, at| (id, MessageOfThing { thing: thing.to_owned(), channel: 1, message: 2, at });
        let month = KEPT_FOR.as_secs();
        let of_thing: Vec<_> = (1..=5).map(|id| message(id, "a", month)).collect();
        assert_eq!(surplus(&of_thing, "a", month), [1]);
        assert_eq!(surplus(&of_thing, "b", month), [0_i64; 0]);
        let old = [message(1, "a", 9), message(2, "a", 10), message(3, "b", 9)];
        assert_eq!(surplus(&old, "c", month + 10), [3, 1]);
        let many: Vec<_> = (1..=201).map(|id| message(id, &id.to_string(), month)).collect();
        assert_eq!(surplus(&many, "new", month), [2, 1]);
    }
}
