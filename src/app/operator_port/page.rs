//! Collects the content of the operator's page. Only reads.

use std::fmt::Display;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::app::build::App;
use crate::app::exit::Failure;
use crate::app::reload::{Found, Reloader};
use candor_core::agent::{Subject, Usage};
use candor_core::contract::{FileTrouble, History as _, Live as _, ServiceName};
use candor_core::record::{KeptTurn, LedgerEntry};
use candor_core::registry::{Catalog, CommandRow, Registry};
use candor_discord::{ControlFacts, Inspected, Inspector, NotInPlace, Reconciler};
use candor_engine::InForce;
use candor_engine::chat::Budgets;
use candor_engine::sampler::SampledHistory;
use candor_operate::{
    Finding, Metrics, ModuleView, NotAtDiscord, Overview, Page, PageToken, Part, Pasted, Simulated, TurnEvent,
    UnavailableCommand,
};
use candor_store::{Database, ReceiptFilter};
use candor_system::watch::LiveMetrics;

/// How long the store may take to answer. After that the page says so and shows the rest.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// The span of the charts.
const SPAN: Duration = Duration::from_hours(1);
/// How many receipts, and how many people and guilds, are shown.
const RECEIPTS: usize = 25;
const LARGEST: usize = 10;
/// How many turns are searched for findings, and how many with findings are shown.
const TURNS: usize = 200;
const TURNS_SHOWN: usize = 15;

/// Builds the page, if the operator enabled it.
///
/// # Errors
/// The token file contains no token.
pub(super) fn page(app: &App, reconciler: &Arc<Reconciler>) -> Result<Option<Page>, Failure> {
    let admin = &app.settings.admin;
    if !admin.page {
        return Ok(None);
    }
    let token = admin.page_token_file.as_deref().map(PageToken::read).transpose();
    let token = token.map_err(|problem| Failure::config(problem.to_string()))?;
    let source = Arc::new(PageSource {
        setup: setup(app),
        contained: app.contained.map(|contained| contained.to_string()),
        in_force: app.in_force.clone(),
        reloader: app.reloader.clone(),
        reconciler: reconciler.clone(),
        history: SampledHistory::new(app.store.clone(), app.settings.status.sample_every),
        live: app.live.clone(),
        store: app.store.clone(),
        budgets: app.model.is_some().then(|| app.budgets.clone()),
    });
    let in_force = app.in_force.clone();
    let inspector = Inspector::new(app.control_key.clone(), in_force.clone(), app.settings.language);
    Ok(Some(Page {
        token,
        look: Arc::new(move || {
            let source = source.clone();
            Box::pin(async move { source.look(SystemTime::now()).await })
        }),
        names: Arc::new(move |operator| Catalog::new(in_force.now(), operator)),
        language: app.settings.language,
        read_interaction: Arc::new(move |text| read_interaction(&inspector, text)),
    }))
}

struct PageSource {
    setup: Vec<(&'static str, String)>,
    contained: Option<String>,
    in_force: Arc<InForce>,
    reloader: Arc<Reloader>,
    reconciler: Arc<Reconciler>,
    history: SampledHistory,
    live: Arc<LiveMetrics>,
    store: Arc<Database>,
    budgets: Option<Arc<Budgets>>,
}

impl PageSource {
    async fn look(&self, now: SystemTime) -> Overview {
        let registry = self.in_force.now();
        let Found { in_force, refused } = self.reloader.found();
        let (metrics, receipts, turns, budgets) = tokio::join!(
            in_time(self.metrics(now)),
            in_time(self.receipts()),
            in_time(self.turns()),
            in_time(self.budgets(now))
        );
        Overview {
            now,
            setup: self.setup.clone(),
            commands: registry.all().map(CommandRow::of).collect(),
            unavailable: unavailable(&registry),
            not_at_discord: self.reconciler.not_in_place().into_iter().map(not_at_discord).collect(),
            findings: Finding::all_of(&in_force),
            not_reloaded: refused.map(|refused| Finding::all_of(&refused)).unwrap_or_default(),
            metrics,
            receipts,
            turns,
            budgets: self.budgets.is_some().then_some(budgets),
            modules: modules(&registry),
            contained: self.contained.clone(),
        }
    }

    async fn metrics(&self, now: SystemTime) -> Result<Metrics, String> {
        let from = now.checked_sub(SPAN).unwrap_or(now);
        let past = self.history.between(from, now).await.map_err(told)?;
        let trouble = self.live.observe().trouble.map(|trouble| match trouble {
            FileTrouble::Missing { .. } => "the metrics file is not there".to_owned(),
            FileTrouble::Invalid { problem, .. } => format!("the metrics file cannot be used: {problem}"),
        });
        Ok(Metrics { from, until: now, past, shown: self.live.presentation().metrics.clone(), trouble })
    }

    async fn receipts(&self) -> Result<Vec<LedgerEntry>, String> {
        let newest = self.store.receipts_before(i64::MAX, &ReceiptFilter::default(), RECEIPTS).await.map_err(told)?;
        Ok(newest.into_iter().map(|receipt| receipt.entry).collect())
    }

    async fn turns(&self) -> Result<Vec<TurnEvent>, String> {
        let turns = self.store.newest_turns(TURNS).await.map_err(told)?;
        Ok(turns.into_iter().filter_map(turn_event).take(TURNS_SHOWN).collect())
    }

