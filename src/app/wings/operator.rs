//! Checks of what the operator's port needs. A build without the feature `operate` has no port to check.

use std::net::SocketAddr;
#[cfg(feature = "operate")]
use std::net::TcpListener;
use std::path::Path;

use crate::app::exit::Failure;
#[cfg(feature = "operate")]
use candor_operate::{PageToken, ask};

/// Checks that the port can be served. The bot of this deployment may already serve it.
#[cfg(feature = "operate")]
pub(crate) async fn check_port(listen: SocketAddr) -> Result<(), Failure> {
    let Err(problem) = TcpListener::bind(listen) else { return Ok(()) };
    if ask(listen, "/livez").await.is_ok_and(|answer| answer.ok) {
        return Ok(());
    }
    Err(Failure::unavailable(format!(
        "cannot listen on {listen} for health checks: {problem}; set another address under `[admin] listen`, or \"off\""
    )))
}

/// Checks that the file holds a token for the page.
///
/// # Errors
/// The reason, and what to do.
#[cfg(feature = "operate")]
pub(crate) fn check_page_token(file: &Path) -> Result<(), (String, String)> {
    let help = "write one with `openssl rand -hex 32`, or take `page_token_file` out";
    PageToken::read(file).map(drop).map_err(|problem| (problem.to_string(), help.to_owned()))
}

#[cfg(not(feature = "operate"))]
pub(crate) async fn check_port(_: SocketAddr) -> Result<(), Failure> {
    Ok(())
}

#[cfg(not(feature = "operate"))]
pub(crate) fn check_page_token(_: &Path) -> Result<(), (String, String)> {
    let help = "build it with the feature `operate`, or take `page_token_file` out";
    Err(("this build of the bot has no operator's page".to_owned(), help.to_owned()))
}
