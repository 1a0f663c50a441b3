//! What every event needs.

use crate::edges::discord::custom_id::CustomIds;
use crate::edges::discord::gate::Gate;
use crate::edges::discord::live::LiveStatus;
use crate::edges::discord::questions::Questions;
use crate::edges::discord::registration::Reconciler;
use crate::edges::discord::render::mentions::Mentions;
use crate::host::dispatch::Dispatcher;
use candor_core::language::Language;
use candor_core::record::Counters;
use candor_core::settings::Settings;
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// What every event needs; poise hands it to our shared action.
pub(crate) struct Shared {
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// The settings in force.
    pub(crate) settings: Arc<Settings>,
    /// What is counted.
    pub(crate) counters: Arc<Counters>,
    /// The questions that wait for a click.
    pub(crate) questions: Questions,
    /// Signs what can be pressed, and reads what was.
    pub(crate) custom_ids: CustomIds,
    /// The answers that are kept up to date.
    pub(crate) live: Arc<LiveStatus>,
    /// How commands are mentioned.
    pub(crate) mentions: Arc<Mentions>,
    /// Asks for the commands at Discord to be compared once more.
    pub(crate) reconciler: Arc<Reconciler>,
    /// What may still start.
    pub(crate) gate: Gate,
    /// The work under way, waited for at shutdown.
    pub(crate) running: TaskTracker,
}

impl Shared {
    /// What is spoken to people whose own language is not known.
    pub(crate) fn language(&self) -> Language {
        self.settings.language
    }
}

/// Our action answers for itself, so poise never carries an error of ours.
pub(crate) type Never = std::convert::Infallible;
