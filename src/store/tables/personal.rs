//! Personal data of one person: each kind is counted, read and erased here.
//!
//! Each table with personal data has a kind here. The test `tests/it/store/privacy.rs` fills every table. It fails for
//! a table that is neither erased nor listed as free of personal data.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use serde_json::{Map, Value as Json};
use time::format_description::well_known::Rfc3339;

use crate::database::Database;
use crate::sql::{Param, Row};
use crate::tables::chat::shared_words::forget_part;
use crate::tables::chat::summaries::forget_summaries_of;
use crate::tables::queues::{due_calls, places};
use crate::tables::records::remove_scope;
use crate::tables::words::{NO_ANSWER, TAKEN_OUT};
use candor_core::agent::Subject;
use candor_core::contract::ServiceError;
use candor_core::inbound::{Place, UserId};
use candor_core::record::ReceiptId;
use candor_core::text::utc_text;
use candor_engine::{Person, PersonalKind, PersonalStore, turn_leases_of};

/// Rows erased in one transaction: other writers wait for it.
const ERASED_AT_ONCE: usize = 200;

#[derive(Clone, Copy)]
enum ColumnForm {
    /// An id of Discord, as text: many programs do not read numbers of that size exactly.
    Id,
    Number,
    Time,
    Text,
    Json,
    Receipt,
}

/// The statements of one kind. Both begin with the values that name the owner, mostly the person's id.
struct Kind {
    count: &'static str,
    /// Reads rows behind a key, in key order. The key is the first column. The last two values are the key and the
    /// limit.
    page: &'static str,
    columns: &'static [(&'static str, ColumnForm)],
}

/// Rows read at once. Receipts are small and many.
const RECEIPTS_AT_ONCE: usize = 1_000;
const READ_AT_ONCE: usize = 100;

/// Leaves out receipts of refreshes: some thousand a day, they add nothing to the receipt of the call that they
/// refresh.
const RECEIPTS: Kind = Kind {
    count: "SELECT count(*) FROM receipts WHERE caller = $1 AND origin <> 'refreshed'",
    page: "SELECT position, number, command, arguments, place, started_ms, took_us, outcome, origin, source_name, \
           code, model, confirm FROM receipts WHERE caller = $1 AND origin <> 'refreshed' AND position > $2 \
           ORDER BY position LIMIT $3",
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
        ("code", ColumnForm::Text),
        ("model", ColumnForm::Text),
        ("confirm", ColumnForm::Id),
    ],
};

const ANSWERS: Kind = Kind {
    count: "SELECT count(*) FROM kept_answers WHERE caller = $1",
    page: "SELECT number, number, content, kept_ms FROM kept_answers WHERE caller = $1 AND number > $2 \
           ORDER BY number LIMIT $3",
    columns: &[("id", ColumnForm::Receipt), ("text", ColumnForm::Text), ("kept", ColumnForm::Time)],
};

const RUNS: Kind = Kind {
    count: "SELECT count(*) FROM intents WHERE caller = $1",
    page: "SELECT event, number, command, arguments, place, begun_ms, answer FROM intents \
           WHERE caller = $1 AND event > $2 ORDER BY event LIMIT $3",
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
    page: "SELECT key, key, until_ms FROM cooldowns WHERE substr(key, 1, length($1)) = $1 AND key > $2 \
           ORDER BY key LIMIT $3",
    columns: &[("of", ColumnForm::Text), ("until", ColumnForm::Time)],
};

const CONVERSATIONS: Kind = Kind {
    count: "SELECT count(*) FROM exchanges WHERE \"user\" = $1",
    page: "SELECT position, place, said, answered, said_ms FROM exchanges WHERE \"user\" = $1 AND position > $2 \
           ORDER BY position LIMIT $3",
    columns: &[
        ("place", ColumnForm::Text),
        ("said", ColumnForm::Text),
        ("answered", ColumnForm::Text),
        ("at", ColumnForm::Time),
    ],
};

/// The person's words in shared conversations, and the answers to them.
const SHARED: Kind = Kind {
    count: "SELECT count(*) FROM shared_words WHERE \"user\" = $1",
    page: "SELECT shared_words.position, place, name, shared_words.said, answered, said_ms FROM shared_words \
           JOIN exchanges ON exchanges.position = shared_words.exchange \
           WHERE shared_words.\"user\" = $1 AND shared_words.position > $2 ORDER BY shared_words.position LIMIT $3",
    columns: &[
        ("place", ColumnForm::Text),
        ("shared_as", ColumnForm::Text),
        ("said", ColumnForm::Text),
        ("answered", ColumnForm::Text),
        ("at", ColumnForm::Time),
    ],
};

