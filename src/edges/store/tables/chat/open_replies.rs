//! Chat replies that are being written.

use std::time::SystemTime;

use async_trait::async_trait;

use crate::edges::store::database::Database;
use crate::edges::store::sql::Row;
use crate::host::{OpenReplies, OpenReply};
use candor_core::contract::ServiceError;
use candor_core::inbound::{ChannelId, EventId};
use candor_core::language::Language;

#[async_trait]
impl OpenReplies for Database {
    async fn reply_begins(&self, reply: &OpenReply) -> Result<(), ServiceError> {
        let begins = "INSERT INTO open_replies (event, channel, question, messages, began_ms, language) \
                      VALUES ($1, $2, $3, '', $4, $5) ON CONFLICT (event) DO NOTHING";
        let OpenReply { event, channel, question, began, language, .. } = reply;
        let values = vec![event.0.into(), channel.0.into(), (*question).into(), (*began).into(), language.tag().into()];
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
        self.execute("DELETE FROM open_replies WHERE event = $1", vec![event.0.into()]).await.map(drop)
    }

    async fn replies_left_open(&self, before: SystemTime) -> Result<Vec<OpenReply>, ServiceError> {
        let open = "SELECT event, channel, question, messages, began_ms, language FROM open_replies \
                    WHERE began_ms < $1 ORDER BY began_ms LIMIT 100";
        self.rows(open, vec![before.into()]).await?.into_iter().map(reply).collect()
    }
}

fn reply(mut row: Row) -> Result<OpenReply, ServiceError> {
    let (event, channel, question) = (EventId(row.take()?), ChannelId(row.take()?), row.take()?);
    let sent: String = row.take()?;
    let messages = sent.split_whitespace().filter_map(|id| id.parse().ok()).collect();
    // Behind it stands the id, once that is known.
    let in_doubt = sent.split_whitespace().next_back().filter(|last| last.parse::<u64>().is_err()).map(str::to_owned);
    let (began, language): (_, String) = (row.take()?, row.take()?);
    let language = Language::of_locale(&language).unwrap_or_default();
    Ok(OpenReply { event, channel, question, messages, in_doubt, began, language })
}
