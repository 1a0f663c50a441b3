//! Shows that the bot types while it works on an answer.

use std::sync::Arc;
use std::time::Duration;

use serenity::all::ChannelId;
use tokio::time::sleep;
use tokio_util::task::AbortOnDropHandle;

use crate::edges::discord::rest::{RequestError, Rest};

/// How often it is shown anew. Discord shows it for ten seconds.
const EVERY: Duration = Duration::from_secs(8);

/// It is shown until this is dropped.
pub(crate) struct Typing {
    _shown: AbortOnDropHandle<()>,
}

impl Typing {
    /// Shows it in this channel, as far as Discord lets the bot.
    pub(crate) fn begin(rest: Arc<Rest>, channel: ChannelId) -> Self {
        let shown = tokio::spawn(async move {
            loop {
                let wait = match rest.typing(channel).await {
                    Ok(()) => EVERY,
                    Err(RequestError::Limited(wait)) => wait.max(EVERY),
                    // Whatever it is, the answer itself will say more.
                    Err(_) => return,
                };
                sleep(wait).await;
            }
        });
        Self { _shown: AbortOnDropHandle::new(shown) }
    }
}
