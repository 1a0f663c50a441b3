//! The state that every event needs.

use std::sync::Arc;

use tokio::sync::SetOnce;
use tokio_util::task::TaskTracker;

use crate::custom_id::CustomIds;
use crate::gate::{Gate, Pending};
use crate::live::LiveStatus;
use crate::registration::Reconciler;
use crate::render::mentions::Mentions;
use crate::rest::Rest;
use crate::shared::channels::GuildsOfChannels;
use crate::shared::deletions::Deletions;
use crate::shared::files::Files;
use crate::shared::names::Names;
use crate::shared::pace::Pace;
use crate::shared::questions::Questions;
use crate::shared::replies::Answered;
use crate::shared::requester::Requester;
use crate::shared::things::Things;
use crate::shared::turns::Turns;
use candor_core::inbound::UserId;
use candor_core::language::Language;
use candor_core::record::Counters;
use candor_core::settings::Settings;
use candor_engine::OpenReplies;
use candor_engine::dispatch::Dispatcher;

pub(crate) struct Shared {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) requester: Arc<Requester>,
    pub(crate) rest: Arc<Rest>,
    pub(crate) settings: Arc<Settings>,
    /// The bot's own id, known from READY on or from a saved session. An event's task may overtake READY by a little.
    pub(crate) bot: Arc<SetOnce<UserId>>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) questions: Questions,
    /// The order in which presses change a message for all its readers.
    pub(crate) turns: Arc<Turns>,
    pub(crate) things: Arc<Things>,
    pub(crate) pace: Pace,
    /// Which reply answered which messages.
    pub(crate) answered: Answered,
    /// The members who joined and have not accepted the rules yet.
    pub(crate) pending: Pending,
    pub(crate) deletions: Deletions,
    pub(crate) files: Files,
    /// The guilds of the channels to which modules may send messages.
    pub(crate) guilds_of_channels: Arc<GuildsOfChannels>,
    pub(crate) names: Arc<Names>,
    pub(crate) custom_ids: CustomIds,
    pub(crate) live: Arc<LiveStatus>,
    pub(crate) mentions: Arc<Mentions>,
    pub(crate) open_replies: Arc<dyn OpenReplies>,
    /// Requests syncs of the commands at Discord.
    pub(crate) reconciler: Arc<Reconciler>,
    /// Decides which work may still start.
    pub(crate) gate: Gate,
    /// The work in progress, awaited at shutdown.
    pub(crate) running: TaskTracker,
}

impl Shared {
    /// Returns the language for people whose own is unknown.
    pub(crate) fn language(&self) -> Language {
        self.settings.language
    }
}
