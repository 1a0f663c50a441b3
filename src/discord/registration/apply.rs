//! Applies a plan: one request for each change, creates before updates before removals.
//!
//! A command that Discord rejects does not delay the others. If the whole run stops, the rest is postponed. Nothing is
//! removed while a new command is still missing.

use std::time::{Duration, SystemTime};

use serde_json::Value;
use time::format_description::well_known::Rfc3339;
use tracing::warn;

use crate::registration::api::Api;
use crate::registration::error::{ApiError, Halt, RetryWhen, WriteRefusal};
use crate::registration::memory::StoredRegistrations;
use candor_core::registration::{
    CREATES_PER_DAY_MAX, Key, Remembered, Scope, SyncAction, SyncPlan, SyncStep, writable,
};
use candor_core::registry::SyncOutcome;
use candor_core::text::utc_text;

/// The assumed duration of Discord's daily limit: its documentation does not say when the day begins.
const NO_CREATES_FOR: Duration = Duration::from_hours(24);

#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    Done(SyncOutcome),
    /// Kept: it is not one of ours.
    Kept,
    Rejected(String),
    /// Not tried, or not finished.
    PutOff(String),
}

impl StepOutcome {
    /// Returns whether the command is now registered, or removed, as planned.
    pub fn is_in_place(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Kept)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct CommandOutcome {
    pub step: SyncStep,
    pub result: StepOutcome,
}

impl CommandOutcome {
    /// Returns whether a command may be missing: a failed create for any reason, or any postponed change. A rejected
    /// update leaves the registered command in place.
    fn is_missing(&self) -> bool {
        match self.result {
            StepOutcome::PutOff(_) => true,
            StepOutcome::Rejected(_) => matches!(self.step.action, SyncAction::Create { .. }),
            StepOutcome::Done(_) | StepOutcome::Kept => false,
        }
    }
}

pub(crate) struct Applying<'a> {
    pub(crate) api: &'a Api,
    pub(crate) memory: &'a StoredRegistrations,
    pub(crate) scope: Scope,
    /// The commands registered when the plan was made.
    pub(crate) standing: &'a [Value],
    pub(crate) remembered: Remembered,
    /// Why the rest is postponed.
    pub(crate) halt: Option<Halt>,
    /// Why no more commands are created today.
    pub(crate) no_creates: Option<Halt>,
    pub(crate) created: usize,
    /// Whether several changes are sent as one whole set.
    pub(crate) at_once: bool,
}

