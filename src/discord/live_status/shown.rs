//! A live message as it stands at Discord, and how it is changed.

use serenity::all::{ChannelId, Http, MessageId};
use tracing::warn;

use crate::discord::deliver::twice;
use crate::discord::http::{describe, is_dead, status};
use crate::discord::posts::unpressed;
use crate::discord::respond;
use crate::discord::turn_text::SMALL;
use crate::inbound::Interaction;
use crate::reply::Answer;

/// A live message.
pub(super) struct Shown {
    pub(super) target: Target,
    /// What asked for it.
    pub(super) asked: Interaction,
    /// What it said last, without the note on its being live.
    pub(super) last: Option<Answer>,
}

/// Which message it is.
pub(super) enum Target {
    /// The answer to the interaction of this token.
    Original { token: String },
    /// A message of the bot's own.
    Message { channel: ChannelId, id: MessageId },
}

/// What came of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edited {
    Done,
    /// It did not work this time.
    Failed,
    /// There is no such message, or it is not to be changed by us any more.
    Gone,
}

impl Shown {
    /// Puts this answer into its place.
    pub(super) async fn edit(&self, http: &Http, answer: &Answer) -> Edited {
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
pub(super) fn noted(answer: &Answer, note: &str) -> Answer {
    let mut answer = answer.clone();
    answer.reply.add_line(&format!("{SMALL}{note}"));
    answer
}
