//! Personal data of one person: each kind counted, read and erased in one place.
//!
//! A table with something of a person has its kind here; the test `tests/it/store/privacy.rs` fills every table and
//! fails for one that is neither erased nor known to hold nothing of anybody.

use std::time::SystemTime;

use async_trait::async_trait;
use serde_json::{Map, Value as Json};
use time::format_description::well_known::Rfc3339;

use crate::edges::store::database::Database;
use crate::edges::store::sql::{Param, Row};
use crate::edges::store::tables::records::personal_ending;
use crate::edges::store::tables::words::{NO_ANSWER, TAKEN_OUT};
use crate::host::{Person, PersonalStore, turn_leases_of};
use candor_core::contract::{PersonalKind, ServiceError, Subject};
use candor_core::inbound::{Place, UserId};
use candor_core::record::ReceiptId;
use candor_core::text::utc_text;

/// Rows erased in one transaction: whoever writes meanwhile waits for it.
const ERASED_AT_ONCE: usize = 200;

/// How the column of a row is shown in an export.
#[derive(Clone, Copy)]
enum ColumnForm {
    /// An id of Discord, as text: larger than the numbers that many programs read exactly.
    Id,
    Number,
    Time,
    Text,
    /// JSON, unless it was cut.
    Json,
    Receipt,
}

/// How one kind is read. Every statement takes the person's id (of cooldowns and records: the text that tells them) as
/// its first value.
struct Kind {
    count: &'static str,
    /// It ends with `LIMIT $2 OFFSET $3`.
    page: &'static str,
    columns: &'static [(&'static str, ColumnForm)],
}

/// Those of refreshes, some thousand a day, say nothing that the call they refresh does not say.
const RECEIPTS: Kind = Kind {
    count: "SELECT count(*) FROM receipts WHERE caller = $1 AND origin <> 'refreshed'",
    page: "SELECT number, command, arguments, place, started_ms, took_us, outcome, origin, source_name \
           FROM receipts WHERE caller = $1 AND origin <> 'refreshed' ORDER BY position LIMIT $2 OFFSET $3",
    columns: &[
        ("id", ColumnForm::Receipt),
        ("command", ColumnForm::Text),
        ("arguments", ColumnForm::Json),
        ("place", ColumnForm::Text),
        ("started", ColumnForm::Time),
        ("took_us", ColumnForm::Number),
        ("outcome", ColumnForm::Text),
        ("origin", ColumnForm::Text),
        ("source", ColumnForm::Text),
    ],
};

const ANSWERS: Kind = Kind {
    count: "SELECT count(*) FROM kept_answers JOIN receipts ON receipts.number = kept_answers.number \
            WHERE receipts.caller = $1",
    page: "SELECT kept_answers.number, content, kept_ms FROM kept_answers \
           JOIN receipts ON receipts.number = kept_answers.number \
           WHERE receipts.caller = $1 ORDER BY kept_answers.number LIMIT $2 OFFSET $3",
    columns: &[("id", ColumnForm::Receipt), ("text", ColumnForm::Text), ("kept", ColumnForm::Time)],
};

const RUNS: Kind = Kind {
    count: "SELECT count(*) FROM intents WHERE caller = $1",
    page: "SELECT number, command, arguments, place, begun_ms, answer FROM intents WHERE caller = $1 \
           ORDER BY event LIMIT $2 OFFSET $3",
    columns: &[
        ("id", ColumnForm::Receipt),
        ("command", ColumnForm::Text),
        ("arguments", ColumnForm::Json),
        ("place", ColumnForm::Text),
        ("begun", ColumnForm::Time),
        ("answer", ColumnForm::Text),
    ],
};

const COOLDOWNS: Kind = Kind {
    count: "SELECT count(*) FROM cooldowns WHERE substr(key, 1, length($1)) = $1",
    page: "SELECT key, until_ms FROM cooldowns WHERE substr(key, 1, length($1)) = $1 ORDER BY key LIMIT $2 OFFSET $3",
    columns: &[("of", ColumnForm::Text), ("until", ColumnForm::Time)],
};

