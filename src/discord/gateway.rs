//! The connection: from the token to the last drained command.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use secrecy::SecretString;
use serenity::all::{ApplicationFlags, CurrentApplicationInfo, GatewayError, GatewayIntents, Http, ShardManager};
use serenity::client::ClientBuilder;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::config::DiscordSettings;
use crate::discord::gate::Gate;
use crate::discord::handler::{Handler, Shared};
use crate::discord::http::{build, describe, status, sweep};
use crate::discord::undecodable::Undecodable;
use crate::discord::{commands, register, watchdog};
use crate::dispatch::Dispatcher;
use crate::inbound::ChannelId;
use crate::readiness::{Latch, Readiness};

/// What the Discord edge is given.
pub struct Edge {
    /// The way of everything that arrives.
    pub dispatcher: Arc<Dispatcher>,
    /// Where it says whether the gateway is connected.
    pub readiness: Arc<Readiness>,
    /// Cancelled when the bot is to stop.
    pub shutdown: CancellationToken,
    /// Channels where every message is for the bot. Any of them needs the Message Content intent.
    pub chat_channels: Vec<ChannelId>,
    /// Proxy or stand-in.
    pub settings: DiscordSettings,
    /// How long the work under way may take at shutdown.
    pub drain: Duration,
}

/// Why the connection cannot be had, as a sentence that says what to do.
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
        "the Message Content intent is not enabled, but `[chat] channels` needs it: switch it on at \
         https://discord.com/developers/applications, page Bot, Privileged Gateway Intents, or empty `[chat] channels`"
    )]
    MissingIntent,
    /// A proxy is set, but it does not answer.
    #[error(
        "the Discord proxy {proxy} does not answer GET /gateway ({problem}); start it, or take `[discord] proxy` and DISCORD_PROXY away"
    )]
    ProxyUnreachable {
        /// Its address.
        proxy: String,
        /// What happened.
        problem: String,
    },
    /// Close codes 4010 to 4013: Discord will never take this connection.
    #[error("Discord refuses the connection for good: {0}; this needs a newer version of the bot or a shard")]
    Refused(String),
    /// The client cannot be built or ended by itself.
    #[error("the connection to Discord ended: {0}")]
    Ended(String),
}

impl DiscordError {
    /// 78 where trying again cannot help, 69 where it may.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::TokenRefused | Self::MissingIntent | Self::Refused(_) => 78,
            Self::ProxyUnreachable { .. } | Self::Ended(_) => 69,
        }
    }
}

impl Edge {
    /// Serves until shutdown.
    pub async fn serve(self, token: SecretString) -> Result<(), DiscordError> {
        let http = build(&token, self.settings.proxy.as_ref())
            .map_err(|problem| DiscordError::Ended(problem.without_url().to_string()))?;
        let gateway = self.gateway_of_proxy(&http).await?;
        let Some(application) = self.application(&http).await? else { return Ok(()) };
        http.set_application_id(application.id);
        let intents = self.intents(&application)?;

        let shared = Arc::new(Shared {
            dispatcher: self.dispatcher.clone(),
            readiness: self.readiness.clone(),
            chat_channels: self.chat_channels.clone(),
            gate: Gate::new(self.shutdown.clone()),
            running: TaskTracker::new(),
        });
        let table = commands::table(self.dispatcher.registry());
        let handler =
            Arc::new(Handler { shared: shared.clone(), table, shards: OnceLock::new(), bot: OnceLock::new() });
        let mut client = ClientBuilder::new_with_http(http, intents)
            .event_handler_arc(handler.clone())
            .raw_event_handler(Undecodable(shared.clone()))
            .await
            .map_err(|problem| ended(&problem))?;
        if let Some(gateway) = gateway {
            // serenity asked again and would quietly take Discord's own gateway if that failed.
            *client.ws_url.lock().await = gateway;
        }
        let shards = client.shard_manager.clone();
        let _first = handler.shards.set(shards.clone());

        watchdog::start(end_stuck_process);
        tokio::spawn(sweep(client.http.clone()));
        tokio::spawn(register::register(client.http.clone(), application.id, self.dispatcher.registry().clone()));
        let started = tokio::select! {
            started = client.start_autosharded() => Some(started),
            () = self.shutdown.cancelled() => None,
        };
        self.readiness.set(Latch::Gateway, false);
        match started {
            Some(Err(problem)) => Err(ended(&problem)),
            Some(Ok(())) => Err(DiscordError::Ended("serenity stopped".to_owned())),
            None => {
                self.stop(&shards, &shared.running).await;
                Ok(())
            }
        }
    }

