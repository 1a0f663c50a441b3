//! Builds the parts of the bot in order, and closes them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use secrecy::SecretString;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::app::examine::Examined;
use crate::app::exit::Failure;
use crate::app::guild_sheets;
use crate::app::reload::Reloader;
use crate::app::wings::outside::{Containment, remove_unused};
use crate::app::wings::server_store;
use candor_core::agent::Model;
use candor_core::contract::{HostServices, Live, ServerNames, ServiceError};
use candor_core::record::{Counters, Latch, Readiness};
use candor_core::registry::{Reach, registration_table, rights};
use candor_core::settings::{GuildRules, Settings, StoreSettings};
use candor_discord::{Connection, Files, Requester};
use candor_engine::builtin::Builtins;
use candor_engine::chat::{Budgets, Chat, Pictures, Talker};
use candor_engine::dispatch::{Dispatcher, Threads};
use candor_engine::executor::{Charts, Executor, Flights, ModuleCalls};
use candor_engine::sampler::{SampledHistory, Sampler};
use candor_engine::{
    Clock, DueAlarm, Guilds, Health, InForce, OutboxAlarm, PersonalData, ReceiptKeyError, RetentionTask, Sealer,
    Secrets as _, ServerClock, SigningKey, ensure_receipt_key, living, next_receipt_key, read_receipt_key,
};
use candor_providers::ModelServers;
use candor_store::{Database, SigningError, newest_head};
use candor_system::chart_png;
use candor_system::files::free_bytes;
use candor_system::host_metrics::HostMetrics;
use candor_system::pictures::SmallPictures;
use candor_system::watch::{LiveMetrics, WatchOptions};
use candor_system::web::Web;
use candor_system::workspace::WorkspaceFolders;

/// Name in the store of the key that signs components. Renaming it invalidates every earlier component.
pub(crate) const CONTROL_KEY: &str = "controls";

/// Name in the store of the key that seals the tokens of deferred answers.
const TOKEN_KEY: &str = "tokens";

pub struct App {
    pub settings: Arc<Settings>,
    /// The registry in force; a reload replaces it.
    pub in_force: Arc<InForce>,
    pub reloader: Arc<Reloader>,
    pub(super) contained: Option<Containment>,
    pub reach: Reach,
    /// Requests to Discord; `None` at the console.
    pub(super) requester: Option<Arc<Requester>>,
    pub dispatcher: Arc<Dispatcher>,
    pub control_key: SigningKey,
    pub readiness: Arc<Readiness>,
    pub health: Arc<Health>,
    /// Clients of the chat models; `None` if none is configured.
    pub model: Option<Arc<ModelServers>>,
    /// Cancelled to stop the bot.
    pub shutdown: CancellationToken,
    config: Option<String>,
    pub(crate) store: Arc<Database>,
    pub(crate) due_calls: Arc<DueAlarm>,
    pub(crate) outbox: Arc<OutboxAlarm>,
    #[cfg_attr(not(feature = "operate"), expect(dead_code, reason = "the page reads it"))]
    pub(super) live: Arc<LiveMetrics>,
    #[cfg_attr(not(feature = "operate"), expect(dead_code, reason = "the page reads it"))]
    pub(super) budgets: Arc<Budgets>,
    sampling: JoinHandle<()>,
    keeping: JoinHandle<()>,
    /// Reports to other processes that this one is alive.
    living: JoinHandle<()>,
    _host_metrics: Option<HostMetrics>,
}

impl App {
    /// Starts everything behind the edges (store, metrics file, model clients) from the result of the start-up check.
    /// The error is a sentence for the operator and an exit code.
    pub async fn start(examined: Examined, connection: Option<Connection>) -> Result<Self, Failure> {
        Self::start_with(examined, None, connection).await
    }

