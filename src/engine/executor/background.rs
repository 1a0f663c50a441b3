//! Gathers what modules contribute to the chat model's prompt about a person.

use std::time::Duration;

use tokio::task::JoinError;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::executor::run::why_broken;
use crate::executor::runner::Executor;
use candor_core::agent::prompt::Background;
use candor_core::contract::CommandError;
use candor_core::guild::Rules;
use candor_core::inbound::{Asking, CallMethod, Caller, Place};
use candor_core::text::with_causes;

/// The longest that a chat turn waits for the modules' entries.
const BACKGROUND_DEADLINE: Duration = Duration::from_secs(2);

const BACKGROUND_ENTRIES_MAX: usize = 50;

impl Executor {
    /// Returns the modules' entries about this caller, by module. They are data for the chat model.
    ///
    /// Each module runs in a separate task, all at once. One that fails or is too slow contributes nothing.
    pub async fn background(&self, caller: &Caller, place: Place, rules: &Rules) -> Vec<Background> {
        let now = self.clock.now();
        let until = Instant::now() + self.deadline.min(BACKGROUND_DEADLINE);
        let asking = Asking { caller, place, method: CallMethod::Typed };
        let registry = self.registry.now();
        let asked = registry.modules().iter().filter_map(|(owner, facts)| {
            let telling = facts.code.background()?.tell(self.call(&asking, owner, rules, now));
            Some((owner, facts, AbortOnDropHandle::new(tokio::spawn(telling))))
        });
        // Starts every task before awaiting the first.
        let asked: Vec<_> = asked.collect();
        let mut background = Vec::new();
        for (owner, facts, telling) in asked {
            match entries(timeout_at(until, telling).await) {
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => background.push(Background { title: facts.summary.clone(), entries }),
                Err(why) => warn!(module = %owner, error = why, "this module told the chat model nothing"),
            }
        }
        background
    }
}

/// Returns a module's entries about a person, or the reason for the log why it contributes nothing.
fn entries(
    ended: Result<Result<Result<Vec<String>, CommandError>, JoinError>, Elapsed>,
) -> Result<Vec<String>, String> {
    match ended {
        Ok(Ok(Ok(entries))) => Ok(entries.into_iter().take(BACKGROUND_ENTRIES_MAX).collect()),
        // The text of a refusal is for a person, who does not read it here.
        Ok(Ok(Err(CommandError::Tell(_)))) => Err("it refused".to_owned()),
        Ok(Ok(Err(CommandError::Internal(problem)))) => Err(with_causes(&*problem)),
        Ok(Ok(Err(CommandError::NotYet(_)))) => Err("it put the turn off".to_owned()),
        Ok(Err(broken)) => Err(why_broken(broken)),
        Err(_) => Err("no answer in time".to_owned()),
    }
}
