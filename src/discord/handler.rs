//! Our event handler: what the connection says, and who answers what arrives.
//!
//! It stands before poise, because poise panics on entry-point commands, ignores buttons and modals, and
//! only logs what it does not know.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use poise::FrameworkOptions;
use serenity::all::{Context, EventHandler, Interaction, Message, Ready, ResumedEvent, ShardManager};
use serenity::async_trait;
use tokio_util::task::TaskTracker;
use tracing::info;

use crate::discord::commands::Never;
use crate::discord::gate::Gate;
use crate::discord::mentions::Mentions;
use crate::discord::questions::Questions;
use crate::dispatch::Dispatcher;
use crate::inbound::{ChannelId, UserId};

/// What every event needs; poise hands it to our shared action.
pub(super) struct Shared {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) chat_channels: Vec<ChannelId>,
    /// How long a person is waited for before a command that changes something runs for a model.
    pub(super) confirm_within: Duration,
    /// The questions that wait for a click.
    pub(super) questions: Questions,
    /// How commands are mentioned.
    pub(super) mentions: Mentions,
    /// What may still start.
    pub(super) gate: Gate,
    /// The work under way, waited for at shutdown.
    pub(super) running: TaskTracker,
}

/// The event handler.
pub(super) struct Handler {
    pub(super) shared: Arc<Shared>,
    pub(super) table: FrameworkOptions<Shared, Never>,
    pub(super) shards: OnceLock<Arc<ShardManager>>,
    /// The bot's own id, known from READY on.
    pub(super) bot: OnceLock<UserId>,
}

#[async_trait]
impl EventHandler for Handler {
    async fn ready(&self, _: Context, ready: Ready) {
        // A second READY comes after a lost session and says the same id.
        let _known = self.bot.set(UserId(ready.user.id.get()));
        info!(bot.id = ready.user.id.get(), bot.name = ready.user.name, guilds = ready.guilds.len(), "ready");
    }

    async fn resume(&self, _: Context, _: ResumedEvent) {
        info!("resumed");
    }

    async fn interaction_create(&self, context: Context, interaction: Interaction) {
        self.shared.running.track_future(self.interaction(&context, &interaction)).await;
    }

    async fn message(&self, context: Context, message: Message) {
        let Some(bot) = self.bot.get() else { return };
        self.shared.running.track_future(self.shared.read(&context, &message, *bot)).await;
    }
}
