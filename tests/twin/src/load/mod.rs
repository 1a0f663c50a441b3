//! Load: sends many interactions and measures how long each waits for its answer, and what they cost the bot.

pub(crate) mod latency;
pub(crate) mod meter;
mod process;
pub(crate) mod report;

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::timeout;

use crate::interaction::{Interaction, Sent};
use crate::load::latency::Latency;
use crate::load::meter::{Measured, Meter};
use crate::load::process::Usage;
use crate::load::report::{Cost, LoadReport};
use crate::payload::GUILD_ID;
use crate::record::Recorded;
use crate::twin::Twin;

/// Interactions that go the twin's usual way before the others, so that each answer is held to Discord's rules.
const CHECKED: usize = 20;
/// Stand in the text of the event for the interaction's id, and for its caller.
const ANY_ID: u64 = 999_999_999_999_999_999;
const ANY_USER: u64 = 888_888_888_888_888_888;
/// Callers count from here.
const FIRST_USER: u64 = 700_000_000_000_000_000;
/// A thread sleeps this much too long at times. The rest of the way to a due moment is spent awake.
const AWAKE: Duration = Duration::from_micros(100);

/// What to send, and how. Set the fields that matter and take the rest from [`Load::of`].
#[derive(Clone, Debug)]
pub struct Load {
    /// The interaction that is sent again and again. Its caller is replaced.
    pub interaction: Interaction,
    /// How interactions follow each other.
    pub pace: Pace,
    /// How many are measured.
    pub count: usize,
    /// How many are sent before, in the same way, and not measured.
    pub warm_up: usize,
    /// Ends the load before that, once this file is there.
    pub until: Option<PathBuf>,
    /// How many users take turns as callers.
    pub users: u64,
    /// For how long nothing may be answered before the load is given up.
    pub patience: Duration,
    /// The bot's process. Without it, only times are measured.
    pub pid: Option<u32>,
}

/// How interactions follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Closed loop: this many are in flight, and each final answer is followed by the next interaction.
    InFlight(usize),
    /// Open loop: this many a second, whether the ones before are answered or not. Latency counts from the moment at
    /// which an interaction was due, so that a bot that holds up the sender gains nothing by it.
    PerSecond(u32),
}

impl Load {
    /// 10,000 of these, one after the other, by 100 users, after a tenth of that to warm up.
    pub fn of(interaction: Interaction) -> Load {
        Load {
            interaction,
            pace: Pace::InFlight(1),
            count: 10_000,
            warm_up: 1_000,
            until: None,
            users: 100,
            patience: Duration::from_secs(10),
            pid: None,
        }
    }
}