    /// Starts the bot with `other`, if given, in place of the configured models.
    pub async fn start_with(
        examined: Examined,
        other: Option<Arc<dyn Model>>,
        connection: Option<Connection>,
    ) -> Result<Self, Failure> {
        let Examined { settings, registry, reach, natives, asked, config, files, contained, .. } = examined;
        let log_format = examined.log_format;
        let diagnostics = examined.diagnostics;
        let (Some(settings), Some(registry)) = (settings, registry) else {
            return Err(Failure::config(candor_core::diagnostic::full::render(&diagnostics, false).trim_end()));
        };
        if let Some((path, why)) = reach.unreachable.first() {
            return Err(Failure::config(format!("`{path}` is registered but cannot be reached: {why}")));
        }
        remove_unused(&settings.store).await;
        let readiness = Arc::new(Readiness::default());
        readiness.set(Latch::Registry, true);

        let counters = Arc::<Counters>::default();
        let store = open_store(&settings.store).await?.counting(counters.clone());
        let store = Arc::new(signing_store(store, &settings).await?);
        let control_key = key(&store, CONTROL_KEY, "controls").await?;
        let sealer = Sealer::new(&key(&store, TOKEN_KEY, "tokens").await?);
        let folder = settings.store.data_folder().to_owned();
        let health = Arc::new(Health::new(store.clone(), Arc::new(move || free_bytes(&folder)), readiness.clone()));
        health.look().await;

        let server_clock = Arc::new(ServerClock::new(Arc::new(SystemClock), store.clone()));
        if let Err(problem) = server_clock.compare().await {
            warn!(error = %problem, "the clock could not be compared with that of the store's server");
        }
        let clock: Arc<dyn Clock> = server_clock.clone();
        let shutdown = CancellationToken::new();
        let living = tokio::spawn(living(store.clone(), clock.clone(), shutdown.clone()).await);
        let (live, host_metrics) = figures(&settings).await?;

        let model = model_servers(&settings)?;
        let answering = other.or_else(|| model.clone().map(|client| -> Arc<dyn Model> { client }));
        let in_force = Arc::new(InForce::new(registry));
        let due_calls = Arc::new(DueAlarm::new(store.clone()));
        let outbox = Arc::new(OutboxAlarm::new(store.clone()));
        let no_client = |problem| Failure::unavailable(format!("no HTTP client for modules: {problem}"));
        let web = Web::new().map_err(no_client)?;
        let attached = Files::new(settings.discord.files.clone()).map_err(no_client)?;
        let operators = GuildRules::new(&settings.chat, &settings.access.chat, settings.language)
            .with_policies(&settings.access.policies);
        let guilds = Arc::new(Guilds::new(operators, store.clone(), in_force.clone()));
        guild_sheets::read(&store, &guilds).await?;
        let requester = connection.map(|connection| requester(connection, &settings, counters.clone())).transpose()?;
        let chat = Parts {
            in_force: in_force.clone(),
            guilds: guilds.clone(),
            store: store.clone(),
            due_calls: due_calls.clone(),
            outbox: outbox.clone(),
            live: live.clone(),
            web,
            attached,
            requester: requester.clone(),
            clock: clock.clone(),
            sealer,
            counters: counters.clone(),
        }
        .chat(answering, &settings);
        let budgets = chat.budgets.clone();
        let days = budgets.clone();
        let of_days = clock.clone();
        let stopped = shutdown.clone();
        tokio::spawn(async move { stopped.run_until_cancelled(days.follow_days(&*of_days, &counters)).await });
        let dispatcher = Arc::new(Dispatcher::new(chat));
        let prober = dispatcher.clone();
        let stopped = shutdown.clone();
        tokio::spawn(async move { stopped.run_until_cancelled(prober.chat.find_tools()).await });
        tokio::spawn(server_clock.run(shutdown.clone()));
        let retention = RetentionTask {
            store: store.clone(),
            files: Arc::new(WorkspaceFolders::below(settings.store.data_folder())),
            keep: settings.keep,
            clock: clock.clone(),
        };
        let keeping = tokio::spawn(retention.run(shutdown.clone()));
        let every = settings.status.sample_every;
        let sampler = Sampler { live: live.clone(), samples: store.clone(), leases: store.clone(), clock, every };
        let sampling = tokio::spawn(sampler.run(shutdown.clone()));
        let settings = Arc::new(settings);
        let reloader =
            Arc::new(Reloader::new(natives, asked, log_format, settings.clone(), in_force.clone(), diagnostics));
        let reloading = reloader.clone();
        let stopped = shutdown.clone();
        tokio::spawn(async move { reloading.follow(files, stopped).await });
        Ok(Self {
            settings,
            reloader,
            contained,
            in_force,
            reach,
            requester,
            dispatcher,
            control_key,
            readiness,
            health,
            model,
            shutdown,
            config,
            store,
            due_calls,
            outbox,
            live,
            budgets,
            sampling,
            keeping,
            living,
            _host_metrics: host_metrics,
        })
    }

