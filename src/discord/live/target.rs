//! A live message at Discord, and how it is edited.

use serenity::all::{ChannelId, MessageId};
use tokio::time::Instant;
use tracing::warn;

use crate::render::posts::without_components;
use crate::render::respond;
use crate::rest::{Rest, twice};
use candor_core::inbound::Interaction;
use candor_core::reply::Answer;

pub(crate) struct LiveTarget {
    pub(crate) target: Target,
    pub(crate) asked: Interaction,
    /// When the caller's rights were last looked up. `None` after a restart.
    pub(crate) known: Option<Instant>,
    /// Its last content, without the note that it is live.
    pub(crate) last: Option<Answer>,
}

pub(crate) enum Target {
    /// The response to the interaction of this token.
    Original { token: String },
    /// A message of the bot's own.
    Message { channel: ChannelId, id: MessageId },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    Done,
    Failed,
    /// The message no longer exists, or we may no longer edit it.
    Gone,
}

impl LiveTarget {
    pub(crate) async fn edit(&self, rest: &Rest, answer: &Answer) -> Edited {
        let edited = match &self.target {
            Target::Original { token } => {
                let body = respond::refreshed(answer, self.asked.caller.language);
                let files = respond::files(answer);
                twice(|| rest.edit_response(token, &body, files.clone())).await.map(drop)
            }
            Target::Message { channel, id } => {
                let Some(post) = without_components(answer, self.asked.caller.language) else { return Edited::Failed };
                let body = post.edited();
                twice(|| rest.edit(*channel, *id, &body, post.files())).await
            }
        };
        match edited {
            Ok(()) => Edited::Done,
            Err(problem) => {
                warn!(error = %problem, "could not refresh a live message");
                // Unknown message or channel, or no access to it: the next edit would fail as well.
                let is_gone = problem.is_dead() || matches!(problem.status(), Some(401 | 403 | 404));
                if is_gone { Edited::Gone } else { Edited::Failed }
            }
        }
    }
}
