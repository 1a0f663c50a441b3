//! The event handler: receives gateway events and passes each to the code that answers it.
//!
//! It runs in front of poise, because poise panics on entry-point commands, ignores buttons and modals, and only logs
//! what it does not know. It is a raw handler, and the only one: serenity copies each event once for every handler, and
//! shows what it cannot decode to a raw one alone.

use std::sync::Arc;

use serde_json::Value;
use serenity::all::{Context, Event, Message, RawEventHandler, Ready};
use serenity::async_trait;
use tracing::{debug, info};

use crate::edges::discord::convert;
use crate::edges::discord::gateway::happened;
use crate::edges::discord::gateway::undecodable;
use crate::edges::discord::interactions::answer::Interactions;
use candor_core::inbound::{GuildId, UserId};

/// The event handler.
pub(crate) struct GatewayHandler {
    pub(crate) interactions: Interactions,
}

/// The one handler of a client, which its maker keeps as well.
pub(crate) struct Handling(pub(crate) Arc<GatewayHandler>);

#[async_trait]
impl RawEventHandler for Handling {
    /// The future of each kind of event is boxed: most events are messages that are not for the bot, and need little.
    async fn raw_event(&self, context: Context, event: Event) {
        let interactions = &self.0.interactions;
        let running = &interactions.shared.running;
        match &event {
            Event::InteractionCreate(event) => {
                let answering = Box::pin(interactions.interaction(&context, &event.interaction));
                running.track_future(answering).await;
            }
            Event::MessageCreate(event) => {
                running.track_future(Box::pin(self.0.message(&event.message))).await;
            }
            Event::MessageUpdate(event)
                if interactions.shared.is_being_answered(event.id.get())
                    || interactions.shared.answered.holds(event.id.get()) =>
            {
                match serde_json::to_value(event).ok().as_ref().and_then(convert::reduced::message) {
                    Some(message) => {
                        let is_edit = event.edited_timestamp.is_some();
                        let following = Box::pin(undecodable::edited(interactions, &message, is_edit));
                        running.track_future(following).await;
                    }
                    None => debug!("an edit that says nothing of its message"),
                }
            }
            Event::MessageDelete(event) => interactions.shared.deleted(&[event.message_id.get()]),
            Event::MessageDeleteBulk(event) => {
                interactions.shared.deleted(&event.ids.iter().map(|id| id.get()).collect::<Vec<_>>());
            }
            Event::GuildCreate(event) => interactions.shared.reconciler.joined(GuildId(event.guild.id.get())),
            Event::GuildMemberAdd(event) => {
                if let Ok(event) = serde_json::to_value(&event.member) {
                    running.track_future(Box::pin(self.0.happened("GUILD_MEMBER_ADD", &event))).await;
                }
            }
            Event::GuildMemberUpdate(event) => {
                if let Ok(event) = serde_json::to_value(event) {
                    running.track_future(Box::pin(self.0.happened("GUILD_MEMBER_UPDATE", &event))).await;
                }
            }
            Event::ReactionAdd(event) => {
                if let Ok(event) = serde_json::to_value(&event.reaction) {
                    running.track_future(Box::pin(self.0.happened("MESSAGE_REACTION_ADD", &event))).await;
                }
            }
            // An outage of the guild is none.
            Event::GuildDelete(event) if !event.guild.unavailable => {
                interactions.shared.reconciler.left(GuildId(event.guild.id.get()));
            }
            Event::Ready(event) => self.0.ready(&event.ready),
            Event::Resumed(_) => info!("resumed"),
            Event::Unknown(event) => {
                let reading = Box::pin(undecodable::read(interactions, &context, &event.kind, &event.value));
                running.track_future(reading).await;
                running.track_future(Box::pin(self.0.happened(&event.kind, &event.value))).await;
            }
            _ => {}
        }
    }
}

impl GatewayHandler {
    async fn message(&self, message: &Message) {
        let shared = &self.interactions.shared;
        let bot = *shared.bot.wait().await;
        let message = shared.mentioned_by_role(message, bot).await;
        shared.read(&message, bot).await;
        happened::wrote(shared, &message, bot).await;
    }

    /// What happens without a word to the bot, by Discord's name for the kind of event.
    async fn happened(&self, kind: &str, event: &Value) {
        let shared = &self.interactions.shared;
        match kind {
            "GUILD_MEMBER_ADD" | "GUILD_MEMBER_UPDATE" => happened::joined(shared, kind, event).await,
            "MESSAGE_REACTION_ADD" => happened::reacted(shared, event).await,
            // It could not be decoded, and went its usual way.
            "MESSAGE_CREATE" => {
                if let Some(message) = convert::reduced::message(event) {
                    let bot = *shared.bot.wait().await;
                    happened::wrote(shared, &*shared.mentioned_by_role(&message, bot).await, bot).await;
                }
            }
            _ => {}
        }
    }

    fn ready(&self, ready: &Ready) {
        // A second READY comes after a lost session, with the same id.
        let _known = self.interactions.shared.bot.set(UserId(ready.user.id.get()));
        self.interactions.shared.reconciler.guilds(ready.guilds.iter().map(|guild| GuildId(guild.id.get())).collect());
        info!(bot.id = %ready.user.id.get(), bot.name = ready.user.name, guilds = ready.guilds.len(), "ready");
    }
}