const CONVERSATIONS: Kind = Kind {
    count: "SELECT count(*) FROM exchanges WHERE \"user\" = $1",
    page: "SELECT place, said, answered, said_ms FROM exchanges WHERE \"user\" = $1 ORDER BY position \
           LIMIT $2 OFFSET $3",
    columns: &[
        ("place", ColumnForm::Text),
        ("said", ColumnForm::Text),
        ("answered", ColumnForm::Text),
        ("at", ColumnForm::Time),
    ],
};

const MODELS: Kind = Kind {
    count: "SELECT count(*) FROM chosen_models WHERE \"user\" = $1",
    page: "SELECT place, model FROM chosen_models WHERE \"user\" = $1 ORDER BY place LIMIT $2 OFFSET $3",
    columns: &[("place", ColumnForm::Text), ("model", ColumnForm::Text)],
};

const TURNS: Kind = Kind {
    count: "SELECT count(*) FROM turns WHERE \"user\" = $1",
    page: "SELECT number, place, at_ms, record FROM turns WHERE \"user\" = $1 ORDER BY number LIMIT $2 OFFSET $3",
    columns: &[
        ("number", ColumnForm::Number),
        ("place", ColumnForm::Text),
        ("at", ColumnForm::Time),
        ("record", ColumnForm::Json),
    ],
};

const SPENDING: Kind = Kind {
    count: "SELECT count(*) FROM spending WHERE subject = $1",
    page: "SELECT day_ms, tokens, estimated_tokens, turns FROM spending WHERE subject = $1 ORDER BY day_ms \
           LIMIT $2 OFFSET $3",
    columns: &[
        ("day", ColumnForm::Time),
        ("tokens", ColumnForm::Number),
        ("estimated_tokens", ColumnForm::Number),
        ("turns", ColumnForm::Number),
    ],
};

const LIVE_MESSAGES: Kind = Kind {
    count: "SELECT count(*) FROM live_messages WHERE \"user\" = $1",
    page: "SELECT channel, message, place, path, arguments, member, sent_ms FROM live_messages WHERE \"user\" = $1 \
           ORDER BY channel LIMIT $2 OFFSET $3",
    columns: &[
        ("channel", ColumnForm::Id),
        ("message", ColumnForm::Id),
        ("place", ColumnForm::Text),
        ("command", ColumnForm::Json),
        ("arguments", ColumnForm::Json),
        ("member", ColumnForm::Json),
        ("at", ColumnForm::Time),
    ],
};

const DUE_CALLS: Kind = Kind {
    count: "SELECT count(*) FROM due_calls WHERE \"user\" = $1",
    page: "SELECT id, module, place, due_ms, asked FROM due_calls WHERE \"user\" = $1 ORDER BY id LIMIT $2 OFFSET $3",
    columns: &[
        ("number", ColumnForm::Number),
        ("module", ColumnForm::Text),
        ("place", ColumnForm::Text),
        ("at", ColumnForm::Time),
        ("call", ColumnForm::Json),
    ],
};

/// Records in a scope that ends so. A scope of a person's own place is asked for by itself.
const RECORDS: Kind = Kind {
    count: "SELECT count(*) FROM records WHERE substr(scope, length(scope) - length($1) + 1) = $1",
    page: "SELECT module, scope, id, body FROM records WHERE substr(scope, length(scope) - length($1) + 1) = $1 \
           ORDER BY module, scope, id LIMIT $2 OFFSET $3",
    columns: &[
        ("module", ColumnForm::Text),
        ("scope", ColumnForm::Text),
        ("number", ColumnForm::Number),
        ("record", ColumnForm::Json),
    ],
};

const RECORDS_OF_PLACE: Kind = Kind {
    count: "SELECT count(*) FROM records WHERE scope = $1",
    page: "SELECT module, scope, id, body FROM records WHERE scope = $1 ORDER BY module, id LIMIT $2 OFFSET $3",
    columns: RECORDS.columns,
};

