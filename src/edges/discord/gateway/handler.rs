//! The event handler: receives gateway events and passes each to the code that answers it.
//!
//! It runs in front of poise, because poise panics on entry-point commands, ignores buttons and modals, and only logs
//! what it does not know.

use serenity::all::{Context, EventHandler, Interaction, Message, Ready, ResumedEvent};
use serenity::async_trait;
use tracing::info;

use crate::edges::discord::interactions::answer::Interactions;
use candor_core::inbound::{GuildId, UserId};

/// The event handler.
pub(crate) struct GatewayHandler {
    pub(crate) interactions: Interactions,
}

#[async_trait]
impl EventHandler for GatewayHandler {
    async fn ready(&self, _: Context, ready: Ready) {
        // A second READY comes after a lost session, with the same id.
        let _known = self.interactions.bot.set(UserId(ready.user.id.get()));
        self.interactions.shared.reconciler.guilds(ready.guilds.iter().map(|guild| GuildId(guild.id.get())).collect());
        info!(bot.id = ready.user.id.get(), bot.name = ready.user.name, guilds = ready.guilds.len(), "ready");
    }

    async fn resume(&self, _: Context, _: ResumedEvent) {
        info!("resumed");
    }

    async fn interaction_create(&self, context: Context, interaction: Interaction) {
        self.interactions.shared.running.track_future(self.interactions.interaction(&context, &interaction)).await;
    }

    async fn message(&self, _: Context, message: Message) {
        let Some(bot) = self.interactions.bot.get() else { return };
        self.interactions.shared.running.track_future(self.interactions.shared.read(&message, *bot)).await;
    }
}