    /// Returns the first log lines for an operator: version, settings, store, edge, then the registration table.
    pub fn banner(&self, edge: &str) -> String {
        let registry = self.in_force.now();
        let table = registration_table(&registry, &self.reach);
        let restricted = self.settings.access.table(&registry).map(|table| format!("\n{table}")).unwrap_or_default();
        let contained =
            self.contained.map(|contained| format!("\nprograms of modules: {contained}")).unwrap_or_default();
        let mode =
            self.settings.discord.where_registered().map(|mode| format!("\nregistered: {mode}")).unwrap_or_default();
        let rights: String = rights(&registry).iter().map(|line| format!("\nrights of {line}")).collect();
        format!("{}\n{table}{mode}{contained}{rights}{restricted}", self.what_runs(edge))
    }

    /// Returns the first lines at the console: like the banner, with totals in place of the table.
    pub fn greeting(&self, edge: &str) -> String {
        let table = registration_table(&self.in_force.now(), &self.reach);
        format!("{}\n{}", self.what_runs(edge), table.lines().next().unwrap_or_default())
    }

    /// Returns version, settings, store and edge in one line.
    fn what_runs(&self, edge: &str) -> String {
        let version = env!("CARGO_PKG_VERSION");
        format!("candor {version} · {} · store {} · {edge}", self.config_name(), self.store_name())
    }

    /// Returns the path of the settings file, or `built-in defaults`.
    pub(super) fn config_name(&self) -> &str {
        self.config.as_deref().unwrap_or("built-in defaults")
    }

    pub(super) fn store_name(&self) -> String {
        match &self.settings.store {
            StoreSettings::File(path) => format!("sqlite {} (WAL, full sync)", path.display()),
            // The address itself may hold a password.
            StoreSettings::Server(url_file) => format!("postgres of {}", url_file.display()),
        }
    }

    /// Stops the tasks, writes everything to disk and closes the store.
    pub async fn close(self) {
        self.shutdown.cancel();
        self.dispatcher.chat.talker.leave();
        self.dispatcher.chat.left().await;
        // Let a sample that is being stored finish.
        let _ended = self.sampling.await;
        let _ended = self.keeping.await;
        let _ended = self.living.await;
        self.store.close().await;
        info!("stopped");
    }
}

/// What chat, commands and modules work with.
struct Parts {
    in_force: Arc<InForce>,
    guilds: Arc<Guilds>,
    store: Arc<Database>,
    due_calls: Arc<DueAlarm>,
    outbox: Arc<OutboxAlarm>,
    live: Arc<dyn Live>,
    web: Web,
    attached: Files,
    requester: Option<Arc<Requester>>,
    clock: Arc<dyn Clock>,
    sealer: Sealer,
    counters: Arc<Counters>,
}