#[async_trait]
impl PersonalStore for Database {
    async fn person(&self, user: UserId) -> Result<Person, ServiceError> {
        let used = "SELECT place FROM receipts WHERE caller = $1 AND origin <> 'refreshed' \
                    UNION SELECT place FROM exchanges WHERE \"user\" = $1 \
                    UNION SELECT place FROM turns WHERE \"user\" = $1 \
                    UNION SELECT place FROM chosen_models WHERE \"user\" = $1";
        let by_others = "SELECT place FROM receipts WHERE place = $1 AND caller <> $2 \
                         UNION ALL SELECT place FROM exchanges WHERE place = $1 AND \"user\" <> $2 \
                         UNION ALL SELECT place FROM turns WHERE place = $1 AND \"user\" <> $2 LIMIT 1";
        let mut places = Vec::new();
        for mut row in self.rows(used, vec![user.0.into()]).await? {
            let Some(place) = Place::from_key(&row.take::<String>()?) else { continue };
            if !matches!(place, Place::Guild { .. })
                && self.row(by_others, vec![place.key().into(), user.0.into()]).await?.is_none()
            {
                places.push(place);
            }
        }
        Ok(Person { user, places })
    }

    async fn count_of(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
        let mut n = 0;
        for (kind, of) in kinds(person, kind) {
            n += self.count(kind, &of).await?;
        }
        Ok(n)
    }

    async fn page_of(
        &self,
        person: &Person,
        kind: PersonalKind,
        offset: u64,
        limit: usize,
    ) -> Result<Vec<Json>, ServiceError> {
        let (mut entries, mut offset) = (Vec::new(), offset);
        for (kind, of) in kinds(person, kind) {
            let (n, left) = (self.count(kind, &of).await?, limit - entries.len());
            if n <= offset || left == 0 {
                offset = offset.saturating_sub(n);
                continue;
            }
            let offset = i64::try_from(std::mem::take(&mut offset)).unwrap_or(i64::MAX);
            for row in self.rows(kind.page, vec![of, left.into(), offset.into()]).await? {
                entries.push(entry(row, kind.columns)?);
            }
        }
        Ok(entries)
    }

    async fn erase_part(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
        let user = || Param::from(person.user.0);
        let (statement, values) = match kind {
            PersonalKind::Receipts => return self.erase_arguments(person).await,
            PersonalKind::Files => return Ok(0),
            PersonalKind::Records => return self.erase_records(person).await,
            PersonalKind::Answers => (
                "DELETE FROM kept_answers WHERE number IN (SELECT kept_answers.number FROM kept_answers \
                 JOIN receipts ON receipts.number = kept_answers.number WHERE receipts.caller = $1 LIMIT $2)",
                vec![user(), ERASED_AT_ONCE.into()],
            ),
            PersonalKind::Runs => (
                "UPDATE intents SET arguments = $1, answer = CASE WHEN answer IS NULL THEN NULL ELSE $2 END \
                 WHERE event IN (SELECT event FROM intents WHERE caller = $3 AND (arguments <> $1 OR answer <> $2) \
                 LIMIT $4)",
                vec![TAKEN_OUT.into(), NO_ANSWER.into(), user(), ERASED_AT_ONCE.into()],
            ),
            PersonalKind::Cooldowns => (
                "DELETE FROM cooldowns WHERE key IN \
                 (SELECT key FROM cooldowns WHERE substr(key, 1, length($1)) = $1 LIMIT $2)",
                vec![cooldowns_of(person).into(), ERASED_AT_ONCE.into()],
            ),
            PersonalKind::Conversations => {
                let part = "DELETE FROM exchanges WHERE position IN \
                            (SELECT position FROM exchanges WHERE \"user\" = $1 LIMIT $2)";
                return self.erase_of_chat(person, part).await;
            }
            PersonalKind::Models => ("DELETE FROM chosen_models WHERE \"user\" = $1", vec![user()]),
            // Their messages and used buttons go with them.
            PersonalKind::Turns => {
                let part = "DELETE FROM turns WHERE number IN (SELECT number FROM turns WHERE \"user\" = $1 LIMIT $2)";
                return self.erase_of_chat(person, part).await;
            }
            // The newest day of all is today's or over: without it, whoever erases it would have a new budget.
            PersonalKind::Spending => (
                "DELETE FROM spending WHERE subject = $1 AND day_ms < (SELECT max(day_ms) FROM spending)",
                vec![Subject::Person(person.user).key().into()],
            ),
            PersonalKind::DueCalls => ("DELETE FROM due_calls WHERE \"user\" = $1", vec![user()]),
            PersonalKind::LiveMessages => ("DELETE FROM live_messages WHERE \"user\" = $1", vec![user()]),
        };
        self.execute(statement, values).await
    }

