//! The gateway connection: from the token to the last command drained at shutdown.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serenity::all::GatewayIntents;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

use crate::custom_id::CustomIds;
use crate::gate::Gate;
use crate::gate::Pending;
use crate::gateway::events::Events;
use crate::gateway::keep::Keeper;
use crate::gateway::logins::LoginBudget;
use crate::gateway::pulse::Pulse;
use crate::gateway::session::Identity;
use crate::gateway::sessions::Sessions;
use crate::gateway::{logins, proxy};
use crate::interactions::recovery::tell_interrupted;
use crate::live::LiveStatus;
use crate::messages::queues::due::DueMessages;
use crate::messages::queues::guilds::FoundIn;
use crate::messages::queues::heads::HeadPublisher;
use crate::messages::queues::outbox::ModuleMessages;
use crate::messages::queues::scheduled::ScheduledMessages;
use crate::messages::recovery::end_interrupted;
use crate::registration::{Reconciler, Registrar, SyncLoop};
use crate::rest::{Application, DiscordError, RequestError, Rest, with_retries};
use crate::rest::{intents_of, untold, user_install};
use crate::shared::deletions::{self, Deletions};
use crate::shared::files::Files;
use crate::shared::pace::Pace;
use crate::shared::questions::Questions;
use crate::shared::replies::Answered;
use crate::shared::requester::Requester;
use crate::shared::things::Things;
use crate::shared::turns::Turns;
use crate::shared::{Shared, content_intent};
use candor_core::contract::Records;
use candor_core::inbound::UserId;
use candor_core::record::{Latch, Readiness};
use candor_core::registration::SyncMemory;
use candor_core::settings::Settings;
use candor_engine::dispatch::Dispatcher;
use candor_engine::{
    DueAlarm, InForce, LiveMessages, OpenReplies, OutboxAlarm, PendingLogins, PublishedHeads, RefusedRequests,
    SessionStore, SigningKey,
};

/// Timeout of one probe of a proxy at the start.
const PROXY_WITHIN: Duration = Duration::from_secs(5);

/// How long work in progress may take at shutdown. A container should wait longer: see `stop_grace_period` in
/// compose.yaml.
const DRAIN_WITHIN: Duration = Duration::from_secs(25);

/// The store of the edge's own data, which outlives the process: live messages, messages of modules' things, unfinished
/// chat replies, registered commands, logins, refused requests, and the signed heads that it publishes.
pub trait EdgeStore:
    LiveMessages + Records + OpenReplies + SyncMemory + PendingLogins + SessionStore + RefusedRequests + PublishedHeads
{
}

impl<T> EdgeStore for T where
    T: LiveMessages
        + Records
        + OpenReplies
        + SyncMemory
        + PendingLogins
        + SessionStore
        + RefusedRequests
        + PublishedHeads
{
}

pub struct Edge {
    pub settings: Arc<Settings>,
    /// The commands in force, which are registered at Discord.
    pub registry: Arc<InForce>,
    pub requester: Arc<Requester>,
    pub dispatcher: Arc<Dispatcher>,
    /// Signs components and modals. The key is the same after a restart, so buttons keep working.
    pub control_key: SigningKey,
    pub readiness: Arc<Readiness>,
    pub pulse: Arc<Pulse>,
    pub store: Arc<dyn EdgeStore>,
    pub due_calls: Arc<DueAlarm>,
    pub outbox: Arc<OutboxAlarm>,
    /// Requests syncs of the commands and reports their status.
    pub reconciler: Arc<Reconciler>,
    pub shutdown: CancellationToken,
}

type Shards = JoinSet<Result<(), DiscordError>>;

/// Waits for the first shard that Discord refuses, or for the end of all.
async fn first_problem(shards: &mut Shards) -> Option<DiscordError> {
    while let Some(kept) = shards.join_next().await {
        match kept {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => return Some(problem),
            Err(crash) => return Some(DiscordError::Ended(crash.to_string())),
        }
    }
    None
}

