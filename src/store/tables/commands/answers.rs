//! Answers that could not be shown in time, stored for `/receipt`.

use std::time::SystemTime;

use crate::sql::Connection;
use candor_core::contract::ServiceError;
use candor_core::record::ReceiptId;
use candor_core::text::first_characters;

/// Maximum length of the content in characters: several times the amount that Discord can show.
const CONTENT_LENGTH_MAX: usize = 16_000;

pub(super) async fn insert(
    connection: &mut dyn Connection,
    id: ReceiptId,
    content: &str,
    at: SystemTime,
) -> Result<(), ServiceError> {
    let content = first_characters(content, CONTENT_LENGTH_MAX);
    let kept = "INSERT INTO kept_answers (number, content, kept_ms, caller) \
                VALUES ($1, $2, $3, (SELECT caller FROM receipts WHERE number = $1)) \
                ON CONFLICT (number) DO UPDATE SET content = excluded.content, kept_ms = excluded.kept_ms";
    connection.execute(kept, &[id.number().into(), content.into(), at.into()]).await.map(drop)
}
