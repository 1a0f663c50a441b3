//! Marks chat replies that an earlier process did not finish as interrupted. Their text stays.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serenity::all::{ChannelId, MessageId};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::render::posts::{Post, replying};
use crate::render::turn_text::SMALL;
use crate::rest::{RequestError, Rest, SendError, change, twice};
use candor_core::language::say;
use candor_core::text::utf16_length;
use candor_engine::dispatch::Dispatcher;
use candor_engine::{LeftOpen, OpenReplies, OpenReply};

/// If the live processes cannot be determined, a reply older than this counts as interrupted.
const LONGEST: Duration = Duration::from_hours(1);

/// How often to look for replies of ended processes.
const EVERY: Duration = Duration::from_secs(30);

/// The longest pause while Discord does not accept some of the edits. The pause doubles each time.
const EVERY_MAX: Duration = Duration::from_mins(10);

/// After this time a reply that cannot be ended is left as it is: the channel is gone, or closed to the bot.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(24);

/// The maximum of a message, in UTF-16 units. See Discord's documentation on creating messages.
const CONTENT_MAX: usize = 2_000;

/// Ends the replies of ended processes until none is left. If other processes share the store, it goes on looking until
/// the bot stops.
pub(crate) async fn end_interrupted(
    open: Arc<dyn OpenReplies>,
    dispatcher: Arc<Dispatcher>,
    rest: Arc<Rest>,
    stop: CancellationToken,
) {
    stop.run_until_cancelled(look(&*open, &dispatcher, &rest)).await;
}

async fn look(open: &dyn OpenReplies, dispatcher: &Dispatcher, rest: &Rest) {
    let mut pause = EVERY;
    loop {
        let was_alone = dispatcher.executor.ledger.was_alone();
        let is_done = end_all(open, rest, dispatcher.now()).await;
        if is_done && was_alone {
            return;
        }
        pause = if is_done { EVERY } else { (pause * 2).min(EVERY_MAX) };
        sleep(pause).await;
    }
}

/// Ends all interrupted replies. Returns false if one is still open.
async fn end_all(open: &dyn OpenReplies, rest: &Rest, now: SystemTime) -> bool {
    let mut left = LeftOpen::all(now, LONGEST);
    let mut is_done = true;
    loop {
        let replies = match open.replies_left_open(left).await {
            Ok(replies) => replies,
            Err(problem) => {
                error!(error = %problem, "the replies that were left open could not be read");
                return false;
            }
        };
        let Some(last) = replies.last() else { return is_done };
        left.after = Some(last.event);
        for reply in replies {
            is_done &= end_and_forget(open, rest, &reply, now).await;
        }
    }
}

/// Ends one reply. Returns false if it is still open.
async fn end_and_forget(open: &dyn OpenReplies, rest: &Rest, reply: &OpenReply, now: SystemTime) -> bool {
    // A start in the future means that the clock was set back: it is not old.
    let is_old = now.duration_since(reply.began).is_ok_and(|age| GIVEN_UP_AFTER < age);
    // Discord may accept it later.
    if end(rest, reply).await == Err(SendError::Lost) && !is_old {
        return false;
    }
    let forgotten = open.reply_is_over(reply.event).await;
    if let Err(problem) = &forgotten {
        error!(error = %problem, "a reply that was ended is still stored as open");
    }
    forgotten.is_ok()
}

/// Ends one reply: edits its progress messages, or sends a message if it has no such messages.
async fn end(rest: &Rest, reply: &OpenReply) -> Result<(), SendError> {
    let channel = ChannelId::new(reply.channel.0);
    let mut is_told = false;
    for &id in &reply.messages {
        let id = MessageId::new(id);
        let content = match twice(|| rest.message(channel, id)).await {
            Ok(message) => message.content,
            Err(problem) if problem.status() == Some(404) => continue,
            Err(problem) => return Err(untold(&problem, channel)),
        };
        // An earlier process may have come this far.
        is_told |= content.contains(&say!(reply.language, "interrupted-turn"));
        if let Some(ended) = ended(&content, reply) {
            change(rest, channel, id, &Post::text(ended).edited()).await?;
            is_told = true;
        }
    }
    // With the same nonce Discord returns a message that was sent just before the process ended. Several processes may
    // also find the same reply.
    let part = match &reply.in_doubt {
        Some(part) => part,
        None if is_told => return Ok(()),
        None => "i",
    };
    let line = interrupted(reply);
    let body = Post::text(line.clone()).created(reply.event, part);
    let body = replying(body, (channel, MessageId::new(reply.question)));
    let sent = twice(|| rest.post(channel, Vec::new(), &body)).await;
    let sent = sent.map_err(|problem| untold(&problem, channel))?;
    if sent.content == line {
        // The message did not exist before. One line is enough.
        return match is_told {
            true => twice(|| rest.delete(channel, sent.id)).await.map_err(|problem| untold(&problem, channel)),
            false => Ok(()),
        };
    }
    match ended(&sent.content, reply) {
        Some(ended) => change(rest, channel, sent.id, &Post::text(ended).edited()).await,
        None => Ok(()),
    }
}