impl Edge {
    pub async fn serve(self) -> Result<(), DiscordError> {
        let rest = self.requester.rest.clone();
        rest.count_refusals_in(self.store.clone()).await;
        let Some(()) = self.proxy_answers(&rest).await? else { return Ok(()) };
        let Some(application) = self.ask(|| rest.current_application()).await? else { return Ok(()) };
        let intents = self.intents(&application)?;
        let identity = |n_shards| format!("{} {} {n_shards}", application.id, intents.bits());
        let Some(mut gateway) = self.ask(|| rest.bot_gateway()).await? else { return Ok(()) };
        let take = |n_shards| Sessions::take(self.store.clone(), identity(n_shards), n_shards, self.dispatcher.now());
        self.dispatcher.executor.counters.logins_left.set(Some(gateway.left));
        let (mut sessions, mut taken) = take(gateway.shards).await;
        if !sessions.are_whole() {
            let n_shards = gateway.shards;
            let again = || self.ask(|| rest.bot_gateway());
            let enough = tokio::select! {
                enough = logins::await_budget(&self.dispatcher.executor.counters, gateway, again) => enough?,
                () = self.shutdown.cancelled() => None,
            };
            let Some(enough) = enough else { return Ok(()) };
            gateway = enough;
            if gateway.shards != n_shards {
                (sessions, taken) = take(gateway.shards).await;
            }
        }
        let n_shards = gateway.shards;
        rest.set_application_id(application.id);
        self.warn_of_user_install(&application);
        let store = self.store.clone();
        let guild = self.settings.discord.guild;
        let client = self.requester.client.clone();
        let registrar = Registrar::new(Arc::clone(&rest), client, &application, &self.registry.now(), store, guild);

        let files = Files::new(self.settings.discord.files.clone()).map_err(DiscordError::ended)?;
        let (deletions, mut deleted) =
            deletions::queue(self.dispatcher.executor.counters.clone(), self.shutdown.clone());
        let shared = self.shared(&rest, files, deletions);
        self.pulse.begin(n_shards);
        let beside = TaskTracker::new();
        let dispatcher = self.dispatcher.clone();
        beside.spawn(async move {
            while let Some(messages) = deleted.next().await {
                dispatcher.chat.messages_are_gone(&messages).await;
            }
        });
        let counters = self.dispatcher.executor.counters.clone();
        let sessions = Arc::new(sessions);
        if let Some(session) = taken.shards.first() {
            // RESUMED does not name the bot.
            let _first = shared.bot.set(session.bot);
            shared.gate.expect_replays(taken.lag_ms);
        }
        let keeper = Arc::new(Keeper {
            sessions: sessions.clone(),
            rest: rest.clone(),
            logins: Arc::new(LoginBudget::new(&gateway, self.store.clone(), counters.clone()).await),
            url: gateway.url,
            identity: Identity { token: self.requester.connection.token.clone(), intents: intents.bits(), n_shards },
            events: Events::new(shared.clone(), UserId(application.id.get()), intents),
            pulse: self.pulse.clone(),
            counters,
            beside: beside.clone(),
            leaving: self.shutdown.clone(),
        });
        let mut shards = JoinSet::new();
        for index in 0..n_shards {
            let keeper = keeper.clone();
            shards.spawn(async move { keeper.keep(index).await });
        }

        let saving = sessions.clone();
        let with = shared.clone();
        beside.spawn(self.shutdown.clone().run_until_cancelled_owned(async move { saving.keep(&with).await }));
        self.spawn_beside(registrar, &rest, &shared, &beside);
        let ended = tokio::select! {
            problem = first_problem(&mut shards) => problem,
            () = rest.unauthorized() => Some(DiscordError::TokenRefused),
            () = self.shutdown.cancelled() => None,
            never = self.pulse.follow(n_shards, &self.readiness, &self.registry) => match never {},
        };
        self.readiness.set(Latch::Gateway, false);
        // However serving ended, finish the running work and store its receipts.
        self.shutdown.cancel();
        self.stop(shards, &shared.running, &beside).await;
        sessions.save(&shared, true).await;
        ended.map_or(Ok(()), Err)
    }