/// Why a load was not measured.
#[derive(Debug)]
pub enum LoadError {
    /// One of the first interactions got no answer.
    Unanswered,
    /// A request of the bot broke a rule.
    Refused(Box<Recorded>),
    /// The bot's process could not be observed.
    Process(std::io::Error),
    /// The sender broke off.
    Sender(JoinError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Unanswered => f.write_str("the bot did not answer one of the first interactions"),
            LoadError::Refused(request) => {
                let rule = request.rule.as_deref().unwrap_or("no rule");
                write!(f, "{} {} was refused: {rule}", request.method, request.path)
            }
            LoadError::Process(error) => write!(f, "the bot's process cannot be observed: {error}"),
            LoadError::Sender(error) => write!(f, "the sender broke off: {error}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl Twin {
    /// Sends interactions as `load` says, and measures.
    ///
    /// The first few are treated like any other: their answers are checked and recorded. The others cost the twin as
    /// little as can be: an answer is taken for good once its type is read, and nothing of it is kept.
    pub async fn load(&self, load: &Load) -> Result<LoadReport, LoadError> {
        let usage = || load.pid.map(process::usage).transpose().map_err(LoadError::Process);
        let (idle, own_idle) = (usage()?, process::own_usage().ok());
        self.check_answers(load).await?;
        let event = self.event(&load.interaction);
        self.send_all(load, &event, load.warm_up).await?;
        let n_refused = self.refused().len();
        let (before, own_before) = (usage()?, process::own_usage().ok());
        let began = Instant::now();
        let (n_to_send, measured) = self.send_all(load, &event, load.count).await?;
        let took = measured.last.saturating_duration_since(began);
        let (after, own_after) = (usage()?, process::own_usage().ok());
        let n = measured.finished.len();
        let cost = |idle: Option<Usage>, before: Option<Usage>, after: Option<Usage>| {
            Some(Cost::between(idle?, before?, after?, n))
        };
        Ok(LoadReport {
            pace: load.pace,
            count: n_to_send,
            seconds: took.as_secs_f64(),
            per_second: n as f64 / took.as_secs_f64(),
            answer: Latency::of(measured.answered),
            finish: (measured.n_deferred > 0).then(|| Latency::of(measured.finished)),
            sent_behind: matches!(load.pace, Pace::PerSecond(_)).then(|| Latency::of(measured.behind)),
            n_deferred: measured.n_deferred,
            n_late: measured.n_late,
            n_missing: n_to_send - n,
            n_refused: self.refused().len() - n_refused + measured.n_refused,
            bot: cost(idle, before, after),
            twin: cost(own_idle, own_before, own_after),
        })
    }

    async fn check_answers(&self, load: &Load) -> Result<(), LoadError> {
        let n_refused = self.refused().len();
        for n in 0..CHECKED {
            let sent = self.interact(load.interaction.clone().by(caller(n, load.users)));
            let is_answer = |reply: &Recorded| reply.accepted() && !reply.is_deferral();
            let look = || {
                let refused = self.refused().into_iter().nth(n_refused).map(Box::new);
                (refused.is_some() || self.replies_to(&sent).iter().any(is_answer)).then_some(refused)
            };
            match self.wait_until(load.patience, look).await {
                Some(None) => {}
                Some(Some(refused)) => return Err(LoadError::Refused(refused)),
                None => return Err(LoadError::Unanswered),
            }
        }
        Ok(())
    }

    /// The event of this interaction, with [`ANY_ID`] and [`ANY_USER`].
    fn event(&self, interaction: &Interaction) -> Event {
        let interaction = interaction.clone().by(ANY_USER);
        let named = |command: &&Value| interaction.command().is_some_and(|(_, name)| command["name"] == name);
        let commands = self.commands();
        let command = commands.iter().find(named).and_then(|command| command["id"].as_str().map(str::to_owned));
        let command = command.unwrap_or_else(|| self.state.new_id());
        let sent = Sent { id: ANY_ID, token: meter::token(ANY_ID) };
        let text = interaction.payload(&sent, &command, None).to_string();
        Event { text, guild: (!interaction.is_dm()).then_some(GUILD_ID) }
    }

    /// Sends so many, or fewer if the load ends before. Returns how many it sent, or was to send.
    async fn send_all(&self, load: &Load, event: &Event, count: usize) -> Result<(usize, Measured), LoadError> {
        let meter = Meter::default();
        let finished = meter.finished();
        *self.state.meter() = Some(meter);
        let is_over = |until: &Option<PathBuf>| until.as_ref().is_some_and(|file| file.exists());
        let n_to_send = match load.pace {
            Pace::InFlight(wanted) => {
                let mut n_to_send = count;
                for n in 0..count {
                    if is_over(&load.until) {
                        n_to_send = n;
                        break;
                    }
                    if n >= wanted && !is_one(timeout(load.patience, finished.acquire()).await) {
                        break;
                    }
                    self.send(event, caller(n, load.users), Instant::now());
                }
                n_to_send
            }
            Pace::PerSecond(rate) => {
                let (twin, event, users, until) = (self.clone(), event.clone(), load.users, load.until.clone());
                // On a thread of its own: the runtime's timer counts in milliseconds.
                let sending = spawn_blocking(move || {
                    let start = Instant::now();
                    for n in 0..count {
                        if is_over(&until) {
                            return n;
                        }
                        let due = start + Duration::from_secs_f64(n as f64 / f64::from(rate.max(1)));
                        wait_for(due);
                        twin.send(&event, caller(n, users), due);
                    }
                    count
                });
                sending.await.map_err(LoadError::Sender)?
            }
        };
        while self.state.meter().as_ref().is_some_and(Meter::is_waiting)
            && is_one(timeout(load.patience, finished.acquire()).await)
        {}
        Ok((n_to_send, self.state.meter().take().map(Meter::into_measured).unwrap_or_default()))
    }

    fn send(&self, event: &Event, user: u64, due: Instant) {
        let id = self.state.ids.next();
        let text =
            event.text.replace(&ANY_ID.to_string(), &id.to_string()).replace(&ANY_USER.to_string(), &user.to_string());
        if let Some(meter) = self.state.meter().as_mut() {
            meter.sent(id, due);
        }
        self.state.hub().dispatch_text("INTERACTION_CREATE", event.guild, &text);
    }
}

/// The text of an event in which the id and the caller are still to be put.
#[derive(Clone)]
struct Event {
    text: String,
    guild: Option<u64>,
}

/// Takes a permit that stands for one interaction that is finished. False if there was none in time.
fn is_one<E, F>(acquired: Result<Result<tokio::sync::SemaphorePermit<'_>, E>, F>) -> bool {
    acquired.ok().and_then(Result::ok).map(tokio::sync::SemaphorePermit::forget).is_some()
}

fn caller(n: usize, users: u64) -> u64 {
    FIRST_USER + n as u64 % users.max(1)
}

fn wait_for(due: Instant) {
    std::thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(AWAKE));
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}
