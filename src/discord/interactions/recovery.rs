//! Tells people how their commands ended if the process that ran them ended first.

use std::sync::Arc;

use serenity::all::{CreateAllowedMentions, CreateInteractionResponseFollowup, EditInteractionResponse};
use serenity::async_trait;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::rest::{RequestError, Rest, once, twice};
use candor_core::text::shortened;
use candor_engine::dispatch::{Dispatcher, Teller, Telling};

/// The maximum characters of a message. See Discord's documentation on creating messages.
const CONTENT_MAX: usize = 2_000;

pub(crate) async fn tell_interrupted(dispatcher: Arc<Dispatcher>, rest: Arc<Rest>, stop: CancellationToken) {
    stop.run_until_cancelled(dispatcher.tell_interrupted(&InPlaceOfTheNote(rest))).await;
}

/// Prefix of a component's token if its message stays as it is: the note is a follow-up.
pub(super) const FOLLOW_UP: char = '+';

struct InPlaceOfTheNote(Arc<Rest>);

#[async_trait]
impl Teller for InPlaceOfTheNote {
    fn may_repeat(&self, token: &str) -> bool {
        !token.starts_with(FOLLOW_UP)
    }

    async fn tell(&self, token: &str, text: &str) -> Telling {
        let text = shortened(text, CONTENT_MAX);
        let silent = CreateAllowedMentions::new();
        let sent = match token.strip_prefix(FOLLOW_UP) {
            Some(token) => {
                let body = CreateInteractionResponseFollowup::new().content(text).allowed_mentions(silent);
                {
                    let body = body.ephemeral(true);
                    once(|| self.0.follow_up(token, &body)).await
                }
            }
            None => {
                let body = EditInteractionResponse::new().content(text).allowed_mentions(silent);
                twice(|| self.0.edit_response(token, &body, Vec::new())).await
            }
        };
        let Err(problem) = sent else { return Telling::Shown };
        warn!(error = %problem, "could not tell a person how their command ended");
        // A spared request is sent later, when fewer requests are refused.
        if problem.passes() || matches!(problem, RequestError::Spared) { Telling::NotNow } else { Telling::Never }
    }
}
