//! Checks that a store's schema is exactly the one that its migrations make. A foreign trigger, view or table would
//! take part in the bot's reads and writes.

use std::collections::BTreeSet;

use super::migrations::{self, MigrationError, STEPS};
use crate::sql::missing;

/// Selects everything in a schema, by kind and name, with its statement on one line. Leaves out the tables and indexes
/// that SQLite itself makes. A trigger can have a name like theirs, so triggers are never left out.
const ITEMS: &str = "SELECT type, name, sql FROM sqlite_schema \
                     WHERE NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')) \
                     AND NOT (type = 'index' AND sql IS NULL AND name GLOB 'sqlite_autoindex_*')";

type Item = (String, String, String);

/// Checks that a file's schema matches the migrations that the file has. An empty file has none.
pub(super) fn check(connection: &rusqlite::Connection) -> Result<(), MigrationError> {
    // Another process may change the format at this moment, so both are read from one snapshot.
    let state = connection.unchecked_transaction()?;
    let found = items(&state)?;
    if found.is_empty() {
        return Ok(());
    }
    let taken = migrations::taken_if_any(&state)?;
    drop(state);
    let lacking = missing(&STEPS, &taken).map_err(MigrationError::Format)?.len();
    let mut expected = rusqlite::Connection::open_in_memory()?;
    migrations::run_steps(&mut expected, &STEPS[..STEPS.len() - lacking])?;
    let expected = items(&expected)?;
    let differs =
        |what: &str, (kind, name, _): &Item| Err(MigrationError::Schema(format!("{what} the {kind} `{name}`")));
    match (found.difference(&expected).next(), expected.difference(&found).next()) {
        (Some(strange), _) => differs("it has", strange),
        (None, Some(gone)) => differs("it lacks", gone),
        (None, None) => Ok(()),
    }
}

fn items(connection: &rusqlite::Connection) -> rusqlite::Result<BTreeSet<Item>> {
    let mut items = connection.prepare(ITEMS)?;
    let items = items.query_map([], |row| {
        let sql: Option<String> = row.get(2)?;
        let sql = sql.unwrap_or_default();
        Ok((row.get(0)?, row.get(1)?, sql.split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    items?.collect()
}