impl Applying<'_> {
    pub(crate) async fn carry_out(&mut self, plan: &SyncPlan) -> Vec<CommandOutcome> {
        if (is_first_start(plan) || self.at_once && 1 < plan.count(SyncAction::is_write))
            && let Some(outcomes) = self.all_at_once(plan).await
        {
            return outcomes;
        }
        let mut outcomes: Vec<CommandOutcome> = Vec::with_capacity(plan.steps.len());
        for (index, step) in plan.steps.iter().enumerate() {
            let result = match (&step.action, &self.halt) {
                (SyncAction::Unchanged { .. }, _) => StepOutcome::Done(SyncOutcome::Unchanged),
                (SyncAction::Kept { .. }, _) => StepOutcome::Kept,
                (_, Some(halt)) => StepOutcome::PutOff(halt.why.clone()),
                (SyncAction::Create { payload }, None) => match self.create(step, payload).await {
                    Ok(result) => result,
                    // At the limit, overwriting the whole set can exchange commands when no more can be added.
                    Err(full) => match self.exchange(plan, &outcomes).await {
                        Some(rest) => {
                            outcomes.extend(plan.steps.iter().skip(index).cloned().zip(rest).map(outcome));
                            return outcomes;
                        }
                        None => StepOutcome::Rejected(full),
                    },
                },
                (SyncAction::Update { id, body, .. }, None) => self.update(step, *id, body).await,
                (SyncAction::Remove { .. }, None) if outcomes.iter().any(CommandOutcome::is_missing) => {
                    StepOutcome::PutOff("what is new comes first".to_owned())
                }
                (SyncAction::Remove { id }, None) => self.remove(step, *id).await,
            };
            if let StepOutcome::Rejected(why) = &result {
                warn!(command.name = %step.key, error = why, "Discord does not accept this command");
            }
            outcomes.push(outcome((step.clone(), result)));
        }
        outcomes
    }

    /// Creates one command. The error says that the limit is reached.
    async fn create(&mut self, step: &SyncStep, payload: &Value) -> Result<StepOutcome, String> {
        if let Some(why) = self.out_of_creates(1) {
            return Ok(StepOutcome::PutOff(why));
        }
        let problem = match self.api.create(self.scope, payload).await {
            Ok(()) => {
                self.count(1).await;
                return Ok(StepOutcome::Done(SyncOutcome::Created));
            }
            Err(problem) => problem,
        };
        self.count_lost(1, &problem).await;
        match self.verdict(&problem, step, payload) {
            WriteRefusal::Exists => {
                Ok(self.update_by_key(step, payload).await.unwrap_or_else(|| StepOutcome::Rejected(problem.sentence())))
            }
            WriteRefusal::Full => Err(problem.sentence()),
            _ => Ok(self.failed(&problem, step, payload).await),
        }
    }

    async fn update(&mut self, step: &SyncStep, id: u64, body: &Value) -> StepOutcome {
        let problem = match self.api.update(self.scope, id, body).await {
            Ok(()) => return StepOutcome::Done(SyncOutcome::Updated),
            Err(problem) => problem,
        };
        if self.verdict(&problem, step, body) != WriteRefusal::Gone {
            return self.failed(&problem, step, body).await;
        }
        // Another client was faster: list the registered commands again.
        match self.update_by_key(step, body).await {
            Some(became) => became,
            None => {
                let why = format!("{} was removed in the meantime; the next comparison creates it", step.key);
                self.halt = Some(Halt { why: why.clone(), again: RetryWhen::Soon });
                StepOutcome::PutOff(why)
            }
        }
    }

    /// Updates a command under its current id. `None` if it has no id.
    async fn update_by_key(&mut self, step: &SyncStep, body: &Value) -> Option<StepOutcome> {
        let updated = match self.id_of(&step.key).await {
            Ok(id) => self.api.update(self.scope, id?, body).await,
            Err(problem) => Err(problem),
        };
        Some(match updated {
            Ok(()) => StepOutcome::Done(SyncOutcome::Updated),
            Err(problem) => self.failed(&problem, step, body).await,
        })
    }

    async fn remove(&mut self, step: &SyncStep, id: u64) -> StepOutcome {
        match self.api.remove(self.scope, id).await {
            Ok(()) => StepOutcome::Done(SyncOutcome::Removed),
            Err(problem) => match self.verdict(&problem, step, &Value::Null) {
                WriteRefusal::Gone => StepOutcome::Done(SyncOutcome::Removed),
                _ => self.failed(&problem, step, &Value::Null).await,
            },
        }
    }

    /// Sends everything in one request if none of our commands is registered yet. `None` if Discord rejects the set:
    /// then each is tried by itself.
    async fn all_at_once(&mut self, plan: &SyncPlan) -> Option<Vec<CommandOutcome>> {
        if let Err(rejected) = self.overwrite(plan, plan.cost()).await {
            if let Some(problem) = rejected {
                warn!(
                    error = problem.sentence(),
                    "Discord does not accept the commands as a whole; each is sent on its own"
                );
            }
            return None;
        }
        Some(plan.steps.iter().map(|step| outcome((step.clone(), as_planned(&step.action)))).collect())
    }

    /// Sends the whole set, with `n_new` new commands. The error is Discord's rejection of the set. It is `None` if so
    /// many cannot be created today, or if the run had to stop.
    async fn overwrite(&mut self, plan: &SyncPlan, n_new: usize) -> Result<(), Option<ApiError>> {
        if self.out_of_creates(n_new).is_some() {
            return Err(None);
        }
        let body: Vec<Value> = plan.steps.iter().filter_map(|step| self.in_set(step)).collect();
        match self.api.overwrite(self.scope, &body).await {
            Ok(()) => {
                self.count(n_new).await;
                Ok(())
            }
            Err(problem @ ApiError::Refused { status: 400, .. }) => Err(Some(problem)),
            Err(problem) => {
                self.count_lost(n_new, &problem).await;
                self.stop(&problem).await;
                Err(None)
            }
        }
    }

    /// Overwrites the whole set at the limit: removals make room for new commands. Returns the outcome of the remaining
    /// changes. `None` if that is not possible either, or an earlier create is missing.
    async fn exchange(&mut self, plan: &SyncPlan, before: &[CommandOutcome]) -> Option<Vec<StepOutcome>> {
        let rest = plan.steps.get(before.len()..)?;
        let n_new = rest.iter().filter(|step| matches!(step.action, SyncAction::Create { .. })).count();
        let is_room = rest.iter().any(|step| matches!(step.action, SyncAction::Remove { .. }));
        if !is_room || before.iter().any(CommandOutcome::is_missing) {
            return None;
        }
        self.overwrite(plan, n_new).await.ok()?;
        Some(rest.iter().map(|step| as_planned(&step.action)).collect())
    }

    /// Returns the command as an entry of a bulk overwrite; `None` if it is removed.
    fn in_set(&self, step: &SyncStep) -> Option<Value> {
        let standing = self.standing.iter().find(|command| Key::of(command) == step.key).map(writable);
        match (&step.action, standing) {
            (SyncAction::Create { payload }, _) => Some(payload.clone()),
            (SyncAction::Update { body, .. }, Some(mut standing)) => {
                for (field, value) in body.as_object().into_iter().flatten() {
                    standing[field] = value.clone();
                }
                Some(writable(&standing))
            }
            (SyncAction::Remove { .. }, _) => None,
            (_, standing) => standing,
        }
    }

    async fn id_of(&self, key: &Key) -> Result<Option<u64>, ApiError> {
        let standing = self.api.list(self.scope).await?;
        let command = standing.iter().find(|command| Key::of(command) == *key);
        Ok(command.and_then(|command| command.get("id")?.as_str()?.parse().ok()))
    }

    /// Returns why `n` more commands cannot be created today, or `None` if they can.
    fn out_of_creates(&mut self, n: usize) -> Option<String> {
        if let Some(halt) = &self.no_creates {
            return Some(halt.why.clone());
        }
        let now = SystemTime::now();
        if n <= self.remembered.creates_left(now).saturating_sub(self.created) {
            return None;
        }
        let halt = no_more_today(self.remembered.creates_again(now));
        let why = halt.why.clone();
        // More may be left than one, and less than all.
        if n == 1 {
            self.no_creates = Some(halt);
        }
        Some(why)
    }

    async fn count(&mut self, n: usize) {
        self.created += n;
        self.memory.count_creates(self.scope, n, SystemTime::now()).await;
    }

    /// Counts creates that Discord may have carried out without confirming them: the daily count must not be too low.
    async fn count_lost(&mut self, n: usize, problem: &ApiError) {
        if matches!(problem, ApiError::Lost(_)) {
            self.count(n).await;
        }
    }

    fn verdict(&self, problem: &ApiError, step: &SyncStep, payload: &Value) -> WriteRefusal {
        problem.verdict(step, payload, self.api.application(), SystemTime::now())
    }

    /// Returns the outcome of a change that Discord did not carry out.
    async fn failed(&mut self, problem: &ApiError, step: &SyncStep, payload: &Value) -> StepOutcome {
        match self.verdict(problem, step, payload) {
            WriteRefusal::Rejected(why) => StepOutcome::Rejected(why),
            WriteRefusal::Full | WriteRefusal::Exists | WriteRefusal::Gone => StepOutcome::Rejected(problem.sentence()),
            WriteRefusal::NoMoreToday => {
                let until = SystemTime::now() + NO_CREATES_FOR;
                self.memory.stop_creates(self.scope, until).await;
                let halt = no_more_today(until);
                let why = halt.why.clone();
                self.no_creates = Some(halt);
                StepOutcome::PutOff(why)
            }
            WriteRefusal::Halted(halt) => {
                self.stop(problem).await;
                StepOutcome::PutOff(halt.why)
            }
        }
    }

    /// Postpones the rest. If Discord named a time, stores it.
    async fn stop(&mut self, problem: &ApiError) {
        let halt = problem.halt(self.api.application(), SystemTime::now());
        if let RetryWhen::At(until) = halt.again {
            self.memory.hold(self.scope, until).await;
        }
        self.halt = Some(halt);
    }
}