    async fn n_with_arguments(&self, person: &Person) -> Result<u64, ServiceError> {
        let old = "SELECT count(*) FROM receipts WHERE caller = $1 AND origin <> 'refreshed' \
                   AND arguments IS NOT NULL AND arguments_digest IS NULL";
        self.row(old, vec![person.user.0.into()]).await?.map_or(Ok(0), |mut row| row.take())
    }
}

impl Database {
    async fn count(&self, kind: &Kind, of: &Param) -> Result<u64, ServiceError> {
        self.row(kind.count, vec![of.clone()]).await?.map_or(Ok(0), |mut row| row.take())
    }

    /// Takes the arguments out of a part of a person's receipts. Each kind of receipt has an index of its own.
    async fn erase_arguments(&self, person: &Person) -> Result<u64, ServiceError> {
        let values: [Param; 2] = [person.user.0.into(), ERASED_AT_ONCE.into()];
        self.write(move |connection| {
            Box::pin(async move {
                connection.lock("receipts").await?;
                let called = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL WHERE position IN \
                              (SELECT position FROM receipts WHERE caller = $1 AND origin <> 'refreshed' \
                              AND arguments IS NOT NULL AND arguments_digest IS NOT NULL LIMIT $2)";
                let refreshed = "UPDATE receipts SET arguments = NULL, arguments_salt = NULL WHERE position IN \
                                 (SELECT position FROM receipts WHERE caller = $1 AND origin = 'refreshed' \
                                 AND arguments IS NOT NULL AND arguments_digest IS NOT NULL LIMIT $2)";
                Ok(connection.execute(called, &values).await? + connection.execute(refreshed, &values).await?)
            })
        })
        .await
    }

    /// Erases a part of what a person's chat turns left, and ends their conversations first: a turn that is under way
    /// keeps nothing.
    async fn erase_of_chat(&self, person: &Person, part: &'static str) -> Result<u64, ServiceError> {
        let (user, leases): (Param, _) = (person.user.0.into(), turn_leases_of(person.user));
        self.write(move |connection| {
            Box::pin(async move {
                let ended = "DELETE FROM conversations WHERE \"user\" = $1";
                connection.execute(ended, std::slice::from_ref(&user)).await?;
                let over = "DELETE FROM leases WHERE substr(name, 1, length($1)) = $1";
                connection.execute(over, &[leases.into()]).await?;
                connection.execute(part, &[user, ERASED_AT_ONCE.into()]).await
            })
        })
        .await
    }

