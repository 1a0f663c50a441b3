//! Errors of requests, and of the connection as a whole.

use std::time::Duration;

use url::Url;

use candor_core::text::{no_connection, with_causes};

/// Why a request failed. No variant holds a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("status {status}, code {code}: {message}")]
    Answer { status: u16, code: i64, message: String },
    /// Discord asks for a pause of this length.
    #[error("status 429: a pause of {} ms is asked for", .0.as_millis())]
    Limited(Duration),
    /// Not sent: Discord refused a similar request in this channel a moment ago. It may be retried after `left`.
    #[error("not sent: Discord refused it in this channel a moment ago, with code {code}")]
    Closed { code: i64, left: Duration },
    /// Not sent: after so many refused requests, more of them could get the IP address banned.
    #[error("not sent: too many requests were refused in the last minutes")]
    Spared,
    #[error("not sent: the token was refused")]
    Unauthorized,
    /// It never reached Discord. Holds the host and the reason.
    #[error("{0}")]
    Unreached(String),
    /// Its answer did not arrive, or not completely. It may have been carried out.
    #[error("{0}")]
    Unanswered(&'static str),
    #[error("the request cannot be built")]
    Unbuilt,
}

impl RequestError {
    pub(crate) fn is_of_status(&self, wanted: u16) -> bool {
        matches!(self, Self::Answer { status, .. } if *status == wanted)
    }
}

pub(crate) fn unreached(problem: &reqwest::Error) -> String {
    no_connection(problem.url().and_then(Url::host_str), problem)
}

/// Why the connection cannot be made or kept, as a sentence with a remedy.
#[derive(Debug, thiserror::Error)]
pub enum DiscordError {
    /// 401 or close code 4004.
    #[error(
        "Discord refuses the token: it was reset, or it is not a bot's token; copy a new one from \
         https://discord.com/developers/applications, page Bot, and give it to the bot"
    )]
    TokenRefused,
    /// Close code 4014, or the application's own flags say so.
    #[error(
        "the Message Content intent is not enabled, but `[chat] channels` or `own_threads` needs it: switch it on at \
         https://discord.com/developers/applications, page Bot, Privileged Gateway Intents, or take the setting out"
    )]
    MissingIntent,
    /// The same for a module's events.
    #[error(
        "a privileged intent is not enabled, but the module `{module}` runs a command for the event `{event}`: switch on \
         {} at https://discord.com/developers/applications, page Bot, Privileged Gateway Intents, or take the line of \
         `{module}` out of `[modules.send_to]`, and \"module_channels\" out of `[chat] server_settings`",
        if *event == "message" { "Message Content" } else { "Server Members" }
    )]
    MissingIntentOfModule {
        module: String,
        /// The event, as its manifest names it.
        event: &'static str,
    },
    /// 403: the cause is not the token.
    #[error(
        "Discord does not let this machine in (status 403): its address is banned for a while after too many \
         bad requests, or a proxy forbids it; the token is not the reason; wait an hour before the next start, or ask \
         whoever runs the proxy"
    )]
    Forbidden,
    /// 404 for a resource that Discord always has.
    #[error(
        "what answers is not Discord's API (status 404): give `[discord] proxy` or DISCORD_PROXY the address of a proxy \
         for Discord's API, or take both away"
    )]
    NotDiscord,
    #[error(
        "the Discord proxy {proxy} does not answer GET /gateway ({problem}); start it, or take `[discord] proxy` and DISCORD_PROXY away"
    )]
    ProxyUnreachable {
        /// Its address, without secrets.
        proxy: String,
        problem: String,
    },
    /// Close codes 4010 to 4013: Discord will never accept this connection.
    #[error("Discord refuses the connection for good: {0}")]
    Refused(&'static str),
    /// The client cannot be built, or ended by itself.
    #[error("the connection to Discord ended: {0}")]
    Ended(String),
}

/// Close code 4010.
pub(crate) const INVALID_SHARD: &str = "a shard that cannot be (close code 4010); the number of shards is what \
    GET /gateway/bot says at the start, so let the proxy, if one is set, pass Discord's answer on as it is";
/// Close code 4011.
pub(crate) const TOO_FEW_SHARDS: &str = "too many servers for its shards (close code 4011); the number of shards is \
    what GET /gateway/bot says at the start, so start the bot again, and let the proxy, if one is set, pass Discord's \
    answer on as it is";
/// Close code 4012.
pub(crate) const OLD_VERSION: &str =
    "this version of its gateway is no longer served (close code 4012); install a newer version of the bot";
/// Close code 4013.
pub(crate) const INVALID_INTENTS: &str = "intents that cannot be (close code 4013); install a newer version of the bot";

impl DiscordError {
    /// Returns 78 if a retry cannot help, 69 if it may.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::TokenRefused
            | Self::MissingIntent
            | Self::MissingIntentOfModule { .. }
            | Self::NotDiscord
            | Self::Refused(_) => 78,
            Self::Forbidden | Self::ProxyUnreachable { .. } | Self::Ended(_) => 69,
        }
    }

    /// The client cannot be built, or its request did not get through.
    pub(crate) fn ended(problem: reqwest::Error) -> Self {
        Self::Ended(if problem.is_connect() { unreached(&problem) } else { with_causes(&problem.without_url()) })
    }

    /// Returns the error of a refused request, if it would be refused again.
    pub(crate) fn of_refusal(problem: &RequestError) -> Option<Self> {
        match problem.status()? {
            401 => Some(Self::TokenRefused),
            403 => Some(Self::Forbidden),
            404 => Some(Self::NotDiscord),
            _ => None,
        }
    }
}