const SUMMARIES: Kind = Kind {
    count: "SELECT count(*) FROM summaries WHERE \"user\" = $1",
    page: "SELECT through, place, text, n_exchanges, since_ms FROM summaries WHERE \"user\" = $1 AND through > $2 \
           ORDER BY through LIMIT $3",
    columns: &[
        ("place", ColumnForm::Text),
        ("summary", ColumnForm::Text),
        ("of_exchanges", ColumnForm::Number),
        ("at", ColumnForm::Time),
    ],
};

/// Summaries of shared conversations that cover something of the person. Their text is left out, because it also covers
/// other people's words, even from a time when the person could no longer read them.
const SHARED_SUMMARIES: Kind = Kind {
    count: "SELECT count(*) FROM summary_people WHERE person = $1",
    page: "SELECT through, summaries.place, n_exchanges, since_ms FROM summaries \
           JOIN summary_people ON summary_people.place = summaries.place \
           AND summary_people.\"user\" = summaries.\"user\" \
           WHERE person = $1 AND through > $2 ORDER BY through LIMIT $3",
    columns: &[("place", ColumnForm::Text), ("of_shared_exchanges", ColumnForm::Number), ("at", ColumnForm::Time)],
};

const MODELS: Kind = Kind {
    count: "SELECT count(*) FROM chosen_models WHERE \"user\" = $1",
    page: "SELECT place, place, model FROM chosen_models WHERE \"user\" = $1 AND place > $2 ORDER BY place LIMIT $3",
    columns: &[("place", ColumnForm::Text), ("model", ColumnForm::Text)],
};

const TURNS: Kind = Kind {
    count: "SELECT count(*) FROM turns WHERE \"user\" = $1",
    page: "SELECT number, number, place, at_ms, record FROM turns WHERE \"user\" = $1 AND number > $2 \
           ORDER BY number LIMIT $3",
    columns: &[
        ("number", ColumnForm::Number),
        ("place", ColumnForm::Text),
        ("at", ColumnForm::Time),
        ("record", ColumnForm::Json),
    ],
};

const SPENDING: Kind = Kind {
    count: "SELECT count(*) FROM spending WHERE subject = $1",
    page: "SELECT day_ms, day_ms, tokens, estimated_tokens, turns FROM spending WHERE subject = $1 AND day_ms > $2 \
           ORDER BY day_ms LIMIT $3",
    columns: &[
        ("day", ColumnForm::Time),
        ("tokens", ColumnForm::Number),
        ("estimated_tokens", ColumnForm::Number),
        ("turns", ColumnForm::Number),
    ],
};

const LIVE_MESSAGES: Kind = Kind {
    count: "SELECT count(*) FROM live_messages WHERE \"user\" = $1",
    page: "SELECT channel, channel, message, place, path, arguments, member, sent_ms FROM live_messages \
           WHERE \"user\" = $1 AND channel > $2 ORDER BY channel LIMIT $3",
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
    page: "SELECT id, id, module, place, due_ms, asked FROM due_calls WHERE \"user\" = $1 AND id > $2 \
           ORDER BY id LIMIT $3",
    columns: &[
        ("number", ColumnForm::Number),
        ("module", ColumnForm::Text),
        ("place", ColumnForm::Text),
        ("at", ColumnForm::Time),
        ("call", ColumnForm::Json),
    ],
};

const MESSAGES: Kind = Kind {
    count: "SELECT count(*) FROM outbox WHERE \"user\" = $1",
    page: "SELECT id, module, channel, receipt, at_ms, content, ended FROM outbox WHERE \"user\" = $1 AND id > $2 \
           ORDER BY id LIMIT $3",
    columns: &[
        ("module", ColumnForm::Text),
        ("channel", ColumnForm::Id),
        ("receipt", ColumnForm::Receipt),
        ("at", ColumnForm::Time),
        ("message", ColumnForm::Json),
        ("ended", ColumnForm::Text),
    ],
};

const RECORDS: Kind = Kind {
    count: "SELECT count(*) FROM records WHERE module = $1 AND scope = $2",
    page: "SELECT id, module, scope, id, body FROM records WHERE module = $1 AND scope = $2 AND id > $3 \
           ORDER BY id LIMIT $4",
    columns: &[
        ("module", ColumnForm::Text),
        ("scope", ColumnForm::Text),
        ("number", ColumnForm::Number),
        ("record", ColumnForm::Json),
    ],
};

