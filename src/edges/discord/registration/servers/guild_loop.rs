//! Keeps the sets of all guilds in place for as long as the bot runs.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

use crate::edges::discord::registration::apply::rfc3339;
use crate::edges::discord::registration::progress::Progress;
use crate::edges::discord::registration::registrar::GuildEnd;
use crate::edges::discord::registration::servers::queue::{Look, Queue};
use crate::edges::discord::registration::{Halt, Reconciler, Registrar, RetryWhen, SyncReport};
use crate::host::{Guilds, InForce};
use candor_core::guild::{Behind, SwitchedOff};
use candor_core::inbound::GuildId;
use candor_core::registration::{Key, SyncAction};
use candor_core::registry::Registry;

const AT_ONCE: usize = 4;

/// Changes of switches within this time lead to one comparison.
const GATHER: Duration = Duration::from_secs(2);

const LIST_AGAIN: Duration = Duration::from_secs(10);

pub(crate) struct GuildLoop {
    pub(crate) registrar: Registrar,
    pub(crate) guilds: Arc<Guilds>,
    pub(crate) reconciler: Arc<Reconciler>,
    pub(crate) in_force: Arc<InForce>,
    pub(crate) progress: watch::Sender<Progress>,
}

#[derive(Default)]
struct Known {
    members: BTreeSet<GuildId>,
    queue: Queue,
    /// The switched-off commands when this process last found or registered a guild's set.
    settled: HashMap<GuildId, SwitchedOff>,
    missing: HashMap<GuildId, Vec<Key>>,
}

impl GuildLoop {
    /// Registers the set of each guild and follows changes. Failures are logged, and shown on the page of `/settings`.
    pub(crate) async fn run(mut self) {
        self.guilds.pickers().for_each_guild();
        let mut known = Known { members: self.list().await, ..Known::default() };
        let mut changes = self.in_force.changes();
        loop {
            changes.mark_unchanged();
            let registry = self.in_force.now();
            self.registrar.want(&registry);
            known.missing.clear();
            known.queue.all(known.members.iter().copied());
            self.follow(&registry, &mut known, &mut changes).await;
        }
    }

    async fn list(&self) -> BTreeSet<GuildId> {
        loop {
            match self.registrar.guilds().await {
                Ok(guilds) => return guilds,
                Err(halt) => {
                    let wait = match halt.again {
                        RetryWhen::At(until) => until.duration_since(SystemTime::now()).unwrap_or_default(),
                        RetryWhen::Soon | RetryWhen::Never => LIST_AGAIN,
                    };
                    warn!(
                        error = halt.why,
                        wait_s = wait.as_secs(),
                        "the servers of the bot cannot be listed; trying again"
                    );
                    sleep(wait).await;
                }
            }
        }
    }

    /// Compares the queued guilds, until another registry comes into force.
    async fn follow(&self, registry: &Arc<Registry>, known: &mut Known, changes: &mut watch::Receiver<u64>) {
        let pickers = self.guilds.pickers();
        let mut running = FuturesUnordered::new();
        let mut gathered: Option<Instant> = None;
        let mut is_told = false;
        loop {
            while running.len() < AT_ONCE
                && let Some((guild, look)) = known.queue.take()
            {
                let before = known.settled.get(&guild).cloned();
                running.push(self.compare(guild, look, before));
            }
            if known.queue.is_done() {
                self.tell(registry, known, &mut is_told);
            }
            tokio::select! {
                Some((guild, ended)) = running.next() => self.ended(guild, ended, known),
                Ok(()) = changes.changed() => {
                    while let Some((guild, ended)) = running.next().await {
                        self.ended(guild, ended, known);
                    }
                    return;
                }
                () = pickers.changed() => gathered = gathered.or(Some(Instant::now() + GATHER)),
                () = until(gathered) => {
                    gathered = None;
                    for guild in pickers.take() {
                        match known.members.contains(&guild) {
                            true => known.queue.next(guild, Look::Trust),
                            // A person who installed the bot for themselves brings it here; the guild has no set.
                            false => pickers.forget(guild),
                        }
                    }
                }
                () = until(known.queue.next_due()) => known.queue.due(),
                () = self.reconciler.guilds_changed() => self.guilds_changed(known).await,
            }
        }
    }

    /// Compares one guild. Its switched-off commands are read now.
    async fn compare(&self, guild: GuildId, look: Look, before: Option<SwitchedOff>) -> (GuildId, Ended) {
        let off = match self.guilds.switched_off(guild).await {
            Ok(off) => off,
            Err(problem) => {
                let why = format!("what is switched off there cannot be read: {problem}");
                return (guild, Err(Halt { why, again: RetryWhen::Soon }));
            }
        };
        let ended = self.registrar.sync_guild(guild, &off, before.as_ref(), look == Look::Trust).await;
        (guild, ended.map(|ended| (off, ended)))
    }

