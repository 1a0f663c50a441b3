//! The registrar: compares the registered commands with those in force, and applies the differences.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use reqwest::Client;
use secrecy::SecretString;
use serde_json::Value;
use tracing::{debug, info, warn};
use url::Url;

use crate::registration::api::Api;
use crate::registration::apply::{Applying, CommandOutcome, StepOutcome, rfc3339};
use crate::registration::error::{ApiError, Halt, RetryWhen};
use crate::registration::memory::StoredRegistrations;
use crate::registration::payload::wanted;
use crate::rest;
use crate::rest::{Application, DiscordError, Rest};
use candor_core::inbound::GuildId;
use candor_core::registration::{
    Key, Remembered, Scope, SyncAction, SyncMemory, SyncPlan, SyncStep, Terms, WantedCommand, fingerprint, plan,
};
use candor_core::registry::Registry;
use candor_engine::RefusedRequests;

/// How many guilds of a READY are searched for leftover commands. More would be many requests for each new guild.
const GUILDS_MAX: usize = 25;

/// Registers the commands of one application in their scope.
pub struct Registrar {
    api: Api,
    memory: StoredRegistrations,
    wanted: Vec<WantedCommand>,
    /// The commands that this process wanted before a reload: it may remove them.
    former: BTreeSet<Key>,
    /// The commands that differed before a reload, or were not wanted: it may change them.
    changed: BTreeSet<Key>,
    quarantined: BTreeMap<String, String>,
    terms: Terms,
    /// A guild in the settings that may have leftover commands.
    also: Option<GuildId>,
    /// The fingerprint of the set that this process registered last.
    settled: Mutex<Option<String>>,
}

/// The differences of a scope: the registered commands and the changes to make.
pub struct Diff {
    pub scope: Scope,
    pub plan: SyncPlan,
    pub remembered: Remembered,
    /// The registered commands, as Discord returns them.
    pub standing: Vec<Value>,
}

pub struct SyncReport {
    pub outcomes: Vec<CommandOutcome>,
    /// Why some of it was postponed, if it was.
    pub halt: Option<Halt>,
    pub standing: Vec<Value>,
}

impl SyncReport {
    pub fn is_in_place(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.result.is_in_place())
    }

    pub(crate) fn has_rejected(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome.result, StepOutcome::Rejected(_)))
    }

    fn not_in_place(&self) -> BTreeSet<&Key> {
        let is_off = |outcome: &&CommandOutcome| !outcome.result.is_in_place();
        self.outcomes.iter().filter(is_off).map(|outcome| &outcome.step.key).collect()
    }
}

/// Asks Discord for the id of the application that the token belongs to.
pub async fn application_id(token: &SecretString, proxy: Option<&Url>) -> Result<u64, DiscordError> {
    let (_, _, application) = ask(token, proxy, None).await?;
    Ok(application.id.get())
}

/// Fetches the application of the token. Returns it with the clients used. Refused requests count in `refusals`.
async fn ask(
    token: &SecretString,
    proxy: Option<&Url>,
    refusals: Option<Arc<dyn RefusedRequests>>,
) -> Result<(Arc<Rest>, Client, Application), DiscordError> {
    let http = Arc::new(rest::build(token, proxy).map_err(DiscordError::ended)?);
    let client = rest::client().map_err(DiscordError::ended)?;
    let rest = Arc::new(Rest::new(http, client.clone(), Arc::default()));
    if let Some(refusals) = refusals {
        rest.count_refusals_in(refusals).await;
    }
    let asked = rest.current_application().await;
    if asked.is_err() {
        rest.refusals_kept().await;
    }
    let application = asked.map_err(|problem| {
        DiscordError::of_refusal(&problem).unwrap_or_else(|| DiscordError::Ended(problem.to_string()))
    })?;
    Ok((rest, client, application))
}