impl Parts {
    /// Builds chat, the executor that all commands share, and the services of modules.
    fn chat(self, model: Option<Arc<dyn Model>>, settings: &Settings) -> Chat {
        let Self { in_force: registry, guilds, store, due_calls, outbox, live, web, attached, .. } = self;
        let Self { requester, clock, sealer, counters, .. } = self;
        let talker =
            Arc::new(Talker::new(&settings.chat, store.clone()).in_guilds(guilds.clone()).summarised(store.clone()));
        let workspaces = WorkspaceFolders::below(settings.store.data_folder());
        let workspaces = Arc::new(workspaces.holding_at_most(settings.keep.workspaces_size));
        let budgets = Arc::new(Budgets::new(settings.chat.budget, talker.places().clone(), store.clone()));
        let in_force = registry.clone();
        let services = HostServices {
            records: Some(store.clone()),
            live: Some(live),
            history: Some(Arc::new(SampledHistory::new(store.clone(), settings.status.sample_every))),
            workspaces: Some(workspaces.clone()),
            time: Some(due_calls),
            zones: Some(talker.clone()),
            outbox: Some(outbox),
            http: Some(Arc::new(web)),
            attachments: Some(Arc::new(attached)),
            server_names: requester.clone().map(|requester| -> Arc<dyn ServerNames> { requester }),
            commands: Some(Arc::new(move |path| in_force.now().find(path).is_some())),
        };
        let calls =
            Arc::new(ModuleCalls { registry, services: Arc::new(services), deadline: settings.command_deadline });
        let flights = Flights::default();
        let builtins = Builtins {
            calls: calls.clone(),
            access: settings.access.clone(),
            guilds,
            talker: talker.clone(),
            budgets: budgets.clone(),
            receipts: store.clone(),
            turns: store.clone(),
            personal: PersonalData { store: store.clone(), files: workspaces, keep: settings.keep },
            threads: requester.map(|requester| -> Arc<dyn Threads> { requester }),
            flights: flights.clone(),
        };
        let executor = Arc::new(Executor {
            internals: Some(Arc::new(builtins)),
            counters,
            flights,
            ..Executor::new(calls, store.clone(), clock, sealer)
        });
        let chat = Chat {
            model,
            talker,
            settings: settings.chat.clone(),
            access: settings.access.clone(),
            executor,
            conversations: store.clone(),
            turns: store.clone(),
            leases: store.clone(),
            budgets,
            charts: Charts(Some(Arc::new(chart_png::Pictures::default()))),
            pictures: Pictures::read_by(Arc::new(SmallPictures::default())),
            summaries: None,
            told_of_calls_in_text: AtomicBool::new(false),
        };
        chat.summarising(store)
    }
}

/// Returns the client for requests to Discord. The settings name a proxy if the environment does not.
fn requester(connection: Connection, settings: &Settings, counters: Arc<Counters>) -> Result<Arc<Requester>, Failure> {
    let proxy = connection.proxy.or_else(|| settings.discord.proxy.clone());
    let requester = Requester::new(Connection { proxy, ..connection }, counters);
    requester.map(Arc::new).map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))
}

/// Returns the signing key of this name, which is made once and kept in the store.
async fn key(store: &Database, name: &str, what: &str) -> Result<SigningKey, Failure> {
    let kept = store.key(name).await;
    kept.map_err(|problem| Failure::unavailable(format!("cannot keep the key of the {what}: {problem}")))
}

pub(crate) async fn open_store(settings: &StoreSettings) -> Result<Database, Failure> {
    match settings {
        StoreSettings::File(path) => {
            Database::open_file(path).await.map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))
        }
        StoreSettings::Server(url_file) => server_store::open(url_file).await,
    }
}

/// Lets a store sign its receipts and write its heads. Makes the key if the store has none yet.
async fn signing_store(store: Database, settings: &Settings) -> Result<Database, Failure> {
    let store = signed_store(store, settings).await?;
    if store.signing_key().is_none() {
        info!(
            "receipts are not signed: with PostgreSQL, they are if `[receipts] key_file` names a key for all processes"
        );
        return Ok(store);
    }
    let store = store.writing_heads(&settings.receipt_head_file()).await;
    store.map_err(|problem| Failure::unavailable(problem.to_string()))
}

