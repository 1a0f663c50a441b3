//! Syncs the commands at the start, on request, and again after a failure.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};
use tracing::{error, info, warn};

use crate::registration::apply::rfc3339;
use crate::registration::report::{self, NotInPlace};
use crate::registration::{CommandOutcome, Halt, Registrar, RetryWhen, SyncReport};
use crate::render::mentions::Mentions;
use candor_core::access::Access;
use candor_core::inbound::GuildId;
use candor_core::registry::Registry;
use candor_engine::InForce;

/// The waits after an outage. After the last, only a request or the next start tries again.
const TRY_AGAIN: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(300)];

/// One sync answers all requests within this time: calls of unknown commands must not use up the bot's rate limit.
const BETWEEN_REQUESTS: Duration = Duration::from_mins(10);

#[derive(Default)]
pub struct Reconciler {
    asked: Notify,
    ready: Notify,
    guilds: Mutex<Vec<GuildId>>,
    state: Mutex<(SyncStatus, Vec<NotInPlace>)>,
}

/// The requests for a sync, of which one in ten minutes is granted.
#[derive(Default)]
struct Requests {
    last: Option<Instant>,
}

impl Requests {
    /// Waits for a request, and then until it may be granted. Requests made meanwhile are granted with it.
    async fn granted(&mut self, asked: &Notify) {
        asked.notified().await;
        let now = Instant::now();
        let free = free_at(self.last, now);
        info!(wait_s = (free - now).as_secs(), "the commands are compared with Discord once more");
        sleep_until(free).await;
        // Requests made during the wait need no other sync.
        let _answered = timeout(Duration::ZERO, asked.notified()).await;
        self.last = Some(Instant::now());
    }
}

