//! Chat replies that are being written.

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::edges::store::sql::Row;
use crate::edges::store::tables::left_open::left_open;
use crate::host::{LeftOpen, OpenReplies, OpenReply};
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, EventId};
use candor_core::language::Language;

/// The replies that are left open.
const OPEN: &str = left_open!("open_replies", "began_ms", "event, channel, question, messages, began_ms, language");

/// Forgets one.
const FORGET: &str = "DELETE FROM open_replies WHERE event = $1";

#[async_trait]
impl OpenReplies for Database {
    async fn reply_begins(&self, reply: &OpenReply) -> Result<(), ServiceError> {
        let begins = "INSERT INTO open_replies (event, channel, question, messages, began_ms, language, lessee) \
                      VALUES ($1, $2, $3, '', $4, $5, $6) ON CONFLICT (event) DO NOTHING";
        let OpenReply { event, channel, question, began, language, .. } = reply;
        let (began, language) = ((*began).into(), language.tag().into());
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

    async fn reply_is_over(&self, event: EventId) -> Result<(), ServiceError> {
        self.execute(FORGET, vec![event.0.into()]).await.map(drop)
    }

    async fn replies_left_open(&self, left: LeftOpen) -> Result<Vec<OpenReply>, ServiceError> {
        self.left_open((OPEN, FORGET), left, reply).await
    }
}

fn reply(event: EventId, mut row: Row) -> Result<OpenReply, ServiceError> {
    let (channel, question) = (ChannelId(row.take()?), row.take()?);
    let sent: String = row.take()?;
    let messages = sent.split_whitespace().filter_map(|id| id.parse().ok()).collect();
    // Behind it stands the id, once that is known.
    let in_doubt = sent.split_whitespace().next_back().filter(|last| last.parse::<u64>().is_err()).map(str::to_owned);
    let (began, language): (_, String) = (row.take()?, row.take()?);
    let language = Language::of_locale(&language).unwrap_or_default();
    Ok(OpenReply { event, channel, question, messages, in_doubt, began, language })
}