#[async_trait]
impl PersonalStore for Database {
    async fn person(&self, user: UserId) -> Result<Person, ServiceError> {
        let own = self.rows(places::OWN, vec![user.0.into()]).await?;
        let places: Vec<String> = own.into_iter().map(|mut row| row.take()).collect::<Result<_, _>>()?;
        Ok(Person { user, places: places.iter().filter_map(|place| Place::from_key(place)).collect() })
    }

    async fn count_of(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
        let mut n = 0;
        for (kind, of) in self.kinds(person, kind).await? {
            n += self.row(kind.count, of).await?.map_or(Ok(0), |mut row| row.take::<u64>())?;
        }
        Ok(n)
    }

    async fn each_of(
        &self,
        person: &Person,
        kind: PersonalKind,
        visit: &mut (dyn FnMut(Json) -> bool + Send),
    ) -> Result<(), ServiceError> {
        let limit = if kind == PersonalKind::Receipts { RECEIPTS_AT_ONCE } else { READ_AT_ONCE };
        for (part, of) in self.kinds(person, kind).await? {
            let is_by_name = matches!(kind, PersonalKind::Models | PersonalKind::Cooldowns);
            let mut after = if is_by_name { Param::from("") } else { Param::from(i64::MIN) };
            loop {
                let rows = self.rows(part.page, [of.clone(), vec![after.clone(), limit.into()]].concat()).await?;
                let is_last = rows.len() < limit;
                for mut row in rows {
                    after = if is_by_name { row.take::<String>()?.into() } else { row.take::<i64>()?.into() };
                    if !visit(entry(row, part.columns)?) {
                        return Ok(());
                    }
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn erase_part(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
        let user = || Param::from(person.user.0);
        let (statement, values) = match kind {
            PersonalKind::Receipts => return self.take_out_arguments(latest(), Some(person.user)).await,
            PersonalKind::Files => return Ok(0),
            PersonalKind::Records => return self.erase_records(person).await,
            PersonalKind::Answers => (
                "DELETE FROM kept_answers WHERE number IN (SELECT number FROM kept_answers WHERE caller = $1 LIMIT $2)",
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
                return match self.erase_of_chat(person, part).await? {
                    0 => self.erase_shared_words(person).await,
                    n_erased => Ok(n_erased),
                };
            }
            PersonalKind::Models => ("DELETE FROM chosen_models WHERE \"user\" = $1", vec![user()]),
            // Deletes their messages and used buttons too.
            PersonalKind::Turns => {
                let part = "DELETE FROM turns WHERE number IN (SELECT number FROM turns WHERE \"user\" = $1 LIMIT $2)";
                return self.erase_of_chat(person, part).await;
            }
            // Keeps the newest day of all: without it, erasing would give the person a new budget.
            PersonalKind::Spending => (
                "DELETE FROM spending WHERE subject = $1 AND day_ms < (SELECT max(day_ms) FROM spending)",
                vec![Subject::Person(person.user).key().into()],
            ),
            PersonalKind::DueCalls => {
                let user = person.user;
                return self.write(move |connection| Box::pin(due_calls::erase(connection, user))).await;
            }
            PersonalKind::Messages => (
                "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE \"user\" = $1 LIMIT $2)",
                vec![user(), ERASED_AT_ONCE.into()],
            ),
            PersonalKind::LiveMessages => ("DELETE FROM live_messages WHERE \"user\" = $1", vec![user()]),
        };
        self.execute(statement, values).await
    }

    async fn empty_log(&self) {
        Self::empty_log(self).await;
    }

    async fn n_with_arguments(&self, person: &Person) -> Result<u64, ServiceError> {
        let old = "SELECT count(*) FROM receipts WHERE caller = $1 AND origin <> 'refreshed' \
                   AND arguments IS NOT NULL AND arguments_digest IS NULL";
        self.row(old, vec![person.user.0.into()]).await?.map_or(Ok(0), |mut row| row.take())
    }
}

impl Database {
    /// Returns the statements of a kind, in one or more parts, each with its first values.
    async fn kinds(
        &self,
        person: &Person,
        kind: PersonalKind,
    ) -> Result<Vec<(&'static Kind, Vec<Param>)>, ServiceError> {
        let of: Param = person.user.0.into();
        let (kind, of) = match kind {
            PersonalKind::Receipts => (&RECEIPTS, of),
            PersonalKind::Answers => (&ANSWERS, of),
            PersonalKind::Runs => (&RUNS, of),
            PersonalKind::Cooldowns => (&COOLDOWNS, cooldowns_of(person).into()),
            PersonalKind::Conversations => {
                let parts = [&CONVERSATIONS, &SHARED, &SUMMARIES, &SHARED_SUMMARIES];
                return Ok(parts.into_iter().map(|part| (part, vec![of.clone()])).collect());
            }
            PersonalKind::Models => (&MODELS, of),
            PersonalKind::Turns => (&TURNS, of),
            PersonalKind::Spending => (&SPENDING, Subject::Person(person.user).key().into()),
            PersonalKind::LiveMessages => (&LIVE_MESSAGES, of),
            PersonalKind::DueCalls => (&DUE_CALLS, of),
            PersonalKind::Messages => (&MESSAGES, of),
            PersonalKind::Records => {
                let scopes = self.scopes_of(person).await?.into_iter();
                return Ok(scopes.map(|(module, scope)| (&RECORDS, vec![module.into(), scope.into()])).collect());
            }
            PersonalKind::Files => return Ok(Vec::new()),
        };
        Ok(vec![(kind, vec![of])])
    }

    /// Returns the modules and scopes of a person's own records, and of those in places that only this person used.
    async fn scopes_of(&self, person: &Person) -> Result<BTreeSet<(String, String)>, ServiceError> {
        let of_person = "SELECT module, scope FROM record_scopes WHERE \"user\" = $1";
        let of_place = "SELECT module, scope FROM record_scopes WHERE scope = $1";
        let mut rows = self.rows(of_person, vec![person.user.0.into()]).await?;
        for place in &person.places {
            rows.extend(self.rows(of_place, vec![place.scope().into()]).await?);
        }
        rows.into_iter().map(|mut row| Ok((row.take()?, row.take()?))).collect()
    }

    /// Erases a part of a person's chat data. Ends their conversations first, so that a turn under way stores nothing.
    async fn erase_of_chat(&self, person: &Person, part: &'static str) -> Result<u64, ServiceError> {
        let id = person.user;
        let leases = turn_leases_of(person.user);
        let user = Param::from(id.0);
        self.write(move |connection| {
            Box::pin(async move {
                let ended = "DELETE FROM conversations WHERE \"user\" = $1";
                connection.execute(ended, std::slice::from_ref(&user)).await?;
                forget_summaries_of(connection, id).await?;
                let over = "DELETE FROM leases WHERE substr(name, 1, length($1)) = $1";
                connection.execute(over, &[leases.into()]).await?;
                connection.execute(part, &[user, ERASED_AT_ONCE.into()]).await
            })
        })
        .await
    }

    /// Erases a part of the person's words in shared conversations. Their part in them has ended before.
    async fn erase_shared_words(&self, person: &Person) -> Result<u64, ServiceError> {
        let user = person.user;
        self.write(move |connection| {
            Box::pin(async move {
                let theirs = "SELECT DISTINCT exchange FROM shared_words WHERE \"user\" = $1 LIMIT $2";
                let theirs = connection.rows(theirs, &[user.0.into(), ERASED_AT_ONCE.into()]).await?;
                let theirs: Vec<i64> = theirs.into_iter().map(|mut row| row.take()).collect::<Result<_, _>>()?;
                let n_erased = theirs.len() as u64;
                forget_part(connection, user, theirs).await.map(|()| n_erased)
            })
        })
        .await
    }

    /// Erases all records of a person with their scopes, and forgets the places that only this person used: they hold
    /// nothing any more. Returns the number of records.
    async fn erase_records(&self, person: &Person) -> Result<u64, ServiceError> {
        let scopes = self.scopes_of(person).await?;
        let own: Vec<_> = person.places.iter().map(Place::key).collect();
        self.write(move |connection| {
            Box::pin(async move {
                let mut n_erased = 0;
                for (module, scope) in &scopes {
                    n_erased += remove_scope(connection, module, scope).await?;
                }
                for place in own {
                    connection.execute(places::FORGET, &[place.into()]).await?;
                }
                Ok(n_erased)
            })
        })
        .await
    }
}

/// Returns the prefix of a person's own cooldown keys. See [`CooldownKey`](candor_core::access::CooldownKey).
fn cooldowns_of(person: &Person) -> String {
    format!("user:{} ", person.user)
}

/// Returns a time later than every receipt, even if a clock was wrong.
fn latest() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(i64::MAX.unsigned_abs())
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