impl Registrar {
    /// Asks Discord, by REST only, which application the token belongs to. `guild` is where to register, if not
    /// globally. `also` is a guild that may have leftover commands.
    pub async fn connect(
        token: &SecretString,
        proxy: Option<&Url>,
        registry: &Registry,
        store: Arc<impl SyncMemory + RefusedRequests + 'static>,
        guild: Option<GuildId>,
        also: Option<GuildId>,
    ) -> Result<Self, DiscordError> {
        let (rest, client, application) = ask(token, proxy, Some(store.clone())).await?;
        Ok(Self { also, ..Self::new(rest, client, &application, registry, store, guild) })
    }

    /// Waits briefly until refused requests are stored. Call it before the store is closed.
    pub async fn end(&self) {
        self.api.refusals_kept().await;
    }

    pub(crate) fn new(
        rest: Arc<Rest>,
        client: Client,
        application: &Application,
        registry: &Registry,
        store: Arc<dyn SyncMemory>,
        guild: Option<GuildId>,
    ) -> Self {
        let mut installs = application.installs.clone();
        if installs.is_empty() {
            // An application from before installation contexts existed.
            installs.push(0);
        }
        Self {
            memory: StoredRegistrations { store, application: application.id.get() },
            api: Api::new(rest, client, application.id),
            wanted: wanted(registry),
            former: BTreeSet::new(),
            changed: BTreeSet::new(),
            quarantined: registry.quarantined(),
            terms: Terms { scope: guild.map_or(Scope::Global, Scope::Guild), installs },
            also: None,
            settled: Mutex::default(),
        }
    }

    /// Wants the commands of another registry from now on.
    pub(crate) fn want(&mut self, registry: &Registry) {
        let before = std::mem::replace(&mut self.wanted, wanted(registry));
        let is_new = |command: &&WantedCommand| before.iter().all(|before| before.payload != command.payload);
        self.changed.extend(self.wanted.iter().filter(is_new).map(|command| Key::of(&command.payload)));
        self.former.extend(before.iter().map(|command| Key::of(&command.payload)));
        self.quarantined = registry.quarantined();
    }

    /// Returns whether this process may still change the registered commands. It may not after another process, such as
    /// a newer one in a rolling update, has registered another set. Writing the older set again would delete the
    /// other's commands, with the permissions that administrators gave them, or revert its changes.
    pub(crate) fn is_in_charge(&self, diff: &Diff) -> bool {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_strange = |step: &SyncStep| match step.action {
            SyncAction::Remove { .. } => !self.former.contains(&step.key),
            SyncAction::Update { .. } => !self.changed.contains(&step.key),
            _ => false,
        };
        let is_anothers = || diff.plan.steps.iter().any(is_strange);
        settled.is_none() || (*settled == diff.remembered.fingerprint && !is_anothers())
    }

    pub fn application(&self) -> u64 {
        self.api.application()
    }

    pub fn scope(&self) -> Scope {
        self.terms.scope
    }

    /// Lists and compares the registered commands in the scope of the commands. Sends nothing while Discord's rate
    /// limit holds.
    pub async fn diff(&self) -> Result<Diff, Halt> {
        self.diff_in(self.terms.scope).await.map_err(|(halt, _)| halt)
    }

    /// Returns the other scopes that may hold commands of ours, and the removals there. A scope that cannot be read is
    /// returned with the reason.
    pub async fn diff_elsewhere(&self) -> (Vec<Diff>, Vec<(Scope, Halt)>) {
        let mut diffs = Vec::new();
        let mut unread = Vec::new();
        for scope in self.elsewhere(&[]).await {
            match self.diff_aside(scope).await {
                Ok(diff) => diffs.extend(diff),
                Err(halt) => unread.push((scope, halt)),
            }
        }
        (diffs, unread)
    }

    /// Compares another scope. `None` for a guild that the bot is no longer in: no command is shown there.
    async fn diff_aside(&self, scope: Scope) -> Result<Option<Diff>, Halt> {
        match self.diff_in(scope).await {
            Ok(diff) => Ok(Some(diff)),
            Err((_, Some(problem))) if scope != Scope::Global && problem.is_no_access() => {
                self.memory.settle(scope, Some(&self.fingerprint(scope, &[]))).await;
                Ok(None)
            }
            Err((halt, _)) => Err(halt),
        }
    }