    async fn budgets(&self, now: SystemTime) -> Result<Vec<Usage>, String> {
        let Some(budgets) = &self.budgets else { return Ok(Vec::new()) };
        let mut used = vec![budgets.usage(Subject::Bot, now).await.map_err(told)?];
        used.extend(budgets.largest(LARGEST, now).await.map_err(told)?);
        Ok(used)
    }
}

/// Waits for the store up to the time limit.
async fn in_time<T>(asked: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let late = || Err(format!("the store did not answer within {} s", ANSWER_WITHIN.as_secs()));
    timeout(ANSWER_WITHIN, asked).await.unwrap_or_else(|_| late())
}

/// Returns what the bot was started with.
fn setup(app: &App) -> Vec<(&'static str, String)> {
    let mut setup = vec![("settings", app.config_name().to_owned()), ("store", app.store_name())];
    let key = app.store.signing_key();
    setup.extend(key.map(|key| ("key of the receipts", format!("{} ({key})", key.fingerprint()))));
    setup
}

fn told(problem: impl Display) -> String {
    format!("this cannot be read: {problem}")
}

fn unavailable(registry: &Registry) -> Vec<UnavailableCommand> {
    let commands = registry.not_in_force();
    commands
        .map(|(path, command)| UnavailableCommand { name: path.to_string(), module: command.module.clone() })
        .collect()
}

fn not_at_discord(NotInPlace { name, module, state, reason }: NotInPlace) -> NotAtDiscord {
    NotAtDiscord { name, module, state: state.name(), reason }
}

fn modules(registry: &Registry) -> Vec<ModuleView> {
    let views = registry.modules().iter().map(|(owner, facts)| {
        let commands = || registry.all().filter(|command| command.owner == *owner);
        ModuleView {
            name: owner.to_string(),
            summary: facts.summary.clone(),
            kind: commands().next().map_or("native", |command| CommandRow::of(command).kind),
            n_commands: commands().map(|command| command.leaves().count()).sum(),
            services: facts.services.iter().copied().map(ServiceName::name).collect(),
            run: facts.run.as_deref().cloned(),
        }
    });
    views.collect()
}

/// Returns the counted findings of a turn and the notes under its reply.
fn turn_event(KeptTurn { at, record, .. }: KeptTurn) -> Option<TurnEvent> {
    let counted = |n: usize, one: &str, more: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {more}")),
    };
    let corrections = usize::try_from(record.corrections).unwrap_or(usize::MAX);
    let found = [
        counted(
            record.stripped.len(),
            "call or result in its words was taken out",
            "calls or results in its words were taken out",
        ),
        counted(corrections, "call of it was corrected", "calls of it were corrected"),
        counted(record.offers.len(), "command did not run and was offered", "commands did not run and were offered"),
        record.failure.map(|failure| format!("no answer: {failure}")),
    ];
    let found: Vec<_> = found.into_iter().flatten().chain(record.notes).collect();
    (!found.is_empty()).then_some(TurnEvent { at, model: record.model, found })
}

/// Reads an interaction in Discord's form. Fields that only a connection needs may be left out.
fn read_interaction(inspector: &Inspector, text: &str) -> Result<Pasted, String> {
    let mut event: Value = serde_json::from_str(text).map_err(|problem| format!("this is no JSON: {problem}"))?;
    let Some(fields) = event.as_object_mut() else { return Err("this is no JSON object".to_owned()) };
    let somebody = json!({"id": "2", "username": "somebody", "discriminator": "0"});
    let needed = [
        ("id", json!("5")),
        ("type", json!(kind(fields))),
        ("token", json!("none")),
        ("channel_id", json!("3")),
        ("message", json!({"id": "4", "channel_id": "3", "author": somebody})),
    ];
    for (name, value) in needed {
        fields.entry(name).or_insert(value);
    }
    if !fields.contains_key("member") {
        fields.entry("user").or_insert(somebody);
    }
    let help = "this is no interaction that calls a command: paste what Discord sends for a slash command, an entry of a \
                menu, a button, a select menu or a form, such as `{\"data\": {\"id\": \"1\", \"type\": 1, \"name\": \
                \"status\"}}`";
    match inspector.inspect(&event, SystemTime::now()).ok_or(help)? {
        Inspected::Routed(inbound, control) => Ok(Pasted::Routed(inbound, control.iter().flat_map(parts).collect())),
        Inspected::Settled(control) => Ok(Pasted::Settled(Simulated {
            route: "control".to_owned(),
            why: "It is a control of the bot, and no command is looked up: what it stands for is known, and whoever uses \
                  it is checked then."
                .to_owned(),
            told: None,
            parts: parts(&control).into(),
        })),
        Inspected::Refused { why, told, control } => Ok(Pasted::Settled(Simulated {
            route: format!("refused: {why}"),
            why: "It is a control that does nothing for this person at this time.".to_owned(),
            told: Some(told),
            parts: control.iter().flat_map(parts).collect(),
        })),
    }
}

/// Returns Discord's type of an interaction without `type`: 5 has modal fields, 3 a component's custom id, and 2 calls
/// a command.
fn kind(fields: &Map<String, Value>) -> u8 {
    let has = |name: &str| fields.get("data").is_some_and(|data| data.get(name).is_some());
    match (has("custom_id"), has("components")) {
        (true, true) => 5,
        (true, false) => 3,
        (false, _) => 2,
    }
}

/// Returns the facts signed into a component. Does not look up whether a one-time component was used.
fn parts(control: &ControlFacts) -> [Part; 4] {
    let ControlFacts { does, made_for, is_for_others, is_once, expires } = control;
    let made_for = if *is_for_others { format!("{made_for}, others may use it") } else { made_for.to_string() };
    [
        ("control", (*does).to_owned()),
        ("made for", made_for),
        ("works", if *is_once { "once" } else { "until it expires" }.to_owned()),
        ("expires", expires.clone()),
    ]
}
