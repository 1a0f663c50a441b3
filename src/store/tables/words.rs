//! Redacts a person's words in receipts, answers and chat turns. The receipts themselves stay in the chain.

use crate::database::Database;
use crate::sql::{Connection, Param, Row};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_core::record::TurnRecord;
use candor_core::text::holds_words;

/// Replaces the arguments of a run under way.
pub(super) const TAKEN_OUT: &str = "\"taken out\"";

/// Replaces an answer that its person has not seen yet.
pub(super) const NO_ANSWER: &str = "…";

const READ_AT_ONCE: usize = 500;

/// Select a person's answers, arguments and turns behind a key, each with its key and text.
const ANSWERS: &str = "SELECT number, content FROM kept_answers WHERE caller = $1 AND number > $2 ORDER BY number \
                       LIMIT $3";
const RECEIPTS: &str = "SELECT position, CASE WHEN arguments_digest IS NULL THEN NULL ELSE arguments END FROM receipts \
                        WHERE caller = $1 AND position > $2 ORDER BY position LIMIT $3";
const TURNS: &str = "SELECT number, CASE WHEN record LIKE '%\"taken_out\":true%' THEN NULL ELSE record END FROM turns \
                     WHERE \"user\" = $1 AND number > $2 ORDER BY number LIMIT $3";

/// The rows of a person that contain certain words.
#[derive(Clone, Debug)]
pub(super) struct HeldWords {
    user: UserId,
    words: String,
    answers: Found,
    receipts: Found,
    turns: Found,
}

/// The keys of the rows that contain the words, and the last key that was searched.
#[derive(Clone, Debug)]
struct Found {
    keys: Vec<i64>,
    last: i64,
}

impl Found {
    fn look(&mut self, rows: Vec<Row>, words: &str) -> Result<(), ServiceError> {
        for mut row in rows {
            let text: Option<String>;
            (self.last, text) = (row.take()?, row.take()?);
            if text.is_some_and(|text| holds_words(&text, words)) {
                self.keys.push(self.last);
            }
        }
        Ok(())
    }

    /// Returns the keys, with those of rows added since.
    async fn now(
        &self,
        connection: &mut dyn Connection,
        rows: &'static str,
        user: UserId,
        words: &str,
    ) -> Result<Vec<i64>, ServiceError> {
        let mut found = self.clone();
        found.look(connection.rows(rows, &[user.0.into(), self.last.into(), i64::MAX.into()]).await?, words)?;
        Ok(found.keys)
    }
}

impl Database {
    /// Finds these words in a person's receipt arguments, turn records and stored answers. Searches outside a
    /// transaction, because a person may have very many rows and writers must not wait.
    pub(super) async fn find_words(&self, user: UserId, words: &str) -> Result<HeldWords, ServiceError> {
        Ok(HeldWords {
            user,
            words: words.to_owned(),
            answers: self.find_in(ANSWERS, user, words).await?,
            receipts: self.find_in(RECEIPTS, user, words).await?,
            turns: self.find_in(TURNS, user, words).await?,
        })
    }

    async fn find_in(&self, statement: &'static str, user: UserId, words: &str) -> Result<Found, ServiceError> {
        let mut found = Found { keys: Vec::new(), last: i64::MIN };
        loop {
            let page = self.rows(statement, vec![user.0.into(), found.last.into(), READ_AT_ONCE.into()]).await?;
            let is_last = page.len() < READ_AT_ONCE;
            found.look(page, words)?;
            if is_last {
                return Ok(found);
            }
        }
    }
}

