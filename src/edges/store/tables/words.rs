//! Redacts a person's words in receipts, answers and chat turns. What ran stays, in its chain.

use crate::edges::store::sql::{Connection, Param};
use candor_core::contract::ServiceError;
use candor_core::inbound::UserId;
use candor_core::record::TurnRecord;
use candor_core::text::holds_words;

/// What stands in the place of the arguments of a run that is under way.
pub(super) const TAKEN_OUT: &str = "\"taken out\"";

/// What stands in the place of an answer that its person has not seen yet.
pub(super) const NO_ANSWER: &str = "…";

/// Takes these words of a person out of the arguments of their receipts and runs under way, of the records of their
/// chat turns and of the answers kept for them, wherever they stand. Receipts from before arguments could be taken out
/// keep theirs.
pub(super) async fn take_out(connection: &mut dyn Connection, user: UserId, words: &str) -> Result<(), ServiceError> {
    // As whoever appends and removes: nobody waits for somebody who waits for them.
    connection.lock("receipts").await?;
    let kept = "SELECT kept_answers.number, content FROM kept_answers \
                JOIN receipts ON receipts.number = kept_answers.number WHERE receipts.caller = $1";
    for number in holding(connection, kept, user, words).await? {
        connection.execute("DELETE FROM kept_answers WHERE number = $1", &[number.into()]).await?;
    }
    let receipts = "SELECT position, arguments FROM receipts WHERE caller = $1 AND origin <> 'refreshed' \
                    AND arguments IS NOT NULL AND arguments_digest IS NOT NULL";
    for position in holding(connection, receipts, user, words).await? {
        let answer = "DELETE FROM kept_answers WHERE number IN (SELECT number FROM receipts WHERE position = $1)";
        connection.execute(answer, &[position.into()]).await?;
        let taken_out = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL WHERE position = $1";
        connection.execute(taken_out, &[position.into()]).await?;
    }
    let runs = "SELECT event, arguments || ' ' || coalesce(answer, '') FROM intents WHERE caller = $1";
    for event in holding(connection, runs, user, words).await? {
        let taken_out = "UPDATE intents SET arguments = $1, answer = CASE WHEN answer IS NULL THEN NULL ELSE $2 END \
                         WHERE event = $3";
        connection.execute(taken_out, &[TAKEN_OUT.into(), NO_ANSWER.into(), event.into()]).await?;
    }
    let turns = "SELECT number, record FROM turns WHERE \"user\" = $1 AND record NOT LIKE '%\"taken_out\":true%'";
    let turns = connection.rows(turns, &[user.0.into()]).await?;
    for mut turn in turns {
        let (number, record): (i64, String) = (turn.take()?, turn.take()?);
        if holds_words(&record, words) {
            take_out_of_turn(connection, number, &record).await?;
        }
    }
    Ok(())
}

/// Takes all words of one conversation out of what is kept of its chat turns, and of what the model called in them.
pub(super) async fn take_out_of_chat(
    connection: &mut dyn Connection,
    place: &str,
    user: UserId,
) -> Result<(), ServiceError> {
    connection.lock("receipts").await?;
    let of_chat: [Param; 2] = [user.0.into(), place.into()];
    let answers = "DELETE FROM kept_answers WHERE number IN (SELECT number FROM receipts \
                   WHERE caller = $1 AND place = $2 AND origin IN ('model', 'recovered'))";
    connection.execute(answers, &of_chat).await?;
    let receipts = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL WHERE caller = $1 AND place = $2 \
                    AND origin IN ('model', 'recovered') AND arguments IS NOT NULL AND arguments_digest IS NOT NULL";
    connection.execute(receipts, &of_chat).await?;
    let runs = "UPDATE intents SET arguments = $1, answer = CASE WHEN answer IS NULL THEN NULL ELSE $2 END \
                WHERE caller = $3 AND place = $4 AND origin IN ('model', 'recovered')";
    connection.execute(runs, &[TAKEN_OUT.into(), NO_ANSWER.into(), user.0.into(), place.into()]).await?;
    // Those that were taken out before need not be read: in a text of the record the quotation marks are escaped.
    let turns = "SELECT number, record FROM turns WHERE \"user\" = $1 AND place = $2 \
                 AND record NOT LIKE '%\"taken_out\":true%'";
    for mut turn in connection.rows(turns, &of_chat).await? {
        take_out_of_turn(connection, turn.take()?, &turn.take::<String>()?).await?;
    }
    Ok(())
}

/// Keeps a turn's record without its words. One that cannot be read is kept without everything.
async fn take_out_of_turn(connection: &mut dyn Connection, number: i64, record: &str) -> Result<(), ServiceError> {
    let read = serde_json::from_str::<TurnRecord>(record).unwrap_or_default();
    let without = serde_json::to_string(&read.without_words())
        .map_err(|problem| ServiceError::Store(format!("a turn cannot be written down: {problem}")))?;
    let kept = "UPDATE turns SET record = $1 WHERE number = $2";
    connection.execute(kept, &[without.into(), number.into()]).await.map(drop)
}

/// The keys of the rows of a person whose text holds these words. A row is its key and its text.
async fn holding(
    connection: &mut dyn Connection,
    rows: &'static str,
    user: UserId,
    words: &str,
) -> Result<Vec<i64>, ServiceError> {
    let mut keys = Vec::new();
    for mut row in connection.rows(rows, &[user.0.into()]).await? {
        let (key, text): (i64, String) = (row.take()?, row.take()?);
        if holds_words(&text, words) {
            keys.push(key);
        }
    }
    Ok(keys)
}
