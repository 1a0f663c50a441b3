//! Runs each test of the suite on every engine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use sqlx::{Connection as _, PgConnection, Row as _};
use tempfile::TempDir;

use super::NOW;
use crate::support::postgres;
use candor_core::access::CooldownKey;
use candor_core::contract::ServiceError;
use candor_core::execution::Begun;
use candor_core::inbound::{EventId, Place, UserId};
use candor_core::language::Language;
use candor_core::record::{Origin, Receipt, ReceiptId};
use candor_engine::executor::{Beginning, Commit, Committed, Intended, Intent, Ledger as _, StagedChange};
use candor_store::{Address, Database, OpenError};

/// How often it is tried again to open a store.
const MOMENT: Duration = Duration::from_millis(20);

/// Where a test keeps its store.
pub(crate) struct Trial {
    folder: TempDir,
    /// The address of the database, if the engine is PostgreSQL.
    server: Option<String>,
}

impl Trial {
    /// On SQLite, with a file in a folder of its own, which goes when the test ends.
    pub(crate) fn on_sqlite() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), server: None }
    }

    /// On PostgreSQL, with a database of its own, if there is a server.
    pub(crate) async fn on_postgres() -> Option<Self> {
        let server = postgres::database().await?;
        let trial = Self { folder: tempfile::tempdir().unwrap(), server: Some(server) };
        std::fs::write(trial.url_file(), trial.server.as_deref().unwrap()).unwrap();
        Some(trial)
    }

    /// Opens the store, as a process of its own would.
    pub(crate) async fn open(&self) -> Database {
        let end = Instant::now() + Duration::from_secs(5);
        match self.server {
            // A program that another test starts has this process's locks until it begins, which takes a moment.
            None => loop {
                match Database::open_file(&self.file()).await {
                    Err(OpenError::Locked { .. }) if Instant::now() < end => tokio::time::sleep(MOMENT).await,
                    opened => break opened.unwrap(),
                }
            },
            Some(_) => Database::open_server(&Address::read(&self.url_file()).unwrap()).await.unwrap(),
        }
    }

    /// Closes the store and opens it again.
    pub(crate) async fn restart(&self, store: Database) -> Database {
        store.close().await;
        self.open().await
    }

    /// The file that a store in SQLite is in.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    /// A file of this name in the folder of the store.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The file that holds the address of the database.
    pub(crate) fn url_file(&self) -> PathBuf {
        self.folder.path().join("url")
    }

    /// Whether the store is in a file.
    pub(crate) fn is_a_file(&self) -> bool {
        self.server.is_none()
    }

    /// Runs statements behind the store's back.
    pub(crate) async fn tamper(&self, statements: &str) {
        match &self.server {
            None => rusqlite::Connection::open(self.file()).unwrap().execute_batch(statements).unwrap(),
            Some(address) => {
                let mut connection = PgConnection::connect(address).await.unwrap();
                let statements = sqlx::AssertSqlSafe(statements.to_owned());
                sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
            }
        }
    }

    /// The statements that empty the ledger, so that its positions begin again.
    pub(crate) fn empty_ledger(&self) -> &'static str {
        match self.server {
            None => "DELETE FROM receipts; DELETE FROM heads; DELETE FROM sqlite_sequence WHERE name = 'receipts'",
            Some(_) => "TRUNCATE receipts, heads RESTART IDENTITY",
        }
    }

    /// Every table of the store with its rows as text, in no order.
    pub(crate) async fn dump(&self) -> BTreeMap<String, Vec<String>> {
        match &self.server {
            None => {
                let connection = rusqlite::Connection::open(self.file()).unwrap();
                let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
                let mut tables = connection.prepare(tables).unwrap();
                let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
                let rows = |table: &String| {
                    let mut all = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
                    let n_columns = all.column_count();
                    let text = |row: &rusqlite::Row<'_>| {
                        let cells = (0..n_columns).map(|column| match row.get_ref(column).unwrap() {
                            rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                            other => format!("{other:?}"),
                        });
                        Ok(cells.collect::<Vec<_>>().join("|"))
                    };
                    all.query_map([], text).unwrap().map(Result::unwrap).collect::<Vec<_>>()
                };
                tables.map(|table| (table.clone(), rows(&table))).collect()
            }
            Some(address) => {
                let mut connection = PgConnection::connect(address).await.unwrap();
                let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'";
                let tables = sqlx::query(tables).fetch_all(&mut connection).await.unwrap();
                let mut dump = BTreeMap::new();
                for table in tables.iter().map(|row| row.get::<String, _>(0)) {
                    let rows = sqlx::AssertSqlSafe(format!("SELECT {table}::text FROM {table}"));
                    let rows = sqlx::query(rows).fetch_all(&mut connection).await.unwrap();
                    dump.insert(table, rows.iter().map(|row| row.get(0)).collect());
                }
                connection.close().await.unwrap();
                dump
            }
        }
    }

    /// The numbers that a query behind the store's back gives.
    pub(crate) async fn numbers(&self, query: &str) -> Vec<i64> {
        match &self.server {
            None => {
                let connection = rusqlite::Connection::open(self.file()).unwrap();
                let mut query = connection.prepare(query).unwrap();
                query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
            }
            Some(address) => {
                let mut connection = PgConnection::connect(address).await.unwrap();
                let query = sqlx::AssertSqlSafe(query.to_owned());
                let rows = sqlx::query(query).fetch_all(&mut connection).await.unwrap();
                connection.close().await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }
}

/// What one run stores, one at a time.
#[async_trait]
pub(crate) trait Steps {
    /// Commits a run of nothing but this receipt.
    async fn append(&self, receipt: &Arc<Receipt>) -> Result<(), ServiceError>;

    /// Begins a run of its own that takes these cooldowns.
    async fn take(
        &self,
        event: EventId,
        keys: &[(CooldownKey, Duration)],
        now: SystemTime,
    ) -> Result<Beginning, ServiceError>;
}

/// What a run stores that had no intent and took no cooldown.
pub(super) fn commit(event: u64, receipt: Arc<Receipt>, changes: Vec<StagedChange>) -> Commit {
    let (event, cooldowns, intent) = (EventId(event), Vec::new(), Intended::No);
    Commit { event, at: NOW, cooldowns, changes, receipt, intent, due: None }
}

#[async_trait]
impl Steps for Database {
    async fn append(&self, receipt: &Arc<Receipt>) -> Result<(), ServiceError> {
        let commit = commit(receipt.id().number(), receipt.clone(), Vec::new());
        assert_eq!(self.commit(commit).await?, Committed::Committed);
        Ok(())
    }

    async fn take(
        &self,
        event: EventId,
        keys: &[(CooldownKey, Duration)],
        now: SystemTime,
    ) -> Result<Beginning, ServiceError> {
        let mut intent = intent(event, keys.to_vec(), now);
        intent.begun.id = ReceiptId::from_number(self.number().await?);
        self.begin(intent).await
    }
}

/// The intent of `/tasks add` for this event, whose receipt has the same number.
pub(crate) fn intent(event: EventId, cooldowns: Vec<(CooldownKey, Duration)>, started: SystemTime) -> Intent {
    let begun = Begun {
        event,
        id: ReceiptId::from_number(event.0),
        command: "/tasks add".to_owned(),
        arguments: "{}".to_owned(),
        caller: UserId(7),
        language: Language::ENGLISH,
        place: Place::Console,
        started,
        origin: Origin::Person,
        code: None,
        model: None,
    };
    Intent { begun, cooldowns, is_outside: false, reply_to: None }
}

/// Makes a test of each function, for every engine.
macro_rules! on_every_engine {
    ($($name:ident),+ $(,)?) => {
        $(mod $name {
            #[tokio::test(flavor = "multi_thread")]
            async fn sqlite() {
                super::$name($crate::store::trial::Trial::on_sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread")]
            async fn postgres() {
                if let Some(trial) = $crate::store::trial::Trial::on_postgres().await {
                    super::$name(trial).await;
                }
            }
        })+
    };
}

pub(crate) use on_every_engine;