/// Returns when a request made now may be granted.
fn free_at(last: Option<Instant>, now: Instant) -> Instant {
    last.map_or(now, |last| last + BETWEEN_REQUESTS).max(now)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncStatus {
    InPlace,
    /// In place, except for commands that were rejected or put off.
    Partly,
    /// The rest is postponed until a time that Discord named.
    Held,
    /// Unknown, or not in place; the log says why.
    Failed,
    #[default]
    NotYet,
}

impl SyncStatus {
    /// The names of all statuses, in their order.
    pub const NAMES: [&str; 5] = ["in-place", "partly", "held", "failed", "not-yet"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl Reconciler {
    /// Requests one sync: at once, or ten minutes after the last requested one. The same sync serves requests made
    /// meanwhile.
    pub fn request(&self) {
        self.asked.notify_one();
    }

    /// Reports the guilds in the READY of one shard.
    pub(crate) fn guilds(&self, guilds: Vec<GuildId>) {
        let mut known = self.guilds.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(guilds);
        known.sort_unstable();
        known.dedup();
        drop(known);
        self.ready.notify_one();
    }

    pub fn state(&self) -> SyncStatus {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Returns the commands that were not as they should be after the last sync.
    pub fn not_in_place(&self) -> Vec<NotInPlace> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    fn known_guilds(&self) -> Vec<GuildId> {
        self.guilds.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, state: SyncStatus, not_in_place: Vec<NotInPlace>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (state, not_in_place);
    }
}

pub(crate) struct SyncLoop {
    pub(crate) registrar: Registrar,
    pub(crate) reconciler: Arc<Reconciler>,
    pub(crate) in_force: Arc<InForce>,
    pub(crate) access: Access,
    /// Gets the ids of the registered commands.
    pub(crate) mentions: Arc<Mentions>,
}

impl SyncLoop {
    /// Registers every command in force and logs the changes, for as long as the bot runs. Failures are logged.
    ///
    /// Another registry that comes into force is registered at once. If Discord refuses some of it, the previous one is
    /// put in force again.
    pub(crate) async fn run(mut self) {
        let mut changes = self.in_force.changes();
        let mut accepted = None;
        let mut waits = TRY_AGAIN.into_iter();
        let mut is_first = true;
        let mut requests = Requests::default();
        loop {
            changes.mark_unchanged();
            let registry = self.in_force.now();
            self.registrar.want(&registry);
            let compared = self.compare(&registry).await;
            let wait = match &compared.halt {
                Some(halt) => again(halt, &mut waits),
                None => {
                    waits = TRY_AGAIN.into_iter();
                    None
                }
            };
            if let Some(halt) = &compared.halt {
                warn_of(halt, wait);
            }
            report::log(&registry, &self.access, compared.outcomes());
            // The last line of a start and of a reload.
            if let Some(failures) = registry.summary_of_failures().filter(|_| is_first) {
                warn!("{failures}");
            }
            is_first = false;
            self.reconciler.set(compared.state(), report::not_in_place(&registry, compared.outcomes()));
            if self.restored(&compared, &registry, &mut accepted) {
                continue;
            }
            let Self { registrar, reconciler, .. } = &self;
            if let Some(wanted) = compared.to_its_end() {
                let known = reconciler.known_guilds();
                tokio::select! {
                    () = registrar.clean(&known, wanted) => {}
                    Ok(()) = changes.changed() => {
                        (is_first, waits) = (true, TRY_AGAIN.into_iter());
                        continue;
                    }
                }
            }

            let retry_at = wait.map(|wait| Instant::now() + wait);
            let mut granted = pin!(requests.granted(&reconciler.asked));
            loop {
                tokio::select! {
                    () = until(retry_at) => break,
                    () = &mut granted => break,
                    Ok(()) = changes.changed() => {
                        (is_first, waits) = (true, TRY_AGAIN.into_iter());
                        break;
                    }
                    () = reconciler.ready.notified() => if let Some(wanted) = compared.to_its_end() {
                        registrar.clean(&reconciler.known_guilds(), wanted).await;
                    },
                }
            }
        }
    }

    /// Puts the previous registry in force again, if Discord refused some of this one. Returns whether it did.
    fn restored(&self, compared: &Compared, registry: &Arc<Registry>, accepted: &mut Option<Arc<Registry>>) -> bool {
        let Some(report) = &compared.report else { return false };
        if !report.has_rejected() {
            *accepted = compared.halt.is_none().then(|| registry.clone()).or(accepted.take());
            return false;
        }
        let Some(before) = accepted.clone().filter(|before| !Arc::ptr_eq(before, registry)) else { return false };
        error!("Discord refused some of the reloaded commands; those from before the reload are in force again");
        self.in_force.replace(before);
        true
    }

    async fn compare(&self, registry: &Registry) -> Compared {
        match self.registrar.diff().await {
            Ok(diff) => {
                self.mentions.learn(registry, &diff.standing);
                if !self.registrar.is_in_charge(&diff) {
                    let why = "another process registered another set of commands, which stays".to_owned();
                    return Compared { report: None, halt: Some(Halt { why, again: RetryWhen::Never }) };
                }
                let mut report = self.registrar.apply(&diff).await;
                self.mentions.learn(registry, &report.standing);
                let halt = report.halt.take();
                Compared { report: Some(report), halt }
            }
            Err(halt) => Compared { report: None, halt: Some(halt) },
        }
    }
}

async fn until(next: Option<Instant>) {
    match next {
        Some(next) => sleep_until(next).await,
        None => std::future::pending().await,
    }
}

struct Compared {
    report: Option<SyncReport>,
    halt: Option<Halt>,
}

impl Compared {
    fn outcomes(&self) -> Result<&[CommandOutcome], &str> {
        match (&self.report, &self.halt) {
            (Some(report), _) => Ok(&report.outcomes),
            (None, halt) => Err(halt.as_ref().map_or("", |halt| &halt.why)),
        }
    }

    /// Returns the report of a sync that was not stopped. Some commands may be rejected.
    fn to_its_end(&self) -> Option<&SyncReport> {
        self.report.as_ref().filter(|_| self.halt.is_none())
    }

    fn state(&self) -> SyncStatus {
        match (&self.report, &self.halt) {
            (_, Some(Halt { again: RetryWhen::At(_), .. })) => SyncStatus::Held,
            (_, Some(_)) | (None, None) => SyncStatus::Failed,
            (Some(report), None) if report.is_in_place() => SyncStatus::InPlace,
            (Some(_), None) => SyncStatus::Partly,
        }
    }
}

/// Returns when to try again; `None` if only a change on our side can help.
fn again(halt: &Halt, waits: &mut impl Iterator<Item = Duration>) -> Option<Duration> {
    match halt.again {
        RetryWhen::At(until) => Some(until.duration_since(SystemTime::now()).unwrap_or_default()),
        RetryWhen::Soon => waits.next(),
        RetryWhen::Never => None,
    }
}

fn warn_of(halt: &Halt, wait: Option<Duration>) {
    let again = match (halt.again, wait) {
        (RetryWhen::At(until), _) => format!("trying again at {}", rfc3339(until)),
        (_, Some(wait)) => format!("trying again in {} s", wait.as_secs()),
        (_, None) => "trying again at the next start".to_owned(),
    };
    warn!(error = halt.why, "commands at Discord are not up to date; those that it has keep working; {again}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_in_ten_minutes_is_granted() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for (last, now, free) in [(None, 5, 5), (Some(0), 0, 600), (Some(0), 599, 600), (Some(0), 4_000, 4_000)] {
            assert_eq!(free_at(last.map(at), at(now)), at(free), "{last:?} {now}");
        }
    }

    #[test]
    fn each_shards_servers_are_added_to_those_of_the_others() {
        let reconciler = Reconciler::default();
        for guilds in [[3, 1], [2, 3]] {
            reconciler.guilds(guilds.map(GuildId).to_vec());
        }
        assert_eq!(reconciler.known_guilds(), [1, 2, 3].map(GuildId));
    }

    #[test]
    fn how_a_comparison_ended_is_named() {
        let halt = |again| Some(Halt { why: String::new(), again });
        let report = || Some(SyncReport { outcomes: Vec::new(), halt: None, standing: Vec::new() });
        for (report, halt, name) in [
            (report(), None, "in-place"),
            (report(), halt(RetryWhen::At(SystemTime::UNIX_EPOCH)), "held"),
            (report(), halt(RetryWhen::Soon), "failed"),
            (None, halt(RetryWhen::Never), "failed"),
        ] {
            let name_is = Compared { report, halt }.state().name();
            assert_eq!(name_is, name);
            assert!(SyncStatus::NAMES.contains(&name_is));
        }
        assert_eq!(Reconciler::default().state().name(), "not-yet");
    }

    #[tokio::test]
    async fn several_requests_at_once_are_one_and_the_next_one_waits() {
        let reconciler = Reconciler::default();
        let mut requests = Requests::default();
        (0..3).for_each(|_| reconciler.request());
        requests.granted(&reconciler.asked).await;
        let rest = timeout(Duration::ZERO, reconciler.asked.notified()).await;
        assert!(rest.is_err(), "all three were answered");
        reconciler.request();
        let next = timeout(Duration::ZERO, requests.granted(&reconciler.asked)).await;
        assert!(next.is_err(), "not within ten minutes");
    }
}