    async fn diff_in(&self, scope: Scope) -> Result<Diff, (Halt, Option<ApiError>)> {
        let remembered = self.memory.of(scope).await;
        if let Some(until) = remembered.held_until(SystemTime::now()) {
            let why = format!("Discord limits the rate and wants to be left alone until {}", rfc3339(until));
            return Err((Halt { why, again: RetryWhen::At(until) }, None));
        }
        let standing = match self.api.list(scope).await {
            Ok(standing) => standing,
            Err(problem) => {
                let halt = problem.halt(self.api.application(), SystemTime::now());
                if let RetryWhen::At(until) = halt.again {
                    self.memory.hold(scope, until).await;
                }
                return Err((halt, Some(problem)));
            }
        };
        let plan = plan(self.wanted_in(scope), &standing, &self.quarantined, &self.terms_in(scope));
        let is_settled = remembered.fingerprint == Some(self.fingerprint(scope, &standing));
        let plan = if is_settled { plan.settled() } else { plan };
        Ok(Diff { scope, plan, remembered, standing })
    }

    pub async fn apply(&self, diff: &Diff) -> SyncReport {
        self.apply_with(diff, false).await
    }

    /// Applies a plan. With `at_once`, several changes are one request.
    async fn apply_with(&self, diff: &Diff, at_once: bool) -> SyncReport {
        let Diff { scope, plan, remembered, standing } = diff;
        if plan.is_drift() {
            self.memory.settle(*scope, None).await;
        }
        let mut run = Applying {
            api: &self.api,
            memory: &self.memory,
            scope: *scope,
            standing,
            remembered: remembered.clone(),
            halt: None,
            no_creates: None,
            created: 0,
            at_once,
        };
        let outcomes = run.carry_out(plan).await;
        let is_broken_off = run.halt.is_some();
        let mut report = SyncReport { outcomes, halt: run.halt.or(run.no_creates), standing: standing.clone() };
        let is_known = if plan.is_drift() && !is_broken_off {
            match self.api.list(*scope).await {
                Ok(standing) => {
                    report.standing = standing;
                    true
                }
                Err(problem) => {
                    debug!(error = problem.sentence(), "what stands now cannot be read");
                    false
                }
            }
        } else {
            !plan.is_drift()
        };
        if is_known && report.is_in_place() {
            let fingerprint = self.fingerprint(*scope, &report.standing);
            if *scope == self.terms.scope {
                *self.settled.lock().unwrap_or_else(PoisonError::into_inner) = Some(fingerprint.clone());
            }
            if remembered.fingerprint.as_ref() != Some(&fingerprint) || plan.is_drift() {
                self.memory.settle(*scope, Some(&fingerprint)).await;
            }
        }
        report
    }

    /// Applies the removals in another scope, except for commands that are not in place in their own scope: there a
    /// person may have nothing else to use.
    pub async fn apply_elsewhere(&self, diff: &Diff, wanted: &SyncReport) -> SyncReport {
        let (rest, held) = split(&diff.plan, &wanted.not_in_place());
        let Diff { scope, remembered, standing, .. } = diff;
        let remembered = remembered.clone();
        let standing = standing.clone();
        // Held commands are not in the plan, and a whole set would remove them.
        let at_once = held.is_empty() && *scope != Scope::Global;
        let mut report = self.apply_with(&Diff { scope: *scope, plan: rest, remembered, standing }, at_once).await;
        let why = format!("it is not in place where it belongs, {}", self.terms.scope);
        let held = held.into_iter().map(|step| CommandOutcome { step, result: StepOutcome::PutOff(why.clone()) });
        report.outcomes.extend(held);
        report
    }

