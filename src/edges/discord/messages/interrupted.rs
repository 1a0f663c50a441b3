//! Ends the chat replies that an earlier process left in the middle: what is written stays, and says that no more comes.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serenity::all::{ChannelId, CreateAllowedMentions, CreateMessage, EditMessage, Http, MessageId};
use tracing::{error, warn};

use crate::edges::discord::render::turn_text::SMALL;
use crate::edges::discord::rest::{SendError, change, describe, twice};
use crate::host::dispatch::Dispatcher;
use crate::host::{OpenReplies, OpenReply};
use candor_core::language::say;
use candor_core::text::utf16_length;

/// Where other processes may be alive, a reply that began this long ago is not written any more.
const LONGEST: Duration = Duration::from_hours(1);

/// The most of a message, in UTF-16 units. See Discord's documentation on creating messages.
const CONTENT_MAX: usize = 2_000;

/// Ends what was left open before this process started.
pub(crate) async fn end_interrupted(open: Arc<dyn OpenReplies>, dispatcher: Arc<Dispatcher>, http: Arc<Http>) {
    let now = SystemTime::now();
    let before = if dispatcher.is_alone() { now } else { now.checked_sub(LONGEST).unwrap_or(SystemTime::UNIX_EPOCH) };
    let left = match open.replies_left_open(before).await {
        Ok(left) => left,
        Err(problem) => return error!(error = %problem, "the replies that were left open could not be read"),
    };
    for reply in left {
        end(&http, &reply).await;
        if let Err(problem) = open.reply_is_over(reply.event).await {
            error!(error = %problem, "a reply that was ended is still stored as open");
        }
    }
}

/// Ends one reply: the messages that say that it is still written, or a message of its own if there is none.
async fn end(http: &Http, reply: &OpenReply) {
    let channel = ChannelId::new(reply.channel.0);
    let mut is_told = false;
    for &id in &reply.messages {
        let id = MessageId::new(id);
        let message = match twice(|| http.get_message(channel, id)).await {
            Ok(message) => message,
            Err(problem) => {
                warn!(channel.id = channel.get(), error = describe(&problem), "an open reply could not be read");
                continue;
            }
        };
        if let Some(ended) = ended(&message.content, reply) {
            let body = EditMessage::new()
                .content(ended)
                .components(Vec::new())
                .allowed_mentions(CreateAllowedMentions::new());
            is_told |= change(http, channel, id, &body).await.is_ok();
        }
    }
    if !is_told {
        let text = format!("{SMALL}{}", say!(reply.language, "interrupted-turn"));
        let body = CreateMessage::new()
            .content(text)
            .allowed_mentions(CreateAllowedMentions::new())
            .reference_message((channel, MessageId::new(reply.question)));
        let sent = twice(|| http.send_message(channel, Vec::new(), &body)).await;
        if let Err(problem) = sent {
            warn!(channel.id = channel.get(), error = describe(&problem), "a person could not be told of a reply's end");
            let _why = SendError::of(&problem);
        }
    }
}

/// The content of a message that says that the reply is still written, as it reads once nothing more comes. None if it
/// says no such thing.
fn ended(content: &str, reply: &OpenReply) -> Option<String> {
    let line = say!(reply.language, "interrupted-turn");
    let still = format!(" · {}", say!(reply.language, "label-still-writing"));
    let (words, label) = content.rsplit_once('\n').unwrap_or(("", content));
    match label.strip_suffix(still.as_str()) {
        Some(label) => {
            let ended = format!("{words}\n{SMALL}{line}\n{label}");
            // Without room for the line, the label alone says what it is.
            Some(if utf16_length(&ended) <= CONTENT_MAX { ended } else { format!("{words}\n{label}") })
        }
        // What runs, or that nothing was written yet.
        None if words.is_empty() && label.starts_with(SMALL) => Some(format!("{SMALL}{line}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use candor_core::inbound;
    use candor_core::language::Language;

    #[test]
    fn what_was_written_stays_and_says_that_no_more_comes() {
        let reply = OpenReply {
            event: inbound::EventId(1),
            channel: inbound::ChannelId(2),
            question: 1,
            messages: vec![3],
            began: UNIX_EPOCH,
            language: Language::ENGLISH,
        };
        let line = say!(Language::ENGLISH, "interrupted-turn");
        let still = say!(Language::ENGLISH, "label-still-writing");
        let cases = [
            (format!("Half a story\n-# generated · {still}"), Some(format!("Half a story\n-# {line}\n-# generated"))),
            ("-# running /slow …".to_owned(), Some(format!("-# {line}"))),
            ("A whole one.\n-# generated".to_owned(), None),
            ("**Tasks**\n1. milk".to_owned(), None),
        ];
        for (content, expected) in cases {
            assert_eq!(ended(&content, &reply), expected, "{content}");
        }
    }
}
