//! Tells people how commands ended whose process ended before it could.

use std::sync::Arc;

use serenity::all::{CreateAllowedMentions, CreateInteractionResponseFollowup, EditInteractionResponse, Http};
use serenity::async_trait;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::edges::discord::rest::{describe, twice};
use crate::host::dispatch::{Dispatcher, Teller};
use candor_core::text::shortened;

/// The most characters of a message. See Discord's documentation on creating messages.
const CONTENT_MAX: usize = 2_000;

/// Tells everybody, until the bot stops.
pub(crate) async fn tell_interrupted(dispatcher: Arc<Dispatcher>, http: Arc<Http>, stop: CancellationToken) {
    stop.run_until_cancelled(dispatcher.tell_interrupted(&InPlaceOfTheNote(http))).await;
}

/// Stands before the token of a component whose message stays as it is: its person is told in a message of their own.
pub(super) const FOLLOW_UP: char = '+';

/// Edits the note that a command runs.
struct InPlaceOfTheNote(Arc<Http>);

#[async_trait]
impl Teller for InPlaceOfTheNote {
    fn may_repeat(&self, token: &str) -> bool {
        !token.starts_with(FOLLOW_UP)
    }

    async fn tell(&self, token: &str, text: &str) -> bool {
        let (text, silent) = (shortened(text, CONTENT_MAX), CreateAllowedMentions::new());
        let sent = match token.strip_prefix(FOLLOW_UP) {
            Some(token) => {
                let body = CreateInteractionResponseFollowup::new().content(text).allowed_mentions(silent);
                Box::pin(self.0.create_followup_message(token, &body.ephemeral(true), Vec::new())).await
            }
            None => {
                let body = EditInteractionResponse::new().content(text).allowed_mentions(silent);
                twice(|| self.0.edit_original_interaction_response(token, &body, Vec::new())).await
            }
        };
        if let Err(problem) = &sent {
            warn!(error = describe(problem), "a person could not be told how their command ended");
        }
        sent.is_ok()
    }
}
