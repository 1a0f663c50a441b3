//! Settings of a twin.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::rest::rate::RateLimits;

/// Settings of a twin. Set the fields that matter and take the rest from [`Options::default`].
#[derive(Clone)]
pub struct Options {
    /// The address to listen on. The default is a free port of 127.0.0.1.
    pub listen: SocketAddr,
    /// The only token that is accepted, without the `Bot ` prefix. `None` accepts every token that is not empty.
    pub token: Option<String>,
    /// The heartbeat interval that HELLO tells the bot. The default is Discord's 41.25 seconds.
    pub heartbeat: Duration,
    /// Whether the Message Content intent is enabled for the application. If not, an IDENTIFY with it closes with 4014.
    pub message_content_allowed: bool,
    /// Whether the Server Members intent is enabled for the application. If not, an IDENTIFY with it closes with 4014.
    pub members_allowed: bool,
    /// Additional bits of the application's `flags`.
    pub application_flags: u64,
    /// Whether people may install the application for themselves.
    pub user_install: bool,
    /// The number of shards that `GET /gateway/bot` recommends.
    pub shards: u64,
    /// Global commands that are registered at the start. They are not validated.
    pub commands: Vec<Value>,
    /// The rate limits. The default is so high that no test reaches it by accident; see [`RateLimits::strict`].
    pub rate_limits: RateLimits,
    /// How many sessions may be started per day; see [`Twin::session_starts_left`]. The default is Discord's 1000.
    ///
    /// [`Twin::session_starts_left`]: crate::Twin::session_starts_left
    pub session_starts: u64,
    /// The minimum time between two IDENTIFYs; an earlier one is answered with opcode 9. Discord's value is 5 seconds.
    /// The default is zero, so that a test may restart a bot at once.
    pub identify_every: Duration,
    /// Whether an IDENTIFY with a single shard closes with 4011, as for bots in more than 2,500 guilds.
    pub requires_sharding: bool,
    /// A file to which every request is appended as a line of JSON.
    pub log_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            token: None,
            heartbeat: Duration::from_millis(41_250),
            message_content_allowed: false,
            members_allowed: false,
            application_flags: 0,
            user_install: false,
            shards: 1,
            commands: Vec::new(),
            rate_limits: RateLimits::default(),
            session_starts: 1000,
            identify_every: Duration::ZERO,
            requires_sharding: false,
            log_file: None,
        }
    }
}

impl Options {
    /// Whether the token is accepted. Both `Bot abc` and `abc` are understood.
    pub(crate) fn accepts(&self, token: &str) -> bool {
        let token = token.strip_prefix("Bot ").unwrap_or(token).trim();
        match &self.token {
            Some(expected) => expected == token,
            None => !token.is_empty(),
        }
    }

    /// The application's `flags`, including the bits for privileged intents.
    pub(crate) fn flags(&self) -> u64 {
        const GATEWAY_GUILD_MEMBERS_LIMITED: u64 = 1 << 15;
        const GATEWAY_MESSAGE_CONTENT_LIMITED: u64 = 1 << 19;
        let members = if self.members_allowed { GATEWAY_GUILD_MEMBERS_LIMITED } else { 0 };
        let content = if self.message_content_allowed { GATEWAY_MESSAGE_CONTENT_LIMITED } else { 0 };
        self.application_flags | members | content
    }
}
