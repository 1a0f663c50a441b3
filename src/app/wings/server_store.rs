//! A PostgreSQL database as the store; in a build without the feature `postgres`, a refusal of it.

use std::path::Path;

use crate::app::exit::Failure;
use candor_store::Database;
#[cfg(feature = "postgres")]
use candor_store::{Address, ServerError};

#[cfg(feature = "postgres")]
pub(crate) async fn open(url_file: &Path) -> Result<Database, Failure> {
    let opened = async { Database::open_server(&Address::read(url_file)?).await };
    opened.await.map_err(failure)
}

/// Opens a database that a bot of this version made. Creates nothing.
#[cfg(feature = "postgres")]
pub(crate) async fn open_existing(url_file: &Path, may_write: bool) -> Result<Database, Failure> {
    let opened = async { Database::open_existing_server(&Address::read(url_file)?, may_write).await };
    opened.await.map_err(failure)
}

/// Opens the database to see whether it can be used. `None` if the start is to migrate it.
#[cfg(feature = "postgres")]
pub(crate) async fn look(url_file: &Path) -> Result<Option<Database>, Failure> {
    let opened = async { Database::open_existing_server(&Address::read(url_file)?, false).await };
    match opened.await {
        Ok(store) => Ok(Some(store)),
        Err(ServerError::Older { .. }) => Ok(None),
        Err(problem) => Err(failure(problem)),
    }
}

/// Checks that the file holds an address.
///
/// # Errors
/// The reason, and what to do.
#[cfg(feature = "postgres")]
pub(crate) fn check_address(url_file: &Path) -> Result<(), (String, String)> {
    let help = "name a file that holds the address and nothing else, or take `url_file` out";
    Address::read(url_file).map(drop).map_err(|problem| (problem.to_string(), help.to_owned()))
}

#[cfg(feature = "postgres")]
fn failure(problem: ServerError) -> Failure {
    Failure::new(problem.exit_code(), problem.to_string())
}

#[cfg(not(feature = "postgres"))]
const ABSENT: &str = "this build of the bot has no PostgreSQL";

#[cfg(not(feature = "postgres"))]
const HELP: &str = "build it with the feature `postgres`, or take `url_file` out";

#[cfg(not(feature = "postgres"))]
pub(crate) async fn open(_: &Path) -> Result<Database, Failure> {
    Err(Failure::config(format!("{ABSENT}: {HELP}")))
}

#[cfg(not(feature = "postgres"))]
pub(crate) async fn open_existing(url_file: &Path, _: bool) -> Result<Database, Failure> {
    open(url_file).await
}

#[cfg(not(feature = "postgres"))]
pub(crate) async fn look(url_file: &Path) -> Result<Option<Database>, Failure> {
    open(url_file).await.map(Some)
}

#[cfg(not(feature = "postgres"))]
pub(crate) fn check_address(_: &Path) -> Result<(), (String, String)> {
    Err((ABSENT.to_owned(), HELP.to_owned()))
}
