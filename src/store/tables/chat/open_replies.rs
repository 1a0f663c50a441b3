//! Chat replies in progress.

use async_trait::async_trait;

use crate::database::Database;
use crate::sql::Row;
use crate::tables::abandoned::left_open;
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, EventId};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_core::reply::Mark;
use candor_engine::{LeftOpen, OpenReplies, OpenReply, ReceiptBook};

const OPEN: &str = left_open!("open_replies", "began_ms", "event, channel, question, messages, began_ms, language");

/// The column `messages` lists the notes of a reply in order. A message has two notes: the end of its nonce, then its
/// id. A command that is about to run is `~/tasks+add`. Its end is `#` with the number of its receipt, or `#-`. Replies
/// of versions that note commands begin with this constant.
const NOTES_COMMANDS: &str = "#";
const RUNS: char = '~';
const RAN: char = '#';
const NO_RECEIPT: &str = "-";

const FORGET: &str = "DELETE FROM open_replies WHERE event = $1";

#[async_trait]
impl OpenReplies for Database {
    async fn reply_begins(&self, reply: &OpenReply) -> Result<(), ServiceError> {
        let begins = "INSERT INTO open_replies (event, channel, question, messages, began_ms, language, lessee) \
                      VALUES ($1, $2, $3, '#', $4, $5, $6) ON CONFLICT (event) DO NOTHING";
        let OpenReply { event, channel, question, began, language, .. } = reply;
        let began = (*began).into();
        let language = language.tag().into();
        let values = vec![event.0.into(), channel.0.into(), (*question).into(), began, language, self.lessee.into()];
        self.execute(begins, values).await.map(drop)
    }

    async fn reply_sends(&self, event: EventId, part: &str) -> Result<(), ServiceError> {
        let sends = "UPDATE open_replies SET messages = messages || ' ' || $1 WHERE event = $2";
        self.execute(sends, vec![part.into(), event.0.into()]).await.map(drop)
    }

    async fn reply_shows(&self, event: EventId, message: u64) -> Result<(), ServiceError> {
        self.reply_sends(event, &message.to_string()).await
    }

    async fn reply_runs(&self, event: EventId, command: &str) -> Result<(), ServiceError> {
        self.reply_sends(event, &format!("{RUNS}{}", command.replace(' ', "+"))).await
    }

    async fn reply_ran(&self, event: EventId, receipt: Option<ReceiptId>) -> Result<(), ServiceError> {
        let receipt = receipt.map_or_else(|| NO_RECEIPT.to_owned(), |receipt| receipt.number().to_string());
        self.reply_sends(event, &format!("{RAN}{receipt}")).await
    }

    async fn reply_is_over(&self, event: EventId) -> Result<(), ServiceError> {
        self.execute(FORGET, vec![event.0.into()]).await.map(drop)
    }

    async fn replies_left_open(&self, left: LeftOpen) -> Result<Vec<OpenReply>, ServiceError> {
        let mut replies = Vec::new();
        for (mut reply, notes) in self.left_open((OPEN, FORGET), left, reply).await? {
            reply.mark = self.mark(&notes).await?;
            replies.push(reply);
        }
        Ok(replies)
    }
}

impl Database {
    /// Returns the mark for the commands in a reply's notes, or `None` if the notes do not contain it.
    async fn mark(&self, notes: &str) -> Result<Option<Mark>, ServiceError> {
        let mut notes = notes.split_whitespace();
        if notes.next() != Some(NOTES_COMMANDS) {
            return Ok(None);
        }
        let mut ran = Vec::new();
        let mut running = None;
        for note in notes {
            if let Some(command) = note.strip_prefix(RUNS) {
                running = Some(command.replace('+', " "));
            } else if let Some(receipt) = note.strip_prefix(RAN) {
                running = None;
                let Ok(number) = receipt.parse() else { continue };
                let Some(receipt) = ReceiptBook::find(self, ReceiptId::from_number(number)).await? else {
                    return Ok(None);
                };
                ran.push(receipt.facts);
            }
        }
        Ok(Some(Mark::of_facts(&ran).unknown(running)))
    }
}

fn reply(event: EventId, mut row: Row) -> Result<(OpenReply, String), ServiceError> {
    let channel = ChannelId(row.take()?);
    let question = row.take()?;
    let notes: String = row.take()?;
    let sent = || notes.split_whitespace().filter(|note| !note.starts_with([RUNS, RAN]));
    let messages = sent().filter_map(|id| id.parse().ok()).collect();
    // The id follows the nonce once it is known.
    let in_doubt = sent().next_back().filter(|last| last.parse::<u64>().is_err()).map(str::to_owned);
    let began = row.take()?;
    let language: String = row.take()?;
    let language = Language::of_locale(&language).unwrap_or_default();
    Ok((OpenReply { event, channel, question, messages, in_doubt, mark: None, began, language }, notes))
}
