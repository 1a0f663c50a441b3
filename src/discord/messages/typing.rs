//! Shows that the bot types while it works on an answer.

use std::sync::Arc;
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::rest::{RequestError, Rest};

/// How often the indicator is renewed. Discord shows it for ten seconds.
const EVERY: Duration = Duration::from_secs(8);

/// The indicator is shown until this is dropped.
pub(crate) struct Typing {
    _shown: AbortOnDropHandle<()>,
}

impl Typing {
    /// Starts the indicator in this channel, as far as Discord lets the bot.
    pub(crate) fn begin(rest: Arc<Rest>, channel: ChannelId) -> Self {
        let shown = tokio::spawn(async move {
            loop {
                let wait = match rest.typing(channel).await {
                    Ok(()) => EVERY,
                    Err(RequestError::Limited(wait)) => wait.max(EVERY),
                    // For any cause, the answer itself will say more.
                    Err(_) => return,
                };
                sleep(wait).await;
            }
        });
        Self { _shown: AbortOnDropHandle::new(shown) }
    }
}
