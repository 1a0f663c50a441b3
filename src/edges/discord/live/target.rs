//! A live message as it stands at Discord, and how it is changed.

use serenity::all::{ChannelId, Http, MessageId};
use tracing::warn;

use crate::edges::discord::render::posts::unpressed;
use crate::edges::discord::render::respond;
use crate::edges::discord::render::turn_text::SMALL;
use crate::edges::discord::rest::{describe, is_dead, status, twice};
use candor_core::inbound::Interaction;
use candor_core::reply::Answer;

/// A live message.
pub(crate) struct LiveTarget {
    pub(crate) target: Target,
    /// What asked for it.
    pub(crate) asked: Interaction,
    /// What it said last, without the note on its being live.
    pub(crate) last: Option<Answer>,
}

/// Which message it is.
pub(crate) enum Target {
    /// The answer to the interaction of this token.
    Original { token: String },
    /// A message of the bot's own.
    Message { channel: ChannelId, id: MessageId },
}

/// What came of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edited {
    Done,
    /// It did not work this time.
    Failed,
    /// There is no such message, or it is not to be changed by us any more.
    Gone,
}

impl LiveTarget {
    /// Puts this answer into its place.
    pub(crate) async fn edit(&self, http: &Http, answer: &Answer) -> Edited {
        let edited = match &self.target {
            Target::Original { token } => {
                let (body, files) = (respond::refreshed(answer, self.asked.caller.language), respond::files(answer));
                twice(|| http.edit_original_interaction_response(token, &body, files.clone())).await.map(drop)
            }
            Target::Message { channel, id } => {
                let Some(post) = unpressed(answer, self.asked.caller.language) else { return Edited::Failed };
                let body = post.edited();
                twice(|| http.edit_message(*channel, *id, &body, post.files())).await.map(drop)
            }
        };
        match edited {
            Ok(()) => Edited::Done,
            Err(problem) => {
                warn!(error = describe(&problem), "could not refresh a live message");
                // Unknown message or channel, or no access to it: the next edit would fail as well.
                let is_gone = is_dead(&problem) || matches!(status(&problem), Some(401 | 403 | 404));
                if is_gone { Edited::Gone } else { Edited::Failed }
            }
        }
    }
}

/// The answer with a small line below its text.
pub(crate) fn noted(answer: &Answer, note: &str) -> Answer {
    let mut answer = answer.clone();
    answer.reply.add_line(&format!("{SMALL}{note}"));
    answer
}
