//! The other half of the handle: what the bot did, and waiting until it did it.

use std::time::Duration;

use serde_json::Value;

use crate::interaction::Sent;
use crate::record::Recorded;
use crate::twin::Twin;

impl Twin {
    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.journal().entries().to_vec()
    }

    /// How many requests there were so far, which is also the number of the next one.
    pub fn n_requests(&self) -> u64 {
        self.state.journal().entries().len() as u64
    }

    /// The requests that broke one of Discord's rules: answers of 400 and above that no test ordered.
    pub fn refused(&self) -> Vec<Recorded> {
        let journal = self.state.journal();
        journal.entries().iter().filter(|entry| entry.status >= 400 && !entry.injected).cloned().collect()
    }

    /// How many requests were answered with 401, 403 or 429. Discord bans an address after 10,000 in 10 minutes.
    pub fn n_invalid(&self) -> u64 {
        self.state.world().n_invalid
    }

    /// How many times a session may still be started today, as `GET /gateway/bot` says it.
    pub fn session_starts_left(&self) -> u64 {
        self.state.session_starts_left()
    }

    /// The codes with which the twin closed connections because of what the bot sent or did not send.
    pub fn closes(&self) -> Vec<u16> {
        self.state.hub().closes.clone()
    }

    /// The content of a file that came with a message, by the message's id. The last one of that name counts.
    pub fn file(&self, message_id: u64, filename: &str) -> Option<Vec<u8>> {
        let journal = self.state.journal();
        let mut sent = journal.entries().iter().rev().filter(|entry| entry.message_id == Some(message_id));
        let file = sent.find_map(|entry| entry.files.iter().find(|file| file.filename == filename))?;
        Some(file.bytes.to_vec())
    }

    /// Waits for a request, past ones included.
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

    /// All requests that answer this interaction: the callback, edits and follow-ups, refused ones included.
    pub fn replies_to(&self, sent: &Sent) -> Vec<Recorded> {
        self.state.journal().for_token(&sent.token).cloned().collect()
    }

    /// Waits for the first accepted request that answers the interaction with something to see or to choose from:
    /// the callback, or what follows a deferral.
    pub async fn answer_to(&self, sent: &Sent, timeout: Duration) -> Option<Recorded> {
        self.reply_where(sent, timeout, |reply| {
            reply.accepted() && !reply.is_deferral() && matches!(reply.method.as_str(), "POST" | "PATCH")
        })
        .await
    }

    /// Waits for the accepted callback, a deferral included.
    pub async fn callback_to(&self, sent: &Sent, timeout: Duration) -> Option<Recorded> {
        self.reply_where(sent, timeout, |reply| reply.accepted() && reply.is_callback()).await
    }

    async fn reply_where(&self, sent: &Sent, timeout: Duration, wanted: fn(&Recorded) -> bool) -> Option<Recorded> {
        self.wait_until(timeout, || self.state.journal().for_token(&sent.token).find(|reply| wanted(reply)).cloned())
            .await
    }

    /// The commands registered now, in both scopes, with their localisations.
    pub fn commands(&self) -> Vec<Value> {
        self.state.world().commands.clone()
    }

    /// A stored message by id: what people wrote, and what the bot's messages look like after all edits.
    pub fn message(&self, id: u64) -> Option<Value> {
        self.state.world().messages.get(&id.to_string()).cloned()
    }

    /// The original response to an interaction, as it looks now.
    pub fn original_of(&self, sent: &Sent) -> Option<Value> {
        let world = self.state.world();
        let original = world.tickets.get(&sent.token)?.original.as_ref()?;
        world.messages.get(original).cloned()
    }

    /// The data of every IDENTIFY so far, without the token.
    pub fn identifies(&self) -> Vec<Value> {
        self.state.hub().identifies.clone()
    }

    /// How many sessions were resumed so far.
    pub fn n_resumes(&self) -> u64 {
        self.state.hub().n_resumes
    }

    /// How many heartbeats came so far.
    pub fn n_heartbeats(&self) -> u64 {
        self.state.hub().n_heartbeats
    }

    /// How many connections to the gateway were opened so far.
    pub fn connections(&self) -> u64 {
        self.state.hub().n_opened
    }

    /// How many connections to the gateway are open now.
    pub fn n_connected(&self) -> usize {
        self.state.hub().n_connected()
    }

    /// Waits until a bot has identified or resumed, and says whether it has.
    pub async fn wait_ready(&self, timeout: Duration) -> bool {
        self.wait_until(timeout, || self.state.hub().is_ready().then_some(())).await.is_some()
    }

    /// Looks again after every request and every change at the gateway, until there is something or time is up.
    pub async fn wait_until<T>(&self, timeout: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
        let found = tokio::time::timeout(timeout, async {
            loop {
                // Registered before looking, so that nothing happens in between unnoticed.
                let mut changed = std::pin::pin!(self.state.changed.notified());
                changed.as_mut().enable();
                if let Some(found) = look() {
                    return found;
                }
                changed.await;
            }
        });
        found.await.ok()
    }
}