    fn shared(&self, rest: &Arc<Rest>, files: Files, deletions: Deletions) -> Arc<Shared> {
        let running = TaskTracker::new();
        let settings = self.settings.status.live.clone();
        let kept = self.store.clone();
        let shutdown = self.shutdown.clone();
        let tracker = running.clone();
        let turns = Arc::<Turns>::default();
        let things = Things {
            rest: rest.clone(),
            records: self.store.clone(),
            dispatcher: self.dispatcher.clone(),
            turns: turns.clone(),
            running: running.clone(),
        };
        Arc::new(Shared {
            requester: self.requester.clone(),
            rest: rest.clone(),
            dispatcher: self.dispatcher.clone(),
            settings: self.settings.clone(),
            bot: self.requester.bot.clone(),
            counters: self.dispatcher.executor.counters.clone(),
            questions: Questions::default(),
            pace: Pace::default(),
            pending: Pending::default(),
            turns,
            things: Arc::new(things),
            deletions,
            files,
            answered: Answered::default(),
            names: self.requester.names.clone(),
            guilds_of_channels: self.requester.guilds_of_channels.clone(),
            custom_ids: CustomIds::new(self.control_key.clone()),
            live: Arc::new(LiveStatus::new(self.dispatcher.clone(), settings, kept, shutdown, tracker)),
            mentions: Arc::default(),
            open_replies: self.store.clone(),
            reconciler: self.reconciler.clone(),
            gate: Gate::new(self.shutdown.clone()),
            running,
        })
    }

    /// Starts the background tasks: registration, live messages, module messages, and interrupted work of earlier
    /// processes. All of them end at shutdown.
    fn spawn_beside(&self, registrar: Registrar, rest: &Arc<Rest>, shared: &Shared, beside: &TaskTracker) {
        let sync_loop = SyncLoop {
            registrar,
            reconciler: self.reconciler.clone(),
            in_force: self.registry.clone(),
            access: self.settings.access.clone(),
            mentions: shared.mentions.clone(),
        };
        beside.spawn(self.shutdown.clone().run_until_cancelled_owned(sync_loop.run()));
        beside.spawn(shared.live.clone().resume(rest.clone()));
        let found_in = Arc::<FoundIn>::default();
        let due = DueMessages {
            calls: self.due_calls.clone(),
            dispatcher: self.dispatcher.clone(),
            rest: rest.clone(),
            guilds: found_in.clone(),
            things: shared.things.clone(),
            running: shared.running.clone(),
        };
        beside.spawn(due.send(self.shutdown.clone()));
        let messages = ModuleMessages {
            outbox: self.outbox.clone(),
            registry: self.registry.clone(),
            dispatcher: self.dispatcher.clone(),
            rest: rest.clone(),
            guilds: shared.guilds_of_channels.clone(),
            language: self.settings.language,
            running: shared.running.clone(),
        };
        beside.spawn(messages.send(self.shutdown.clone()));
        let heads = HeadPublisher {
            heads: self.store.clone(),
            places: self.settings.receipts.publish.clone(),
            dispatcher: self.dispatcher.clone(),
            rest: rest.clone(),
            language: self.settings.language,
        };
        beside.spawn(heads.run(self.shutdown.clone()));
        let scheduled = ScheduledMessages {
            dispatcher: self.dispatcher.clone(),
            rest: rest.clone(),
            guilds: shared.guilds_of_channels.clone(),
            found_in,
            language: self.settings.language,
        };
        beside.spawn(scheduled.send(self.shutdown.clone()));
        let open = self.store.clone();
        let dispatcher = self.dispatcher.clone();
        beside.spawn(end_interrupted(open, dispatcher, rest.clone(), self.shutdown.clone()));
        beside.spawn(tell_interrupted(self.dispatcher.clone(), rest.clone(), self.shutdown.clone()));
    }

