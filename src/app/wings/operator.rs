//! Questions to the operator's port; in a build without the feature `operate`, there is none.

use std::net::SocketAddr;
use std::path::Path;

#[cfg(feature = "operate")]
use candor_operate::{PageToken, ask};

/// Whether a bot serves this address.
#[cfg(feature = "operate")]
pub(crate) async fn is_served(listen: SocketAddr) -> bool {
    ask(listen, "/livez").await.is_ok_and(|answer| answer.ok)
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
pub(crate) async fn is_served(_: SocketAddr) -> bool {
    false
}

#[cfg(not(feature = "operate"))]
pub(crate) fn check_page_token(_: &Path) -> Result<(), (String, String)> {
    let help = "build it with the feature `operate`, or take `page_token_file` out";
    Err(("this build of the bot has no operator's page".to_owned(), help.to_owned()))
}