fn outcome((step, result): (SyncStep, StepOutcome)) -> CommandOutcome {
    CommandOutcome { step, result }
}

fn is_first_start(plan: &SyncPlan) -> bool {
    let is_create_or_kept = |action: &SyncAction| matches!(action, SyncAction::Create { .. } | SyncAction::Kept { .. });
    1 < plan.cost() && plan.count(is_create_or_kept) == plan.steps.len()
}

fn as_planned(action: &SyncAction) -> StepOutcome {
    match action {
        SyncAction::Create { .. } => StepOutcome::Done(SyncOutcome::Created),
        SyncAction::Update { .. } => StepOutcome::Done(SyncOutcome::Updated),
        SyncAction::Remove { .. } => StepOutcome::Done(SyncOutcome::Removed),
        SyncAction::Unchanged { .. } => StepOutcome::Done(SyncOutcome::Unchanged),
        SyncAction::Kept { .. } => StepOutcome::Kept,
    }
}

fn no_more_today(until: SystemTime) -> Halt {
    let why = format!(
        "no more new commands today: {CREATES_PER_DAY_MAX} a day are the limit, and it is used up until {}",
        rfc3339(until)
    );
    Halt { why, again: RetryWhen::At(until) }
}

/// Formats a time for operators, to the second.
pub(crate) fn rfc3339(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    utc_text(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds), &Rfc3339)
}
