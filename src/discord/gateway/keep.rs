//! Keeps a shard connected: one session after another, until the bot leaves or Discord refuses it.
//!
//! It follows Discord's documentation: a time limit for each step ([`session`](super::session)), RESUME while the
//! session may be valid, a consequence for each close code ([`after`](super::session)), the budget of logins
//! ([`logins`](super::logins)), and growing waits.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};
use url::Url;

use super::events::Events;
use super::logins::LoginBudget;
use super::pulse::Pulse;
use super::session::{After, Ended, Identity, Shard};
use super::sessions::Sessions;
use crate::rest::{DiscordError, Rest};
use candor_core::record::{Counters, GatewayEvent};

/// The wait after the first failed connection in a row; it doubles with each further one.
const WAIT_FIRST: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_secs(30);
/// After this many failures in a row to resume a session, another one begins.
const RESUMES_MAX: u32 = 3;
/// After this many resumed connections in a row that lasted no longer than [`MOMENT`], each further one is a failure.
const MOMENTS_MAX: u32 = 10;
const MOMENT: Duration = Duration::from_millis(500);

/// The dependencies of the shards' connection loops.
pub(super) struct Keeper {
    pub(super) rest: Arc<Rest>,
    pub(super) url: String,
    pub(super) identity: Identity,
    pub(super) events: Events,
    pub(super) logins: Arc<LoginBudget>,
    pub(super) pulse: Arc<Pulse>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) counters: Arc<Counters>,
    /// Runs tasks that may outlive a connection, such as store writes.
    pub(super) beside: TaskTracker,
    pub(super) leaving: CancellationToken,
}

/// Returns whether an address is one of Discord's gateways over TLS: the token is sent there.
fn is_discords(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_host = url.host_str().is_some_and(|host| host == "discord.gg" || host.ends_with(".discord.gg"));
    url.scheme() == "wss" && is_host
}

impl Keeper {
    /// Keeps a shard connected until the bot leaves.
    ///
    /// # Errors
    /// Discord rejects this bot.
    pub(super) async fn keep(&self, index: u32) -> Result<(), DiscordError> {
        let Self { rest, identity, events, logins, pulse, sessions, counters, beside, leaving, .. } = self;
        let session = sessions.of(index);
        let mut shard = Shard { index, identity, session, sessions, pulse, logins, counters, events, leaving, beside };
        let mut url = self.url.clone();
        let mut failures = 0_u32;
        let mut refused = 0_u32;
        let mut moments = 0_u32;
        let mut session_began = None;
        loop {
            let was_login = shard.session.is_none();
            let permit = if was_login {
                tokio::select! {
                    permit = logins.permit(rest) => Some(permit?),
                    () = leaving.cancelled() => return Ok(()),
                }
            } else {
                None
            };
            // With a proxy, ignore the session's own resume URL: it would bypass the proxy.
            let own = shard.session.as_ref().and_then(|session| session.url.clone());
            let own = own.filter(|url| failures == 0 && rest.proxy.is_none() && is_discords(url));
            let to = own.unwrap_or_else(|| url.clone());
            let Some(Ended { after, why, begun, was_asked }) = shard.connection(&to, permit).await else {
                return Ok(());
            };
            if begun.is_some() {
                // A resumed session keeps its start time.
                session_began = begun.filter(|_| was_login || session_began.is_none()).or(session_began);
                logins.lasted(session_began.map(|began| began.elapsed()).unwrap_or_default());
            }
            counters.gateway.count(if begun.is_some() { GatewayEvent::Lost } else { GatewayEvent::Failed });
            moments = match begun {
                Some(began) if !was_login && began.elapsed() < MOMENT => moments.saturating_add(1),
                _ => 0,
            };
            (failures, refused) = match begun {
                Some(_) if moments <= MOMENTS_MAX => (0, 0),
                // Another process may resume the same session.
                Some(_) => (failures.saturating_add(1), refused.saturating_add(1)),
                // If Discord was not reached, its session is still valid.
                None => (failures.saturating_add(1), refused.saturating_add(u32::from(was_asked))),
            };
            match after {
                After::Fatal(problem) => return Err(problem),
                After::Resume if refused < RESUMES_MAX => {}
                After::Resume | After::NewSession => shard.session = None,
            }
            if shard.session.is_none() {
                sessions.set(index, None);
            }
            let wait = match failures {
                0 => Duration::ZERO,
                more => WAIT_FIRST.saturating_mul(1 << (more - 1).min(10)).min(WAIT_MAX),
            };
            let next = if shard.session.is_some() { "resuming" } else { "logging in again" };
            if begun.is_some() {
                info!(shard = index, reason = why, "the connection to Discord ended; {next}");
            } else {
                warn!(shard = index, reason = why, wait_s = wait.as_secs(), "no connection to Discord; {next}");
            }
            tokio::select! {
                () = sleep(wait) => {}
                () = leaving.cancelled() => return Ok(()),
            }
            // The gateway may have moved.
            if 1 < failures
                && let Ok(gateway) = rest.bot_gateway().await
            {
                url = gateway.url;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_discords;

    #[test]
    fn a_session_is_resumed_at_discords_own_hosts_alone() {
        for url in ["wss://gateway.discord.gg", "wss://gateway-us-east1-b.discord.gg/", "wss://discord.gg"] {
            assert!(is_discords(url), "{url}");
        }
        for url in [
            "ws://gateway.discord.gg",
            "wss://discord.gg.example",
            "wss://notdiscord.gg",
            "wss://127.0.0.1",
            "wss://discord.gg@example",
            "",
        ] {
            assert!(!is_discords(url), "{url}");
        }
    }
}
