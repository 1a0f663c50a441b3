//! The request of `candor health` to a running bot.

use std::net::SocketAddr;
use std::time::Duration;

/// The timeout of a health check.
const ASK_WITHIN: Duration = Duration::from_secs(2);

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
