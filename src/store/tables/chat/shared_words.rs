//! The speakers of conversations that a whole channel shares, so that each person's part can be removed.

use std::time::SystemTime;

use crate::database::Database;
use crate::sql::{Connection, Param};
use candor_core::agent::{ConversationKey, Exchange, Spoken};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;

/// Replaces an answer to several people after one of them was forgotten: the answer may repeat that person's words.
const TAKEN_OUT: &str = "…";

pub(super) async fn keep_spoken(
    connection: &mut dyn Connection,
    key: &ConversationKey,
    spoken: &[Spoken],
    answer: &str,
    at: SystemTime,
) -> Result<(), ServiceError> {
    let kept = "INSERT INTO exchanges (place, \"user\", said, answered, said_ms) VALUES ($1, $2, '', $3, $4) \
                RETURNING position";
    let exchange: Option<i64> = connection.value(kept, &with(key, [answer.into(), at.into()])).await?;
    let exchange = exchange.ok_or_else(|| ServiceError::Store("an exchange got no number".to_owned()))?;
    for said in spoken {
        let words = "INSERT INTO shared_words (exchange, \"user\", name, said) VALUES ($1, $2, $3, $4)";
        let values = [exchange.into(), said.by.0.into(), said.name.as_str().into(), said.words().into()];
        connection.execute(words, &values).await?;
    }
    Ok(())
}

/// Returns the last exchanges of a shared conversation, oldest first.
pub(super) async fn shared_history(
    store: &Database,
    key: &ConversationKey,
    limit: usize,
) -> Result<Vec<Exchange>, ServiceError> {
    let newest = "SELECT newest.position, newest.answered, shared_words.\"user\", shared_words.name, shared_words.said \
                  FROM (SELECT position, answered FROM exchanges WHERE place = $1 AND \"user\" = $2 \
                  ORDER BY position DESC LIMIT $3) AS newest \
                  JOIN shared_words ON shared_words.exchange = newest.position \
                  ORDER BY newest.position, shared_words.position";
    let rows = store.rows(newest, with(key, [limit.into()])).await?;
    let mut exchanges: Vec<(i64, String, Vec<Spoken>)> = Vec::new();
    for mut row in rows {
        let position: i64 = row.take()?;
        let answered: String = row.take()?;
        let by: u64 = row.take()?;
        let spoken = Spoken::read_back(UserId(by), row.take()?, row.take()?);
        match exchanges.last_mut() {
            Some((last, _, said)) if *last == position => said.push(spoken),
            _ => exchanges.push((position, answered, vec![spoken])),
        }
    }
    Ok(exchanges.into_iter().map(|(_, answered, spoken)| Exchange::shared(spoken, answered)).collect())
}

/// Removes a person's words from these exchanges, with the answers to them. An exchange without other speakers is
/// removed as a whole.
pub(in crate::tables) async fn forget_part(
    connection: &mut dyn Connection,
    user: UserId,
    exchanges: Vec<i64>,
) -> Result<(), ServiceError> {
    for exchange in exchanges {
        let words = "DELETE FROM shared_words WHERE exchange = $1 AND \"user\" = $2";
        connection.execute(words, &[exchange.into(), user.0.into()]).await?;
        let alone = "DELETE FROM exchanges WHERE position = $1 \
                     AND NOT EXISTS (SELECT 1 FROM shared_words WHERE exchange = $1)";
        connection.execute(alone, &[exchange.into()]).await?;
        let answer = "UPDATE exchanges SET answered = $1 WHERE position = $2";
        connection.execute(answer, &[TAKEN_OUT.into(), exchange.into()]).await?;
    }
    Ok(())
}

/// Returns the key of a conversation, as the first values of its statements.
pub(super) fn with<const N: usize>(key: &ConversationKey, more: [Param; N]) -> Vec<Param> {
    [key.place.as_str().into(), key.user.0.into()].into_iter().chain(more).collect()
}