    /// Leaves the gateway, then waits for what is under way: its answers still go out.
    async fn stop(&self, shards: &ShardManager, running: &TaskTracker) {
        running.close();
        info!(running = running.len(), "leaving Discord");
        // After a reconnect serenity may answer at once without closing; a stuck shard may take 5 s.
        if timeout(Duration::from_secs(6), shards.shutdown_all()).await.is_err() {
            warn!("the gateway connection did not close in time");
        }
        if timeout(self.drain, running.wait()).await.is_err() {
            warn!(running = running.len(), "stopped before everything under way was finished");
        }
    }

    /// With a proxy, its gateway must answer: no silent return to Discord's own.
    async fn gateway_of_proxy(&self, http: &Http) -> Result<Option<String>, DiscordError> {
        let Some(proxy) = &self.settings.proxy else { return Ok(None) };
        let gateway = http.get_gateway().await.map_err(|problem| match status(&problem) {
            Some(401) => DiscordError::TokenRefused,
            _ => DiscordError::ProxyUnreachable { proxy: proxy.to_string(), problem: describe(&problem) },
        })?;
        info!(%proxy, "Discord is reached through a proxy");
        Ok(Some(gateway.url))
    }

    /// Who we are. Asks until Discord answers: its outage is no reason to end. `None` at shutdown.
    async fn application(&self, http: &Http) -> Result<Option<CurrentApplicationInfo>, DiscordError> {
        let mut wait = Duration::from_secs(1);
        loop {
            let problem = match http.get_current_application_info().await {
                Ok(application) => return Ok(Some(application)),
                Err(problem) => problem,
            };
            if matches!(status(&problem), Some(401 | 403)) {
                return Err(DiscordError::TokenRefused);
            }
            warn!(error = describe(&problem), wait_s = wait.as_secs(), "Discord does not answer; trying again");
            tokio::select! {
                () = sleep(wait) => {}
                () = self.shutdown.cancelled() => return Ok(None),
            }
            wait = (wait * 2).min(Duration::from_secs(60));
        }
    }

    /// Mentions and direct messages carry their text without any privileged intent; whole channels do not.
    fn intents(&self, application: &CurrentApplicationInfo) -> Result<GatewayIntents, DiscordError> {
        let intents = GatewayIntents::GUILD_MESSAGES | GatewayIntents::DIRECT_MESSAGES;
        if self.chat_channels.is_empty() {
            return Ok(intents);
        }
        let content = ApplicationFlags::GATEWAY_MESSAGE_CONTENT | ApplicationFlags::GATEWAY_MESSAGE_CONTENT_LIMITED;
        match application.flags {
            Some(flags) if !flags.intersects(content) => Err(DiscordError::MissingIntent),
            _ => Ok(intents | GatewayIntents::MESSAGE_CONTENT),
        }
    }
}

/// Ends the process from outside the runtime, which no longer turns: nothing gentler would ever be run.
#[expect(clippy::exit, reason = "the runtime is stuck, so no return could reach main")]
fn end_stuck_process() {
    std::process::exit(69);
}

fn ended(problem: &serenity::Error) -> DiscordError {
    match problem {
        serenity::Error::Gateway(GatewayError::InvalidAuthentication | GatewayError::NoAuthentication) => {
            DiscordError::TokenRefused
        }
        serenity::Error::Gateway(GatewayError::DisallowedGatewayIntents) => DiscordError::MissingIntent,
        serenity::Error::Gateway(
            gateway @ (GatewayError::InvalidGatewayIntents
            | GatewayError::InvalidShardData
            | GatewayError::OverloadedShard),
        ) => DiscordError::Refused(gateway.to_string()),
        other => DiscordError::Ended(describe(other)),
    }
}
