//! Tells people how their commands ended if the process that ran them ended first.

use std::sync::Arc;
use std::time::Duration;

use serenity::all::{CreateAllowedMentions, CreateInteractionResponseFollowup, EditInteractionResponse};
use serenity::async_trait;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::convert::{self, Used};
use crate::payload::Read;
use crate::rest::{RequestError, Rest, once, twice};
use crate::shared::Shared;
use candor_core::inbound::EventId;
use candor_core::language::{Language, say};
use candor_core::text::shortened;
use candor_engine::dispatch::{Dispatcher, Teller, Telling};

/// The maximum characters of a message. See Discord's documentation on creating messages.
const CONTENT_MAX: usize = 2_000;

/// How long the recovery takes at most to show the ends of recorded runs.
const RECOVERED_WITHIN: Duration = Duration::from_secs(5);

/// The age up to which the response of an interaction is edited. Its token lives 15 minutes.
const EDITED_UP_TO: Duration = Duration::from_secs(14 * 60);

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

impl Shared {
    /// Tells the person of a replayed interaction how it ended, if they still see that the bot works on it. An earlier
    /// process deferred it and ended before this was recorded, so the recovery does not know of it. Returns false if
    /// the next process must look again.
    pub(super) async fn ends_waiting(&self, interaction: &Read<'_>, age: Duration) -> bool {
        let Some(language) = self.language_of_waiting(interaction) else { return true };
        let token = interaction.token();
        if EDITED_UP_TO < age || !self.is_waiting(token).await {
            return true;
        }
        let event = EventId(interaction.id().get());
        let executor = &self.dispatcher.executor;
        let claimed = executor.claim(event).await;
        let text = match claimed {
            Ok(true) => say!(language, "interrupted-late"),
            // Another process may be running it, or the recovery is about to show its end. Afterwards nobody knows it.
            Ok(false) => {
                tokio::select! {
                    () = sleep(RECOVERED_WITHIN.max(executor.others_run_for().saturating_sub(age))) => {}
                    () = self.gate.closing() => return false,
                }
                if !self.is_waiting(token).await {
                    return true;
                }
                say!(language, "interrupted-late-unknown")
            }
            Err(ref problem) => {
                warn!(event.id = %event.0, error = %problem, "could not claim an interaction of an earlier process");
                return false;
            }
        };
        let telling = InPlaceOfTheNote(self.rest.clone()).tell(token, &text).await;
        info!(event.id = %event.0, ?telling, "told the end of an interaction that an earlier process deferred");
        if telling == Telling::NotNow && matches!(claimed, Ok(true)) {
            executor.release(event).await;
        }
        telling != Telling::NotNow
    }

    async fn is_waiting(&self, token: &str) -> bool {
        twice(|| self.rest.is_waiting(token)).await.unwrap_or(false)
    }

    /// Returns the language of a person who may see that the bot works. `None` if no kind of answer shows that.
    fn language_of_waiting(&self, interaction: &Read<'_>) -> Option<Language> {
        match interaction {
            Read::Command(command) => Some(convert::of_command(command, self.language())),
            Read::Component(press) => Some(Used::press(press, self.language()).caller.language),
            Read::Modal(modal) => Some(Used::submission(modal, self.language()).caller.language),
            Read::Typing(_) | Read::Unread(_) => None,
        }
    }
}
