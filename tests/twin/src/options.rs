//! What a twin is started with.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::rate::RateLimits;

/// Settings of a twin. Change what matters and take the rest from [`Options::default`].
#[derive(Clone)]
pub struct Options {
    /// Where to listen. The default takes a free port of 127.0.0.1.
    pub listen: SocketAddr,
    /// The only token accepted, without the word `Bot`. `None` accepts any token that is not empty.
    pub token: Option<String>,
    /// What HELLO tells the bot. Discord says 41.25 seconds.
    pub heartbeat: Duration,
    /// Whether the Message Content intent is switched on for the application. If not, asking for it closes with 4014.
    pub message_content_allowed: bool,
    /// Further bits for the application's `flags`.
    pub application_flags: u64,
    /// How many shards `GET /gateway/bot` recommends.
    pub shards: u64,
    /// Global commands that are registered already. They are stored as given, without a check.
    pub commands: Vec<Value>,
    /// How fast the bot may be. The default is so generous that no test meets it by accident.
    pub rate_limits: RateLimits,
    /// How many times a day a session may be started; see [`Twin::session_starts_left`]. Discord says 1000.
    ///
    /// [`Twin::session_starts_left`]: crate::Twin::session_starts_left
    pub session_starts: u64,
    /// The least time between two IDENTIFYs; one that comes sooner is answered with op 9. Discord says 5 seconds. The
    /// default is none, so that tests may restart a bot at once.
    pub identify_every: Duration,
    /// Whether an IDENTIFY with a single shard closes with 4011, as it does for bots in very many guilds.
    pub requires_sharding: bool,
    /// A file that gets one JSON object per request and line.
    pub log_file: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            token: None,
            heartbeat: Duration::from_millis(41_250),
            message_content_allowed: false,
            application_flags: 0,
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
    /// Whether this is the token the twin wants. Both `Bot abc` and `abc` are understood.
    pub(crate) fn accepts(&self, token: &str) -> bool {
        let token = token.strip_prefix("Bot ").unwrap_or(token).trim();
        match &self.token {
            Some(expected) => expected == token,
            None => !token.is_empty(),
        }
    }

    /// The application's flags, with the bit that says that message content is allowed.
    pub(crate) fn flags(&self) -> u64 {
        const GATEWAY_MESSAGE_CONTENT_LIMITED: u64 = 1 << 19;
        let content = if self.message_content_allowed { GATEWAY_MESSAGE_CONTENT_LIMITED } else { 0 };
        self.application_flags | content
    }
}