    /// Removes commands of ours from other scopes, so that nothing shows twice. Call it only when `wanted` was applied
    /// to its end.
    pub(crate) async fn clean(&self, guilds: &[GuildId], wanted: &SyncReport) {
        for scope in self.elsewhere(guilds).await {
            let diff = match self.diff_aside(scope).await {
                Ok(Some(diff)) => diff,
                Ok(None) => continue,
                Err(halt) => {
                    warn!(scope = %scope, error = halt.why, "commands left in this scope cannot be removed now");
                    continue;
                }
            };
            let outcomes = self.apply_elsewhere(&diff, wanted).await.outcomes;
            let n_left = outcomes.iter().filter(|outcome| !outcome.result.is_in_place()).count();
            if 0 < n_left {
                warn!(scope = %scope, commands = n_left, "commands of this bot stay in the other scope and may show twice");
            }
            for CommandOutcome { step, result } in outcomes {
                match result {
                    StepOutcome::Done(_) => info!(
                        scope = %scope, command.name = %step.key, belongs = %self.terms.scope,
                        "removed a command of this bot from the other scope, so that it does not show twice"
                    ),
                    StepOutcome::Kept => {}
                    StepOutcome::Rejected(why) | StepOutcome::PutOff(why) => {
                        warn!(scope = %scope, command.name = %step.key, error = why, "not removed from the other scope");
                    }
                }
            }
        }
    }

    /// Returns the other scopes to read: those not known to be empty.
    async fn elsewhere(&self, ready: &[GuildId]) -> Vec<Scope> {
        let known = self.memory.guilds().await;
        let is_clean = |guild: GuildId| {
            let nothing = self.fingerprint(Scope::Guild(guild), &[]);
            known.iter().any(|(it, remembered)| *it == guild && remembered.fingerprint.as_ref() == Some(&nothing))
        };
        let known_or_named = known.iter().map(|(guild, _)| *guild).chain(self.also);
        let guilds = guilds_to_read(known_or_named, ready, is_clean).into_iter().map(Scope::Guild);
        [Scope::Global].into_iter().chain(guilds).filter(|scope| *scope != self.terms.scope).collect()
    }

    fn wanted_in(&self, scope: Scope) -> &[WantedCommand] {
        if scope == self.terms.scope { &self.wanted } else { &[] }
    }

    fn terms_in(&self, scope: Scope) -> Terms {
        Terms { scope, ..self.terms.clone() }
    }

    fn fingerprint(&self, scope: Scope, standing: &[Value]) -> String {
        // For a scope that is not the wanted one, this is the fingerprint of "nothing registered, and nothing wanted".
        fingerprint(self.wanted_in(scope), standing, &self.terms_in(scope))
    }
}

/// Returns the guilds to read. Of those that READY lists, it takes at most [`GUILDS_MAX`] and skips clean ones, so each
/// start reads others.
fn guilds_to_read(
    known: impl Iterator<Item = GuildId>,
    ready: &[GuildId],
    is_clean: impl Fn(GuildId) -> bool,
) -> Vec<GuildId> {
    let is_open = |guild: &GuildId| !is_clean(*guild);
    let ready = ready.iter().copied().filter(is_open).take(GUILDS_MAX);
    let mut guilds: Vec<_> = known.filter(is_open).chain(ready).collect();
    guilds.sort_unstable();
    guilds.dedup();
    guilds
}

/// Splits off the removals of these commands from a plan.
fn split(plan: &SyncPlan, held: &BTreeSet<&Key>) -> (SyncPlan, Vec<SyncStep>) {
    let is_held = |step: &SyncStep| matches!(step.action, SyncAction::Remove { .. }) && held.contains(&step.key);
    let (held, steps) = plan.steps.iter().cloned().partition(is_held);
    (SyncPlan { steps }, held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_are_clean_leave_their_places_to_the_next() {
        let ready: Vec<_> = (1..=60).map(GuildId).collect();
        let n = GUILDS_MAX as u64;
        for (known, clean, wanted) in [
            (None, 0, (1..=n).collect::<Vec<_>>()),
            (None, n, (n + 1..=2 * n).collect()),
            (None, 55, (56..=60).collect()),
            (Some(GuildId(99)), 59, vec![60, 99]),
            (Some(GuildId(60)), 59, vec![60]),
            (Some(GuildId(3)), 60, vec![]),
        ] {
            let guilds = guilds_to_read(known.into_iter(), &ready, |guild| guild.0 <= clean);
            assert_eq!(guilds.iter().map(|guild| guild.0).collect::<Vec<_>>(), wanted, "{known:?} {clean}");
        }
    }
}
