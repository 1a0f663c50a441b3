//! The requests of `candor health` and `candor reload` to a running bot.

use std::net::SocketAddr;
use std::time::Duration;

use crate::edges::admin::serve::ASKED;

/// The timeout of a health check.
const ASK_WITHIN: Duration = Duration::from_secs(2);

/// The timeout of a reload.
const RELOAD_WITHIN: Duration = Duration::from_mins(10);

/// A running bot's response to a health check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether it is healthy.
    pub ok: bool,
    /// The response body.
    pub body: String,
}

/// Sends a health check to a running bot.
pub async fn ask(listen: SocketAddr, path: &str) -> Result<Health, reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().timeout(ASK_WITHIN).build()?;
    let response = client.get(format!("http://{listen}{path}")).send().await?;
    let ok = response.status().is_success();
    Ok(Health { ok, body: response.text().await? })
}

/// Asks a running bot to reload its modules, which takes as long as its modules take to start.
pub async fn ask_to_reload(listen: SocketAddr) -> Result<Health, reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().timeout(RELOAD_WITHIN).build()?;
    let response = client.post(format!("http://{listen}/reload")).header(ASKED, "reload").send().await?;
    let ok = response.status().is_success();
    Ok(Health { ok, body: response.text().await? })
}