fn untold(problem: &RequestError, channel: ChannelId) -> SendError {
    warn!(channel.id = %channel.get(), error = %problem, "a reply that was interrupted could not be ended");
    SendError::of(problem)
}

/// Returns the final content of a message that says that the reply is still written. `None` if it does not say so.
fn ended(content: &str, reply: &OpenReply) -> Option<String> {
    let fact = reply.mark.as_ref().map(|mark| format!(" · {}", mark.fact(reply.language))).unwrap_or_default();
    let line = say!(reply.language, "interrupted-turn");
    let still = format!(" · {}", say!(reply.language, "label-still-writing"));
    let (words, label) = content.rsplit_once('\n').unwrap_or(("", content));
    match label.strip_suffix(still.as_str()) {
        Some(label) => {
            let short = format!(" · {}", say!(reply.language, "outcome-interrupted"));
            // If the line does not fit, the label says it.
            let ways = [
                format!("{words}\n{SMALL}{line}\n{label}{fact}"),
                format!("{words}\n{label}{fact}{short}"),
                format!("{words}\n{label}{short}"),
            ];
            ways.into_iter().find(|ended| utf16_length(ended) <= CONTENT_MAX)
        }
        // A progress message: it says what runs, or that nothing was written yet.
        None if words.is_empty() && label.starts_with(SMALL) => Some(interrupted(reply)),
        None => None,
    }
}

/// Returns the final content of a message without words of the model: that the reply was interrupted, and what ran, if
/// anything.
fn interrupted(reply: &OpenReply) -> String {
    let line = format!("{SMALL}{}", say!(reply.language, "interrupted-turn"));
    match reply.mark.as_ref().filter(|mark| !mark.is_none()) {
        Some(mark) => format!("{line}\n{SMALL}{}", mark.fact(reply.language)),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use candor_core::inbound;
    use candor_core::language::Language;
    use candor_core::reply::Mark;

    #[test]
    fn what_was_written_stays_and_says_that_no_more_comes() {
        let reply = |mark| OpenReply {
            event: inbound::EventId(1),
            channel: inbound::ChannelId(2),
            question: 1,
            messages: vec![3],
            in_doubt: None,
            mark,
            began: UNIX_EPOCH,
            language: Language::ENGLISH,
        };
        let line = say!(Language::ENGLISH, "interrupted-turn");
        let still = say!(Language::ENGLISH, "label-still-writing");
        let unknown = || Mark::default().unknown(["/tasks add".to_owned()]);
        let fact = unknown().fact(Language::ENGLISH);
        let none = Mark::default().fact(Language::ENGLISH);
        let short = say!(Language::ENGLISH, "outcome-interrupted");
        let half = format!("Half a story\n-# generated · {still}");
        let cases = [
            (None, half.clone(), Some(format!("Half a story\n-# {line}\n-# generated"))),
            (Some(Mark::default()), half.clone(), Some(format!("Half a story\n-# {line}\n-# generated · {none}"))),
            (Some(unknown()), half, Some(format!("Half a story\n-# {line}\n-# generated · {fact}"))),
            (
                Some(Mark::default()),
                format!("{}\n-# generated · 1 of 2 · {still}", "x".repeat(1_900)),
                Some(format!("{}\n-# generated · 1 of 2 · {none} · {short}", "x".repeat(1_900))),
            ),
            (
                Some(unknown()),
                format!("{}\n-# generated · 1 of 2 · {still}", "x".repeat(1_950)),
                Some(format!("{}\n-# generated · 1 of 2 · {short}", "x".repeat(1_950))),
            ),
            (None, "-# running /slow …".to_owned(), Some(format!("-# {line}"))),
            (Some(Mark::default()), "-# running /slow …".to_owned(), Some(format!("-# {line}"))),
            (Some(unknown()), "-# running /tasks add …".to_owned(), Some(format!("-# {line}\n-# {fact}"))),
            (None, "A whole one.\n-# generated".to_owned(), None),
            (None, "**Tasks**\n1. milk".to_owned(), None),
        ];
        for (mark, content, expected) in cases {
            assert_eq!(ended(&content, &reply(mark)), expected, "{content}");
        }
    }
}
