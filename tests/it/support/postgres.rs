//! A private PostgreSQL server, one for the whole run of the tests, with a database for each.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{Connection as _, PgConnection};

/// The server, or why there is none.
static SERVER: LazyLock<Result<Server, &'static str>> = LazyLock::new(Server::start);

static N_DATABASES: AtomicU32 = AtomicU32::new(0);

/// A server, which ends when its input does: with this value, or with this process.
pub(crate) struct Server {
    /// The folder of its socket.
    folder: String,
    orders: ChildStdin,
    done: BufReader<ChildStdout>,
}

impl Server {
    /// A server for one test alone, which may stop it. `None` where there is no PostgreSQL, which is said; under CI it
    /// fails.
    pub(crate) fn of_its_own() -> Option<Self> {
        Self::start().map_err(skipped).ok()
    }

    /// The address of a database that is there from the beginning.
    pub(crate) fn address(&self) -> String {
        address(&self.folder, "postgres")
    }

    /// Stops it as a crash would.
    pub(crate) fn stop(&mut self) {
        self.order("stop");
    }

    /// Starts it again.
    pub(crate) fn start_again(&mut self) {
        self.order("start");
    }

    fn order(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
        let mut said = String::new();
        self.done.read_line(&mut said).unwrap();
        assert_eq!(said, "done\n", "{order}");
    }

    fn start() -> Result<Self, &'static str> {
        let mut server = Command::new("sh")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/postgres.sh"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|_| "there is no shell")?;
        let (mut said, mut done) = (String::new(), BufReader::new(server.stdout.take().unwrap()));
        done.read_line(&mut said).unwrap();
        match said.trim_end().strip_prefix("ready ") {
            Some(folder) => Ok(Self { folder: folder.to_owned(), orders: server.stdin.take().unwrap(), done }),
            None if server.wait().unwrap().code() == Some(3) => Err("there is no PostgreSQL here (`initdb`, `pg_ctl`)"),
            None => panic!("PostgreSQL does not start: run tests/it/support/postgres.sh to see why"),
        }
    }
}

/// Says that a test is skipped.
fn skipped(missing: &str) {
    assert!(std::env::var_os("CI").is_none(), "under CI this must run: {missing}");
    // Not captured by the test runner, so that nobody takes it for passed.
    let said = format!("SKIPPED a test on PostgreSQL: {missing}\n");
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}

/// The address of a new and empty database. `None` where there is no PostgreSQL, which is said; under CI it fails.
pub(crate) async fn database() -> Option<String> {
    let Server { folder, .. } = SERVER.as_ref().map_err(|missing| skipped(missing)).ok()?;
    let name = format!("test_{}", N_DATABASES.fetch_add(1, Ordering::Relaxed));
    let mut connection = PgConnection::connect(&address(folder, "postgres")).await.unwrap();
    let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::raw_sql(create).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    Some(address(folder, &name))
}

fn address(folder: &str, name: &str) -> String {
    format!("postgres://candor@localhost/{name}?host={folder}")
}
