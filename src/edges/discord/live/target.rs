//! A live message at Discord, and how it is edited.

use serenity::all::{ChannelId, MessageId};
use tokio::time::Instant;
use tracing::warn;

use crate::edges::discord::render::posts::without_components;
use crate::edges::discord::render::respond;
use crate::edges::discord::rest::{Rest, twice};
use candor_core::inbound::Interaction;
use candor_core::reply::Answer;

/// A live message.
pub(crate) struct LiveTarget {
    pub(crate) target: Target,
    /// The interaction that asked for it.
    pub(crate) asked: Interaction,
    /// Since when it is known what its caller may do. `None` after a restart.
    pub(crate) known: Option<Instant>,
    /// Its last content, without the note on its being live.
    pub(crate) last: Option<Answer>,
}

/// Identifies the message.
pub(crate) enum Target {
    /// The response to the interaction of this token.
    Original { token: String },
    /// A message of the bot's own.
    Message { channel: ChannelId, id: MessageId },
}

/// The outcome of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    Done,
    /// It failed this time.
    Failed,
    /// The message no longer exists, or we may no longer edit it.
    Gone,
}

impl LiveTarget {
    /// Replaces the content of the message by this answer.
    pub(crate) async fn edit(&self, rest: &Rest, answer: &Answer) -> Edited {
        let edited = match &self.target {
            Target::Original { token } => {
                let (body, files) = (respond::refreshed(answer, self.asked.caller.language), respond::files(answer));
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
