//! The handle, continued: what the bot did, and waiting for it.

use std::time::Duration;

use serde_json::Value;

use crate::interaction::Sent;
use crate::record::Recorded;
use crate::twin::Twin;
use crate::twin::state::State;

impl Twin {
    /// All requests so far, oldest first.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.journal().entries().to_vec()
    }

    /// The number of requests so far, which is also the [`Recorded::n`] of the next one.
    pub fn n_requests(&self) -> u64 {
        self.state.journal().entries().len() as u64
    }

    /// The requests that broke one of Discord's rules: all with a status of 400 or above, except injected ones.
    pub fn refused(&self) -> Vec<Recorded> {
        let journal = self.state.journal();
        journal.entries().iter().filter(|entry| entry.status >= 400 && !entry.injected).cloned().collect()
    }

    /// How many requests were answered with 401, 403 or 429, injected ones included. Discord bans an IP address after
    /// 10,000 of them in 10 minutes.
    pub fn n_invalid(&self) -> u64 {
        self.state.world().n_invalid
    }

    /// How many session starts are left today, as `GET /gateway/bot` returns it.
    pub fn session_starts_left(&self) -> u64 {
        self.state.session_starts_left()
    }

    /// The close codes of gateway connections that the twin closed because of a protocol error of the bot.
    pub fn closes(&self) -> Vec<u16> {
        self.state.hub().closes.clone()
    }

    /// The content of a file that the bot uploaded with a message or an edit of it. The last file of that name counts.
    pub fn file(&self, message_id: u64, filename: &str) -> Option<Vec<u8>> {
        self.state.file(message_id, filename)
    }

    /// Waits for a matching request. Earlier requests match too.
    pub async fn wait_for(&self, timeout: Duration, wanted: impl Fn(&Recorded) -> bool) -> Option<Recorded> {
        let mut n_seen = 0;
        self.wait_until(timeout, || {
            let journal = self.state.journal();
            let fresh = journal.entries().get(n_seen..).unwrap_or_default();
            n_seen = journal.entries().len();
            fresh.iter().find(|entry| wanted(entry)).cloned()
        })
        .await
    }

    /// All requests with the interaction's token: callback, edits and follow-ups, refused ones included.
    pub fn replies_to(&self, sent: &Sent) -> Vec<Recorded> {
        self.state.journal().for_token(&sent.token).cloned().collect()
    }

    /// Waits for the first accepted response that is not a deferral: the callback, or the edit or follow-up after a
    /// deferral.
    pub async fn answer_to(&self, sent: &Sent, timeout: Duration) -> Option<Recorded> {
        self.reply_where(sent, timeout, |reply| {
            reply.accepted() && !reply.is_deferral() && matches!(reply.method.as_str(), "POST" | "PATCH")
        })
        .await
    }

    /// Waits for the accepted callback, which may be a deferral.
    pub async fn callback_to(&self, sent: &Sent, timeout: Duration) -> Option<Recorded> {
        self.reply_where(sent, timeout, |reply| reply.accepted() && reply.is_callback()).await
    }

    async fn reply_where(&self, sent: &Sent, timeout: Duration, wanted: fn(&Recorded) -> bool) -> Option<Recorded> {
        self.wait_until(timeout, || self.state.journal().for_token(&sent.token).find(|reply| wanted(reply)).cloned())
            .await
    }

    /// The registered commands, global and of the guild, with their localisations.
    pub fn commands(&self) -> Vec<Value> {
        self.state.world().commands.clone()
    }

    /// A stored message by id, with all edits applied.
    pub fn message(&self, id: u64) -> Option<Value> {
        self.state.world().messages.get(&id.to_string()).cloned()
    }

    /// The original response to an interaction, with all edits applied.
    pub fn original_of(&self, sent: &Sent) -> Option<Value> {
        let world = self.state.world();
        let original = world.interactions.get(&sent.token)?.original.as_ref()?;
        world.messages.get(original).cloned()
    }

    /// The `d` of every IDENTIFY so far, without the token.
    pub fn identifies(&self) -> Vec<Value> {
        self.state.hub().identifies.clone()
    }

    /// The number of resumed sessions so far.
    pub fn n_resumes(&self) -> u64 {
        self.state.hub().n_resumes
    }

    /// The number of heartbeats so far.
    pub fn n_heartbeats(&self) -> u64 {
        self.state.hub().n_heartbeats
    }

    /// The number of gateway connections so far, closed ones included.
    pub fn connections(&self) -> u64 {
        self.state.hub().n_opened
    }

    /// The number of open gateway connections.
    pub fn n_connected(&self) -> usize {
        self.state.hub().n_connected()
    }

    /// Waits until a session is connected. Returns false on timeout.
    pub async fn wait_ready(&self, timeout: Duration) -> bool {
        self.wait_until(timeout, || self.state.hub().is_ready().then_some(())).await.is_some()
    }

    /// Calls `look` now and after every request and gateway change, until it returns a value or the time is up.
    pub async fn wait_until<T>(&self, timeout: Duration, look: impl FnMut() -> Option<T>) -> Option<T> {
        self.state.wait_until(timeout, look).await
    }
}

impl State {
    /// Calls `look` now and after every request and gateway change, until it returns a value or the time is up.
    pub(crate) async fn wait_until<T>(&self, timeout: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let found = tokio::time::timeout(timeout, async {
            loop {
                // Enabled before `look`, so that no change in between is missed.
                let mut changed = std::pin::pin!(self.changed.notified());
                changed.as_mut().enable();
                if let Some(found) = look() {
                    return found;
                }
                changed.await;
            }
        });
        found.await.ok()
    }

    /// The content of a file that the bot uploaded with a message or an edit of it. The last file of that name counts.
    pub(crate) fn file(&self, message_id: u64, filename: &str) -> Option<Vec<u8>> {
        let journal = self.journal();
        let mut sent = journal.entries().iter().rev().filter(|entry| entry.message_id == Some(message_id));
        let file = sent.find_map(|entry| entry.files.iter().find(|file| file.filename == filename))?;
        Some(file.bytes.to_vec())
    }
}
