//! Ends the process when the connection cannot recover: a thread outside the runtime.
//!
//! After some close codes (4003, 4010, 4011) serenity's shard loop spins without ever yielding. It then blocks the
//! runtime's timers, so that nothing inside the runtime can notice. After others (4012) it reconnects for ever. It
//! reports each only in its log, so the log is watched.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tokio::time::interval;

use crate::edges::discord::gateway::logins::Happened;
use crate::edges::discord::rest::{DiscordError, INVALID_SHARD, OLD_VERSION, TOO_FEW_SHARDS};

/// How often the runtime sends a heartbeat.
const BEAT: Duration = Duration::from_secs(1);
/// How many logins wait to be counted. They come one in 5 s.
const LOGINS_WAITING_MAX: usize = 64;
/// How long the runtime may send none.
const SILENCE_MAX: Duration = Duration::from_secs(15);

/// The part of the log in which serenity's shards report their logins and why Discord closed a connection.
pub const GATEWAY_LOG: &str = "serenity::gateway";

/// What was heard in the log, for [`Edge`](crate::edges::discord::gateway::Edge).
#[derive(Debug)]
pub struct Heard {
    /// Fatal close codes.
    pub(crate) refusals: Receiver<DiscordError>,
    /// Logins.
    pub(crate) logins: tokio::sync::mpsc::Receiver<Happened>,
    /// For what is not heard in the log.
    pub(crate) happened: tokio::sync::mpsc::Sender<Happened>,
}

/// The function to call with every message of [`GATEWAY_LOG`], and where it reports what it hears.
pub fn listen() -> (impl Fn(&str) + Send + Sync + 'static, Heard) {
    let (sender, refusals) = mpsc::channel();
    let (happened, logins) = tokio::sync::mpsc::channel(LOGINS_WAITING_MAX);
    let login = happened.clone();
    let hear = move |message: &str| {
        if let Some(problem) = refusal(message) {
            // Nobody listens before the edge serves and after it has ended.
            let _unheard = sender.send(problem);
        } else if is_login(message) {
            let _unheard = login.try_send(Happened::Identified);
        }
    };
    (hear, Heard { refusals, logins, happened })
}

/// Whether serenity 0.12.5 says that a shard logs in. It begins with the shard in brackets.
fn is_login(message: &str) -> bool {
    message.starts_with('[') && message.split_once("] ").is_some_and(|(_, said)| said == "Identifying")
}

/// What a log message of serenity 0.12.5 means, if it is fatal. It begins with the shard in brackets.
fn refusal(message: &str) -> Option<DiscordError> {
    let (_, reason) = message.split_once("] ")?;
    match reason {
        "Sent no authentication." => Some(DiscordError::Ended("Discord lost the session (close code 4003)".to_owned())),
        "Sent invalid shard data." => Some(DiscordError::Refused(INVALID_SHARD)),
        "Shard has too many guilds." => Some(DiscordError::Refused(TOO_FEW_SHARDS)),
        other => other.starts_with("Unknown unclean close 4012:").then_some(DiscordError::Refused(OLD_VERSION)),
    }
}

/// Starts the thread, and the task that it monitors. `end` is called once, when the connection is refused for good or
/// the runtime is stuck.
pub(crate) fn start(refusals: Receiver<DiscordError>, end: impl FnOnce(&DiscordError) + Send + 'static) {
    let beats = Arc::new(AtomicU64::new(0));
    let listened = Arc::clone(&beats);
    tokio::spawn(async move {
        let mut every = interval(BEAT);
        loop {
            every.tick().await;
            beats.fetch_add(1, Ordering::Relaxed);
        }
    });
    thread::spawn(move || {
        let mut last = 0;
        loop {
            match refusals.recv_timeout(SILENCE_MAX) {
                Ok(problem) => return end(&problem),
                Err(RecvTimeoutError::Timeout) => {}
                // Nobody listens to the log: it was started by another bot of this process (a test).
                Err(RecvTimeoutError::Disconnected) => thread::sleep(SILENCE_MAX),
            }
            let heard = listened.load(Ordering::Relaxed);
            // The task ends with the runtime: then there is nothing left to monitor.
            if Arc::strong_count(&listened) == 1 {
                return;
            }
            if heard == last {
                return end(&DiscordError::Stuck);
            }
            last = heard;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{is_login, refusal};

    #[test]
    fn a_login_is_heard_in_the_words_of_a_shard_alone() {
        assert!(is_login("[ShardInfo { id: ShardId(0), total: 1 }] Identifying"));
        for other in
            ["Identifying", "[ShardInfo] Sending resume; seq: 3", "Failing text: [x] Identifying", "[x] Identifying."]
        {
            assert!(!is_login(other), "{other}");
        }
    }

    #[test]
    fn only_the_last_word_of_a_shard_is_one() {
        let cases = [
            ("[ShardInfo { id: ShardId(0), total: 1 }] Sent no authentication.", Some(69)),
            ("[[0, 1]] Sent invalid shard data.", Some(78)),
            ("[[0, 1]] Shard has too many guilds.", Some(78)),
            ("[[0, 1]] Unknown unclean close 4012: Some(\"\")", Some(78)),
            ("[[0, 1]] Unknown unclean close 4000: Some(\"] Shard has too many guilds.\")", None),
            ("[[0, 1]] Gateway ratelimited.", None),
            ("Shard has too many guilds.", None),
        ];
        for (message, code) in cases {
            assert_eq!(refusal(message).map(|problem| problem.exit_code()), code, "{message}");
        }
    }
}