    /// Erases all records of a person, and their scopes. Says how many records there were.
    ///
    /// A number that somebody still has, on a button or in a message, must never be that of another record. So the
    /// largest of the erased numbers stays, in a scope without a name, which says nothing of whose they were.
    async fn erase_records(&self, person: &Person) -> Result<u64, ServiceError> {
        let ending = personal_ending(person.user);
        let scopes: Vec<_> = person.places.iter().map(Place::scope).collect();
        self.write(move |connection| {
            Box::pin(async move {
                let ended = "DELETE FROM records WHERE substr(scope, length(scope) - length($1) + 1) = $1";
                let mut n_erased = connection.execute(ended, &[ending.as_str().into()]).await?;
                let last = "INSERT INTO record_scopes (module, scope, last_id) \
                            SELECT module, '', max(last_id) FROM record_scopes \
                            WHERE substr(scope, length(scope) - length($1) + 1) = $1 GROUP BY module \
                            ON CONFLICT (module, scope) DO UPDATE SET last_id = CASE \
                            WHEN excluded.last_id > record_scopes.last_id THEN excluded.last_id \
                            ELSE record_scopes.last_id END";
                connection.execute(last, &[ending.as_str().into()]).await?;
                let ended = "DELETE FROM record_scopes WHERE substr(scope, length(scope) - length($1) + 1) = $1";
                connection.execute(ended, &[ending.into()]).await?;
                for scope in scopes {
                    let here = "DELETE FROM records WHERE scope = $1";
                    n_erased += connection.execute(here, &[scope.as_str().into()]).await?;
                    let last = "INSERT INTO record_scopes (module, scope, last_id) \
                                SELECT module, '', max(last_id) FROM record_scopes \
                                WHERE scope = $1 GROUP BY module \
                                ON CONFLICT (module, scope) DO UPDATE SET last_id = CASE \
                                WHEN excluded.last_id > record_scopes.last_id THEN excluded.last_id \
                                ELSE record_scopes.last_id END";
                    connection.execute(last, &[scope.as_str().into()]).await?;
                    let here = "DELETE FROM record_scopes WHERE scope = $1";
                    connection.execute(here, &[scope.into()]).await?;
                }
                Ok(n_erased)
            })
        })
        .await
    }
}

/// How a kind is read, each with its first value.
fn kinds(person: &Person, kind: PersonalKind) -> Vec<(&'static Kind, Param)> {
    let of = |kind: &'static Kind| vec![(kind, Param::from(person.user.0))];
    match kind {
        PersonalKind::Receipts => of(&RECEIPTS),
        PersonalKind::Answers => of(&ANSWERS),
        PersonalKind::Runs => of(&RUNS),
        PersonalKind::Cooldowns => vec![(&COOLDOWNS, cooldowns_of(person).into())],
        PersonalKind::Conversations => of(&CONVERSATIONS),
        PersonalKind::Models => of(&MODELS),
        PersonalKind::Turns => of(&TURNS),
        PersonalKind::Spending => vec![(&SPENDING, Subject::Person(person.user).key().into())],
        PersonalKind::LiveMessages => of(&LIVE_MESSAGES),
        PersonalKind::DueCalls => of(&DUE_CALLS),
        PersonalKind::Records => {
            let places = person.places.iter().map(|place| (&RECORDS_OF_PLACE, Param::from(place.scope())));
            [(&RECORDS, Param::from(personal_ending(person.user)))].into_iter().chain(places).collect()
        }
        PersonalKind::Files => Vec::new(),
    }
}

/// How the keys of a person's own cooldowns begin. See [`CooldownKey`](candor_core::access::CooldownKey).
fn cooldowns_of(person: &Person) -> String {
    format!("user:{} ", person.user)
}

fn entry(mut row: Row, columns: &[(&str, ColumnForm)]) -> Result<Json, ServiceError> {
    let mut entry = Map::new();
    for (name, form) in columns {
        let value = match form {
            ColumnForm::Id => row.take::<Option<u64>>()?.map(|id| id.to_string().into()),
            ColumnForm::Number => row.take::<Option<i64>>()?.map(Json::from),
            ColumnForm::Time => row.take::<Option<SystemTime>>()?.map(|at| utc_text(at, &Rfc3339).into()),
            ColumnForm::Text => row.take::<Option<String>>()?.map(Json::from),
            ColumnForm::Json => {
                let text = row.take::<Option<String>>()?;
                text.map(|text| serde_json::from_str(&text).unwrap_or(Json::String(text)))
            }
            ColumnForm::Receipt => {
                row.take::<Option<u64>>()?.map(|number| ReceiptId::from_number(number).to_string().into())
            }
        };
        entry.insert((*name).to_owned(), value.unwrap_or_default());
    }
    Ok(Json::Object(entry))
}
