//! The state that every event needs.

use std::sync::Arc;

use tokio::sync::SetOnce;
use tokio_util::task::TaskTracker;

use crate::edges::discord::custom_id::CustomIds;
use crate::edges::discord::gate::Gate;
use crate::edges::discord::gate::Pending;
use crate::edges::discord::live::LiveStatus;
use crate::edges::discord::registration::Reconciler;
use crate::edges::discord::render::mentions::Mentions;
use crate::edges::discord::rest::Rest;
use crate::edges::discord::shared::answered::Answered;
use crate::edges::discord::shared::channels::GuildsOfChannels;
use crate::edges::discord::shared::deletions::Deletions;
use crate::edges::discord::shared::files::Files;
use crate::edges::discord::shared::names::Names;
use crate::edges::discord::shared::pace::Pace;
use crate::edges::discord::shared::questions::Questions;
use crate::edges::discord::shared::turns::Turns;
use crate::host::OpenReplies;
use crate::host::dispatch::Dispatcher;
use candor_core::inbound::UserId;
use candor_core::language::Language;
use candor_core::record::Counters;
use candor_core::settings::Settings;

/// The state that every event needs.
pub(crate) struct Shared {
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// Requests to Discord.
    pub(crate) rest: Arc<Rest>,
    /// The settings in force.
    pub(crate) settings: Arc<Settings>,
    /// The bot's own id, known from READY on. Each event has a task of its own, and may overtake READY by a little.
    pub(crate) bot: SetOnce<UserId>,
    /// The counters.
    pub(crate) counters: Arc<Counters>,
    /// The questions that wait for a click.
    pub(crate) questions: Questions,
    /// The order in which presses for everybody change a message.
    pub(crate) turns: Turns,
    /// How often growing replies are edited.
    pub(crate) pace: Pace,
    /// Which reply answered which messages.
    pub(crate) answered: Answered,
    /// Who joined and has not accepted the rules yet.
    pub(crate) pending: Pending,
    /// Messages that were deleted at Discord.
    pub(crate) deletions: Deletions,
    /// Reads attached files.
    pub(crate) files: Files,
    /// The guilds of the channels in which modules may say something by themselves.
    pub(crate) guilds_of_channels: Arc<GuildsOfChannels>,
    /// The names of places.
    pub(crate) names: Names,
    /// Signs and verifies custom ids.
    pub(crate) custom_ids: CustomIds,
    /// The live answers.
    pub(crate) live: Arc<LiveStatus>,
    /// The ids by which commands are mentioned.
    pub(crate) mentions: Arc<Mentions>,
    /// The chat replies that are being written.
    pub(crate) open_replies: Arc<dyn OpenReplies>,
    /// Requests syncs of the commands at Discord.
    pub(crate) reconciler: Arc<Reconciler>,
    /// Decides what may still start.
    pub(crate) gate: Gate,
    /// The work in progress, awaited at shutdown.
    pub(crate) running: TaskTracker,
}

impl Shared {
    /// The language for people whose own is not known.
    pub(crate) fn language(&self) -> Language {
        self.settings.language
    }
}