    fn ended(&self, guild: GuildId, ended: Ended, known: &mut Known) {
        known.queue.done(guild, ended.is_ok());
        if !known.members.contains(&guild) {
            // The bot left it meanwhile.
            return;
        }
        let behind = match ended {
            Ok((off, GuildEnd::InPlace(report))) => {
                report.as_ref().inspect(|report| log(guild, report));
                known.missing.remove(&guild);
                known.settled.insert(guild, off);
                None
            }
            Ok((_, GuildEnd::Partly(report))) => {
                log(guild, &report);
                known.missing.insert(guild, report.not_in_place().into_iter().cloned().collect());
                Some(Behind::Refused)
            }
            Ok((_, GuildEnd::NoAccess)) => {
                warn!(guild.id = %guild, "the bot may not make commands in this server; whoever manages it can add the bot again");
                Some(Behind::NotAllowed)
            }
            Ok((_, GuildEnd::Another)) => {
                warn!(guild.id = %guild, "another process registered another set of commands in this server, which stays");
                Some(Behind::Another)
            }
            Err(Halt { why, again }) => {
                warn!(guild.id = %guild, error = why, again = %shown(again), "the commands of a server at Discord are not up to date");
                match again {
                    RetryWhen::At(at) => {
                        let wait = at.duration_since(SystemTime::now()).unwrap_or_default();
                        known.queue.again(guild, Some(Instant::now() + wait.max(Duration::from_secs(1))));
                        Some(Behind::Until(at))
                    }
                    RetryWhen::Soon => {
                        known.queue.again(guild, None);
                        Some(Behind::NoAnswer)
                    }
                    RetryWhen::Never => Some(Behind::NotAllowed),
                }
            }
        };
        self.guilds.pickers().stands(guild, behind);
    }

    fn tell(&self, registry: &Arc<Registry>, known: &Known, is_told: &mut bool) {
        let missing: BTreeSet<_> = known.missing.values().flatten().cloned().collect();
        if !*is_told {
            let behind = self.guilds.pickers().n_behind().unwrap_or_default();
            info!(servers = known.members.len(), behind, "commands of the servers at Discord");
            *is_told = true;
        }
        self.progress.send_if_modified(|progress| {
            let is_same = progress.registry.as_ref().is_some_and(|done| Arc::ptr_eq(done, registry));
            if is_same && progress.missing == missing {
                return false;
            }
            *progress = Progress { registry: Some(registry.clone()), missing };
            true
        });
    }

    /// Handles guilds that the bot joined or left, and guilds where a removed command was used.
    async fn guilds_changed(&self, known: &mut Known) {
        let changed = self.reconciler.take_changed();
        for guild in changed.left {
            info!(guild.id = %guild, "the bot left a server");
            known.members.remove(&guild);
            known.queue.forget(guild);
            known.settled.remove(&guild);
            known.missing.remove(&guild);
            self.guilds.pickers().forget(guild);
            self.registrar.forget(guild).await;
        }
        for guild in changed.seen {
            // The stored state is from before the bot joined.
            if known.members.insert(guild) {
                known.queue.next(guild, Look::Read);
            }
        }
        for guild in changed.suspect.into_iter().filter(|guild| known.members.contains(guild)) {
            known.queue.next(guild, Look::Read);
        }
    }
}

type Ended = Result<(SwitchedOff, GuildEnd), Halt>;

fn log(guild: GuildId, report: &SyncReport) {
    let done = |is_of: fn(&SyncAction) -> bool| {
        report.outcomes.iter().filter(|it| it.result.is_in_place() && is_of(&it.step.action)).count()
    };
    info!(
        guild.id = %guild,
        created = done(|action| matches!(action, SyncAction::Create { .. })),
        updated = done(|action| matches!(action, SyncAction::Update { .. })),
        removed = done(|action| matches!(action, SyncAction::Remove { .. })),
        unchanged = done(|action| matches!(action, SyncAction::Unchanged { .. })),
        rejected = report.not_in_place().len(),
        "commands of a server at Discord"
    );
}

fn shown(again: RetryWhen) -> String {
    match again {
        RetryWhen::At(at) => rfc3339(at),
        RetryWhen::Soon => "soon".to_owned(),
        RetryWhen::Never => "at the next start".to_owned(),
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
