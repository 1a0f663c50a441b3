//! The requests of `candor health` and `candor reload` to a running bot.

use std::net::SocketAddr;
use std::time::Duration;

use crate::serve::ASKED;

const ASK_WITHIN: Duration = Duration::from_secs(2);

const RELOAD_WITHIN: Duration = Duration::from_mins(10);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    pub ok: bool,
    pub body: String,
}

pub async fn ask(listen: SocketAddr, path: &str) -> Result<Health, reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().timeout(ASK_WITHIN).build()?;
    let response = client.get(format!("http://{listen}{path}")).send().await?;
    let ok = response.status().is_success();
    Ok(Health { ok, body: response.text().await? })
}

/// Asks a running bot to reload its modules, and waits until they have started.
pub async fn ask_to_reload(listen: SocketAddr) -> Result<Health, reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().timeout(RELOAD_WITHIN).build()?;
    let response = client.post(format!("http://{listen}/reload")).header(ASKED, "reload").send().await?;
    let ok = response.status().is_success();
    Ok(Health { ok, body: response.text().await? })
}
