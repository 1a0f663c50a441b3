//! A private PostgreSQL server, one for the whole run of the tests, with a database for each.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{Connection as _, PgConnection};

/// The folder of the server's socket, or why there is no server. The server ends when its input does, with this process.
static SERVER: LazyLock<Result<(String, ChildStdin), &'static str>> = LazyLock::new(start);

static N_DATABASES: AtomicU32 = AtomicU32::new(0);

fn start() -> Result<(String, ChildStdin), &'static str> {
    let mut server = Command::new("sh")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/postgres.sh"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| "there is no shell")?;
    let mut said = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut said).unwrap();
    match said.trim_end().strip_prefix("ready ") {
        Some(folder) => Ok((folder.to_owned(), server.stdin.take().unwrap())),
        None if server.wait().unwrap().code() == Some(3) => Err("there is no PostgreSQL here (`initdb`, `pg_ctl`)"),
        None => panic!("PostgreSQL does not start: run tests/it/support/postgres.sh to see why"),
    }
}

/// The address of a new and empty database. `None` where there is no PostgreSQL, which is said; under CI it fails.
pub(crate) async fn database() -> Option<String> {
    let folder = match &*SERVER {
        Ok((folder, _)) => folder,
        Err(missing) => {
            assert!(std::env::var_os("CI").is_none(), "under CI this must run: {missing}");
            // Not captured by the test runner, so that nobody takes it for passed.
            let said = format!("SKIPPED a test on PostgreSQL: {missing}\n");
            std::io::stderr().write_all(said.as_bytes()).unwrap();
            return None;
        }
    };
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
