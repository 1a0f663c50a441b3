//! Looks up the context of a message: earlier messages of its channel, names of places, and files.

use serenity::all::{MessageId, Route};
use serenity::async_trait;
use tracing::{debug, info};

use crate::convert;
use crate::messages::channel::ChannelSurface;
use crate::payload::Message;
use candor_core::agent::surroundings::{ContextSource, PlaceNames, Unread};
use candor_core::inbound::{AttachedFile, EventId, PICTURE_BYTES_MAX, Quoted};

#[async_trait]
impl ContextSource for ChannelSurface<'_> {
    async fn names(&self) -> PlaceNames {
        self.shared.names.of(&self.shared.rest, self.target.guild, self.target.channel).await
    }

    async fn message(&self, id: EventId) -> Quoted {
        let channel_id = self.target.asked_in;
        let message_id = MessageId::new(id.0.max(1));
        match self.shared.rest.get(Route::ChannelMessage { channel_id, message_id }).await {
            Ok(message) => match Message::of_answer(&message) {
                Some(message) => Quoted::Message(convert::quoted(&message, self.bot)),
                None => Quoted::Gone,
            },
            // It was deleted, or the bot may not read earlier messages.
            Err(problem) => {
                debug!(channel.id = %channel_id.get(), error = %problem, "an earlier message cannot be read");
                Quoted::Gone
            }
        }
    }

    async fn file(&self, file: &AttachedFile) -> Result<String, Unread> {
        let read = self.shared.files.read(file).await;
        read.inspect_err(|why| self.log_unread(file, *why))
    }

    async fn picture(&self, file: &AttachedFile) -> Result<Vec<u8>, Unread> {
        let read = self.shared.files.bytes(file, PICTURE_BYTES_MAX).await;
        read.inspect_err(|why| self.log_unread(file, *why))
    }
}

impl ChannelSurface<'_> {
    fn log_unread(&self, file: &AttachedFile, why: Unread) {
        info!(channel.id = %self.target.channel.get(), bytes = file.bytes, why = why.name(), "a file is not read");
    }
}
