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

use crate::counters::Counters;
use crate::discord::commands::Never;
use crate::discord::custom_id::CustomIds;
use crate::discord::gate::Gate;
use crate::discord::live_status::LiveStatus;
use crate::discord::mentions::Mentions;
use crate::discord::questions::Questions;
use crate::discord::register::Reconciler;
use crate::dispatch::Dispatcher;
use crate::inbound::{ChannelId, GuildId, UserId};
use crate::language::Language;

/// What every event needs; poise hands it to our shared action.
pub(super) struct Shared {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) chat_channels: Vec<ChannelId>,
    /// How long a person is waited for before a command that changes something runs for a model.
    pub(super) confirm_within: Duration,
    /// After so long a person is told that a command still runs.
    pub(super) tell_after: Duration,
    /// What is counted.
    pub(super) counters: Arc<Counters>,
    /// The questions that wait for a click.
    pub(super) questions: Questions,
    /// Signs what can be pressed, and reads what was.
    pub(super) custom_ids: CustomIds,
    /// The answers that are kept up to date.
    pub(super) live: Arc<LiveStatus>,
    /// What is spoken to people whose own language is not known.
    pub(super) language: Language,
    /// How commands are mentioned.
    pub(super) mentions: Mentions,
    /// Asks for the commands at Discord to be compared once more.
    pub(super) reconciler: Arc<Reconciler>,
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
        self.shared.reconciler.guilds(ready.guilds.iter().map(|guild| GuildId(guild.id.get())).collect());
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