/// Lets a store sign its receipts, without writing heads beside it.
pub(crate) async fn signed_store(store: Database, settings: &Settings) -> Result<Database, Failure> {
    let failed = |problem: ServiceError| Failure::unavailable(problem.to_string());
    let Some(path) = settings.receipt_key_file() else {
        return match store.receipt_key().await.map_err(failed)? {
            None => Ok(store),
            Some(key) => Err(Failure::config(format!(
                "the receipts are signed with the key {}: name its file at `[receipts] key_file`, as the other processes \
                 with this database do",
                key.fingerprint()
            ))),
        };
    };
    let interrupted = || match next_receipt_key(&path) {
        next if next.exists() => format!(
            "; a rotation was interrupted, and its new key is in `{}`: run `candor receipts rotate` again to finish it",
            next.display()
        ),
        _ => String::new(),
    };
    let of_key = |problem: ReceiptKeyError| Failure::config(problem.to_string());
    // Asks the store first: another process makes the file before it registers the key.
    let registered = store.receipt_key().await.map_err(failed)?;
    if let Some(lost) = registered
        && read_receipt_key(&path).map_err(of_key)?.is_none()
    {
        return Err(Failure::config(format!(
            "the receipts are signed with the key {}, and its file `{}` is missing: put it back, or run \
             `candor receipts rotate --lost` to go on with a new key{}",
            lost.fingerprint(),
            path.display(),
            interrupted()
        )));
    }
    let (key, is_new) = ensure_receipt_key(&path).map_err(of_key)?;
    if is_new {
        info!(key = key.public().fingerprint(), path = %path.display(), "made the key that signs receipts");
    }
    let heads = settings.receipt_head_file();
    let outside = newest_head(&heads).map_err(|problem| {
        Failure::unavailable(format!("the file of the signed head, `{}`, cannot be read: {problem}", heads.display()))
    })?;
    store.signed_by(Arc::new(key), outside.as_ref()).await.map_err(|problem| match problem {
        SigningError::Store(problem) => Failure::unavailable(problem.to_string()),
        SigningError::OtherKey { .. } => Failure::config(format!("{problem}{}", interrupted())),
    })
}

/// Opens a store that a bot of this version made, even while one runs. Creates nothing.
pub(crate) async fn open_existing_store(settings: &StoreSettings, may_write: bool) -> Result<Database, Failure> {
    match settings {
        StoreSettings::File(path) => Database::open_existing_file(path, may_write)
            .await
            .map_err(|problem| Failure::new(problem.exit_code(), problem.to_string())),
        StoreSettings::Server(url_file) => server_store::open_existing(url_file, may_write).await,
    }
}

/// Returns access to personal data in this store and in the workspaces that the settings name.
pub(crate) fn personal_data(settings: &Settings, store: Arc<Database>) -> PersonalData {
    let files = Arc::new(WorkspaceFolders::below(settings.store.data_folder()));
    PersonalData { store, files, keep: settings.keep }
}

/// Starts the watch of the metrics file and, if enabled, its producer. Both take a moment until the first values.
async fn figures(settings: &Settings) -> Result<(Arc<LiveMetrics>, Option<HostMetrics>), Failure> {
    let status = settings.status.clone();
    let store = settings.store.clone();
    let interval = settings.host_metrics.enabled.then_some(settings.host_metrics.interval);
    let started = tokio::task::spawn_blocking(move || {
        let data_folder = store.data_folder();
        let producer = interval
            .map(|interval| HostMetrics::start(&status.file, data_folder, interval, &status.presentation.generated_at))
            .transpose()?;
        let live = LiveMetrics::start(&status.file, status.presentation, WatchOptions::default())?;
        Ok((Arc::new(live), producer))
    });
    let started: Result<_, std::io::Error> = started.await.unwrap_or_else(|broken| Err(broken.into()));
    started.map_err(|problem| Failure::unavailable(format!("cannot watch the metrics file: {problem}")))
}

/// Builds the clients of the models; `None` if none is configured.
pub(super) fn model_servers(settings: &Settings) -> Result<Option<Arc<ModelServers>>, Failure> {
    let mut servers = ModelServers::default();
    for server in &settings.model_servers {
        let key = server.key_file.as_deref().map(read_key).transpose()?;
        servers.add(server, key).map_err(|problem| Failure::config(problem.to_string()))?;
    }
    Ok((!settings.model_servers.is_empty()).then(|| Arc::new(servers)))
}

fn read_key(path: &Path) -> Result<SecretString, Failure> {
    candor_engine::read_key(path).map_err(|problem| Failure::config(problem.to_string()))
}

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}
