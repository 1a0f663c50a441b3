//! Publishes the signed head of the receipts once a day, in files and channels.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
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
        while !self.places.is_empty() {
            for place in &self.places {
                self.publish_if_due(place).await;
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = sleep(LOOK_EVERY) => {}
            }
        }
    }

    async fn publish_if_due(&self, place: &PublishTo) {
        let name = match place {
            PublishTo::File(path) => format!("file:{}", path.display()),
            PublishTo::Channel(channel) => format!("channel:{channel}"),
        };
        let now = self.dispatcher.now();
        let head = match self.heads.newest_head().await {
            Ok(Some(head)) => head,
            Ok(None) => return,
            Err(problem) => return warn!(error = %problem, "the signed head of the receipts could not be read"),
        };
        match self.heads.takes_turn(&name, now, EVERY).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(problem) => {
                return warn!(error = %problem, "could not check whether the signed head is due; trying again in a minute");
            }
        }
        let published = match place {
            PublishTo::File(path) => self.append(path, &head).await.map_err(|problem| problem.to_string()),
            PublishTo::Channel(channel) => self.post(ChannelId::new(channel.0.max(1)), &head).await,
        };
        let Err(problem) = published else {
            info!(place = name, position = head.head.position, "published the signed head of the receipts");
            return;
        };
        warn!(
            place = name,
            error = problem,
            "could not publish the signed head of the receipts; trying again in an hour"
        );
        if let Err(problem) = self.heads.gives_back(&name, now + AGAIN_AFTER, EVERY).await {
            warn!(place = name, error = %problem, "could not reschedule the signed head; trying again in a day");
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
