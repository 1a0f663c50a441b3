//! Publishes the signed head of the receipts once a day, in files and channels.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serenity::all::ChannelId;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::render::posts::Post;
use crate::rest::{Rest, once};
use candor_core::language::{Language, say};
use candor_core::record::SignedHead;
use candor_core::settings::PublishTo;
use candor_engine::PublishedHeads;
use candor_engine::dispatch::Dispatcher;

const EVERY: Duration = Duration::from_hours(24);

/// The pause after a failed try.
const AGAIN_AFTER: Duration = Duration::from_hours(1);

/// How often to look whether a day is over.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// How long after a start the first head is published, also if the store has no turn for it. A bot in a loop of crashes does
/// not get there.
const FIRST_AFTER: Duration = Duration::from_mins(10);

pub(crate) struct HeadPublisher {
    pub(crate) heads: Arc<dyn PublishedHeads>,
    pub(crate) places: Vec<PublishTo>,
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) rest: Arc<Rest>,
    pub(crate) language: Language,
}

impl HeadPublisher {
    /// Publishes until the bot stops.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut turns = Turns::new(self.heads.clone());
        while !self.places.is_empty() {
            for place in &self.places {
                self.publish_if_due(place, &mut turns).await;
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = sleep(LOOK_EVERY) => {}
            }
        }
    }

    async fn publish_if_due(&self, place: &PublishTo, turns: &mut Turns) {
        let name = place.name();
        let now = self.dispatcher.now();
        let head = match self.heads.newest_head().await {
            Ok(Some(head)) => head,
            Ok(None) => return,
            Err(problem) => return warn!(error = %problem, "the signed head of the receipts could not be read"),
        };
        if !turns.take(&name, now).await {
            return;
        }
        let published = match place {
            PublishTo::File(path) => self.append(path, &head).await.map_err(|problem| problem.to_string()),
            PublishTo::Channel(channel) => self.post(ChannelId::new(channel.0.max(1)), &head).await,
        };
        turns.ended(&name, now, published.is_ok()).await;
        match published {
            Ok(()) => info!(place = name, position = head.head.position, "published the signed head of the receipts"),
            Err(problem) => warn!(
                place = name,
                error = problem,
                "could not publish the signed head of the receipts; trying again in an hour"
            ),
        }
    }

    async fn append(&self, path: &Path, head: &SignedHead) -> io::Result<()> {
        let path = path.to_owned();
        let line = format!("{}\n", head.to_line());
        let written = spawn_blocking(move || {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(line.as_bytes())?;
            file.sync_all()
        });
        written.await.unwrap_or_else(|broken| Err(broken.into()))
    }

    async fn post(&self, channel: ChannelId, head: &SignedHead) -> Result<(), String> {
        let text = format!("{}\n```json\n{}\n```", say!(self.language, "receipts-head"), head.to_line());
        let nonce = format!("h{}", head.head.position);
        let body = Post::text(text).alone(nonce);
        once(|| self.rest.post(channel, Vec::new(), &body)).await.map(drop).map_err(|problem| problem.to_string())
    }
}

/// When to publish in each place. The store remembers the turns of all processes. A program that writes the store can
/// postpone them, so this process also publishes if it has not done so for two days, or not since its start.
struct Turns {
    heads: Arc<dyn PublishedHeads>,
    first: Instant,
    /// When this process publishes in a place at the latest.
    latest: HashMap<String, Instant>,
}

impl Turns {
    fn new(heads: Arc<dyn PublishedHeads>) -> Self {
        Self { heads, first: Instant::now() + FIRST_AFTER, latest: HashMap::new() }
    }

    async fn take(&mut self, place: &str, now: SystemTime) -> bool {
        match self.heads.takes_turn(place, now, EVERY).await {
            Ok(true) => return true,
            Ok(false) => {}
            Err(problem) => {
                warn!(error = %problem, "could not check whether the signed head is due; trying again in a minute");
            }
        }
        *self.latest.get(place).unwrap_or(&self.first) <= Instant::now()
    }

    async fn ended(&mut self, place: &str, now: SystemTime, is_published: bool) {
        let pause = if is_published { 2 * EVERY } else { AGAIN_AFTER };
        self.latest.insert(place.to_owned(), Instant::now() + pause);
        if is_published {
            return;
        }
        if let Err(problem) = self.heads.gives_back(place, now + AGAIN_AFTER, EVERY).await {
            warn!(place, error = %problem, "could not reschedule the signed head; trying again later");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use async_trait::async_trait;
    use tokio::time::advance;

    use super::*;
    use candor_core::contract::ServiceError;

    /// A store whose turns another program can put off.
    #[derive(Default)]
    struct Store {
        is_due: AtomicBool,
    }

    #[async_trait]
    impl PublishedHeads for Store {
        async fn newest_head(&self) -> Result<Option<SignedHead>, ServiceError> {
            Ok(None)
        }

        async fn takes_turn(&self, _: &str, _: SystemTime, _: Duration) -> Result<bool, ServiceError> {
            Ok(self.is_due.swap(false, Ordering::Relaxed))
        }

        async fn gives_back(&self, _: &str, _: SystemTime, _: Duration) -> Result<(), ServiceError> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_never_lets_anybody_publish_postpones_it_by_a_day_at_most() {
        let mut turns = Turns::new(Arc::new(Store::default()));
        let now = SystemTime::UNIX_EPOCH;
        assert!(!turns.take("file:a", now).await, "a bot that has just started asks the store alone");
        advance(FIRST_AFTER).await;
        assert!(turns.take("file:a", now).await);
        turns.ended("file:a", now, false).await;
        assert!(!turns.take("file:a", now).await);
        advance(AGAIN_AFTER).await;
        assert!(turns.take("file:a", now).await);
        turns.ended("file:a", now, true).await;
        assert!(turns.take("channel:1", now).await, "each place for itself");
        advance(2 * EVERY - LOOK_EVERY).await;
        assert!(!turns.take("file:a", now).await);
        advance(LOOK_EVERY).await;
        assert!(turns.take("file:a", now).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_by_the_store_puts_the_own_one_off() {
        let store = Arc::new(Store::default());
        let mut turns = Turns::new(store.clone());
        let now = SystemTime::UNIX_EPOCH;
        store.is_due.store(true, Ordering::Relaxed);
        assert!(turns.take("file:a", now).await);
        turns.ended("file:a", now, true).await;
        advance(FIRST_AFTER).await;
        assert!(!turns.take("file:a", now).await);
    }
}
