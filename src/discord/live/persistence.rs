//! Live messages in the store, and which process edits them.

use std::time::Duration;

use tracing::warn;

use crate::live::status::LiveStatus;
use crate::live::target::{LiveTarget, Target};
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, Place};
use candor_engine::LiveMessage;

/// The time for a command and an edit, added to the refresh intervals of the lease.
const LEASE_SLACK: Duration = Duration::from_secs(60);

impl LiveStatus {
    /// Returns whether this process is certain to be the editor of a channel's live message. `None` if the store fails:
    /// then no process knows.
    pub(super) async fn has_lease(&self, channel: ChannelId) -> Option<bool> {
        let lasts = self.settings.every * 2 + LEASE_SLACK;
        let taken = self.kept.take_lease(&lease_of(channel), lasts, self.dispatcher.now()).await;
        taken
            .inspect_err(|problem| {
                warn!(channel.id = %channel.0, error = %problem, "it is not known which process edits a live message");
            })
            .ok()
    }

    pub(super) async fn leave(&self, shown: &LiveTarget) {
        if let Target::Message { channel, .. } = shown.target {
            self.give_back(ChannelId(channel.get())).await;
        }
    }

    pub(super) async fn give_back(&self, channel: ChannelId) {
        if let Err(problem) = self.kept.give_back_lease(&lease_of(channel)).await {
            warn!(channel.id = %channel.0, error = %problem, "a live message is free for other processes only after a while");
        }
    }

    pub(super) async fn kept_of(&self, channel: ChannelId) -> Result<Option<LiveMessage>, ServiceError> {
        let of_channel = |kept: &LiveMessage| match kept.interaction.place {
            Place::Guild { channel: of, .. } | Place::Direct { channel: of } => of == channel,
            Place::Console => false,
        };
        Ok(self.kept.remembered().await?.into_iter().find(of_channel))
    }

    /// Deletes a live message from the store. Returns false if that fails.
    pub(super) async fn forgotten(&self, kept: Option<&LiveMessage>) -> bool {
        match kept {
            Some(kept) => self.kept.forget(kept).await.is_ok(),
            None => false,
        }
    }

    pub(super) async fn forget(&self, shown: &LiveTarget) {
        let Target::Message { id, .. } = shown.target else { return };
        let kept = LiveMessage { message: id.get(), interaction: shown.asked.clone() };
        if let Err(problem) = self.kept.forget(&kept).await {
            warn!(error = %problem, "a live message that is over could not be forgotten");
        }
    }
}

fn lease_of(channel: ChannelId) -> String {
    format!("live:{channel}")
}