    /// Leaves the gateway, then waits for work in progress, whose answers are still sent. Queued work does not start.
    async fn stop(&self, mut shards: Shards, running: &TaskTracker, beside: &TaskTracker) {
        self.dispatcher.chat.talker.leave();
        running.close();
        beside.close();
        info!(running = running.len(), "leaving Discord");
        // A shard that gets no answer to its close frame takes 5 s.
        let left = async { while shards.join_next().await.is_some() {} };
        if timeout(Duration::from_secs(6), left).await.is_err() {
            warn!("the gateway connection did not close in time");
        }
        // Background tasks use the store too, which is closed afterwards.
        let ended = async { tokio::join!(running.wait(), beside.wait()) };
        if timeout(DRAIN_WITHIN, ended).await.is_err() {
            warn!(running = running.len(), "stopped before everything under way was finished");
        }
    }

    /// Checks at the start that the proxy answers: there is no silent fallback to Discord's own gateway. `None` at
    /// shutdown.
    async fn proxy_answers(&self, rest: &Rest) -> Result<Option<()>, DiscordError> {
        let Some(proxy) = &self.requester.connection.proxy else { return Ok(Some(())) };
        let proxy = proxy::shown(proxy);
        // Tolerate a short outage, but report a missing proxy soon.
        let asked = || async {
            let asked = rest.any_gateway();
            timeout(PROXY_WITHIN, asked).await.unwrap_or(Err(RequestError::Unanswered("no answer in time")))
        };
        let answer = tokio::select! {
            answer = with_retries(asked) => answer,
            () = self.shutdown.cancelled() => return Ok(None),
        };
        // Requests are paused for a while. The next request waits for that.
        if let Err(RequestError::Spared) = answer {
            return Ok(Some(()));
        }
        if let Err(problem) = answer {
            return Err(DiscordError::of_refusal(&problem)
                .unwrap_or_else(|| DiscordError::ProxyUnreachable { proxy, problem: problem.to_string() }));
        }
        info!(proxy, "Discord is reached through a proxy");
        Ok(Some(()))
    }

    /// Retries until Discord answers or refuses: an outage is no reason to exit. `None` at shutdown.
    async fn ask<T, Asked>(&self, question: impl Fn() -> Asked) -> Result<Option<T>, DiscordError>
    where
        Asked: Future<Output = Result<T, RequestError>>,
    {
        let mut wait = Duration::from_secs(1);
        loop {
            let answer = tokio::select! {
                answer = question() => answer,
                () = self.shutdown.cancelled() => return Ok(None),
            };
            let problem = match answer {
                Ok(answer) => return Ok(Some(answer)),
                Err(problem) => problem,
            };
            if let Some(refusal) = DiscordError::of_refusal(&problem) {
                return Err(refusal);
            }
            if let RequestError::Limited(asked) = problem {
                wait = wait.max(asked);
            }
            let host =
                self.requester.connection.proxy.as_ref().and_then(|proxy| proxy.host_str()).unwrap_or("discord.com");
            warn!(error = %problem, host, wait_s = wait.as_secs(), "Discord does not answer; trying again");
            tokio::select! {
                () = sleep(wait) => {}
                () = self.shutdown.cancelled() => return Ok(None),
            }
            wait = (wait * 2).min(Duration::from_secs(60));
        }
    }

    /// Warns if any user may install the application. Users then bring its commands into guilds that did not add the
    /// bot, although no command is made for that.
    fn warn_of_user_install(&self, application: &Application) {
        if let Some(advice) = user_install(application, &self.registry.now()) {
            warn!("{advice}");
        }
    }

    /// Returns the intents. Mentions and direct messages carry their content without a privileged intent; whole
    /// channels do not.
    fn intents(&self, application: &Application) -> Result<GatewayIntents, DiscordError> {
        let mut intents = GatewayIntents::GUILD_MESSAGES | GatewayIntents::DIRECT_MESSAGES;
        intents |= content_intent(&self.settings.chat, application)?;
        let registry = self.registry.now();
        if let Some((module, event)) = untold(application, &registry) {
            return Err(DiscordError::MissingIntentOfModule { module, event });
        }
        intents |= registry.hooks().map(|(_, hook, _)| intents_of(hook.kind)).fold(intents, |all, more| all | more);
        info!(intents = ?intents.iter_names().map(|(name, _)| name).collect::<Vec<_>>(), "gateway intents");
        Ok(intents)
    }
}