/// Removes words from a person's receipt arguments, runs under way, turn records and stored answers, including rows
/// added since the search. Receipts from before arguments could be removed keep theirs.
pub(super) async fn take_out(connection: &mut dyn Connection, held: &HeldWords) -> Result<(), ServiceError> {
    let HeldWords { user, words, answers, receipts, turns } = held;
    // Appending and removing take the same lock, which avoids deadlocks.
    connection.lock("receipts").await?;
    for number in answers.now(connection, ANSWERS, *user, words).await? {
        connection.execute("DELETE FROM kept_answers WHERE number = $1", &[number.into()]).await?;
    }
    for position in receipts.now(connection, RECEIPTS, *user, words).await? {
        let answer = "DELETE FROM kept_answers WHERE number IN (SELECT number FROM receipts WHERE position = $1)";
        connection.execute(answer, &[position.into()]).await?;
        let taken_out = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL \
                         WHERE position = $1 AND arguments_digest IS NOT NULL";
        connection.execute(taken_out, &[position.into()]).await?;
    }
    let runs = "SELECT event, arguments || ' ' || coalesce(answer, '') FROM intents WHERE caller = $1";
    let mut found = Found { keys: Vec::new(), last: i64::MIN };
    found.look(connection.rows(runs, &[user.0.into()]).await?, words)?;
    for event in found.keys {
        let taken_out = "UPDATE intents SET arguments = $1, answer = CASE WHEN answer IS NULL THEN NULL ELSE $2 END \
                         WHERE event = $3";
        connection.execute(taken_out, &[TAKEN_OUT.into(), NO_ANSWER.into(), event.into()]).await?;
    }
    for number in turns.now(connection, TURNS, *user, words).await? {
        let record = "SELECT record FROM turns WHERE number = $1";
        if let Some(record) = connection.value::<String>(record, &[number.into()]).await? {
            take_out_of_turn(connection, number, &record).await?;
        }
    }
    Ok(())
}

/// Removes all words of one conversation from its turn records, and from the calls of the model in them.
pub(super) async fn take_out_of_chat(
    connection: &mut dyn Connection,
    place: &str,
    user: UserId,
) -> Result<(), ServiceError> {
    connection.lock("receipts").await?;
    let of_chat: [Param; 2] = [user.0.into(), place.into()];
    let answers = "DELETE FROM kept_answers WHERE number IN (SELECT number FROM receipts \
                   WHERE caller = $1 AND place = $2 AND origin IN ('model', 'recovered') AND origin <> 'refreshed')";
    connection.execute(answers, &of_chat).await?;
    let receipts = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL WHERE caller = $1 AND place = $2 \
                    AND origin IN ('model', 'recovered') AND origin <> 'refreshed' \
                    AND arguments IS NOT NULL AND arguments_digest IS NOT NULL";
    connection.execute(receipts, &of_chat).await?;
    let runs = "UPDATE intents SET arguments = $1, answer = CASE WHEN answer IS NULL THEN NULL ELSE $2 END \
                WHERE caller = $3 AND place = $4 AND origin IN ('model', 'recovered')";
    connection.execute(runs, &[TAKEN_OUT.into(), NO_ANSWER.into(), user.0.into(), place.into()]).await?;
    // Skips turns that were redacted before. The pattern cannot match a text of the record, whose quotation marks are
    // escaped.
    let turns = "SELECT number, record FROM turns WHERE \"user\" = $1 AND place = $2 \
                 AND record NOT LIKE '%\"taken_out\":true%'";
    for mut turn in connection.rows(turns, &of_chat).await? {
        take_out_of_turn(connection, turn.take()?, &turn.take::<String>()?).await?;
    }
    Ok(())
}

/// Stores a turn's record without its words. A record that cannot be read is replaced by an empty one.
async fn take_out_of_turn(connection: &mut dyn Connection, number: i64, record: &str) -> Result<(), ServiceError> {
    let read = serde_json::from_str::<TurnRecord>(record).unwrap_or_default();
    let without = serde_json::to_string(&read.without_words())
        .map_err(|problem| ServiceError::Store(format!("a turn cannot be written down: {problem}")))?;
    let kept = "UPDATE turns SET record = $1 WHERE number = $2";
    connection.execute(kept, &[without.into(), number.into()]).await.map(drop)
}
