//! A live message at Discord, and how it is edited.

use serenity::all::{ChannelId, MessageId};
use tokio::time::Instant;
use tracing::warn;

use crate::render::posts::without_components;
use crate::render::respond;
use crate::rest::{RequestError, Rest};
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

impl LiveTarget {
    pub(crate) async fn edit(&self, rest: &Rest, answer: &Answer) -> Result<(), RequestError> {
        let language = self.asked.caller.language;
        match &self.target {
            Target::Original { token } => {
                let body = respond::refreshed(answer, language);
                rest.edit_response(token, &body, respond::files(answer)).await.map(drop)
            }
            Target::Message { channel, id } => {
                let Some(post) = without_components(answer, language) else { return Ok(()) };
                rest.edit(*channel, *id, &post.edited(), post.files()).await
            }
        }
    }
}

/// Logs a failed edit. Returns whether the next edit would fail as well, because the message or channel is unknown, or
/// the bot has no access to it.
pub(crate) fn is_unreachable(edited: Result<(), RequestError>) -> bool {
    let Err(problem) = edited else { return false };
    warn!(error = %problem, "could not refresh a live message");
    problem.is_dead() || matches!(problem.status(), Some(401 | 403 | 404))
}
