//! Suggestions for an option while a person types.

use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

use crate::dispatch::dispatcher::Dispatcher;
use candor_core::contract::limits::SUGGESTIONS_MAX;
use candor_core::contract::{Suggestion, fits};
use candor_core::inbound::{Asking, CommandPath};

/// The timeout of suggestions: Discord gives up after 3 s.
const SUGGESTION_DEADLINE: Duration = Duration::from_secs(2);

impl Dispatcher {
    /// Returns suggestions for an option while a person types. Callers who may not run the command get none.
    pub async fn suggest(&self, asking: &Asking<'_>, path: &CommandPath, option: &str, typed: &str) -> Vec<Suggestion> {
        let registry = self.executor.registry.now();
        let Some((command, leaf)) = registry.find(path) else { return Vec::new() };
        let Some(option) = leaf.option(option) else { return Vec::new() };
        let completer = registry.completer(&command.owner, leaf, &option.name).cloned();
        let Some(completer) = completer else { return Vec::new() };
        let rules = self.chat.rules(asking.place).await;
        if let Err(denied) = self.chat.access.here(&rules).allows(command, path, asking) {
            info!(command.name = %path, user.id = %asking.caller.id.0, rule = denied.name(), "no suggestions");
            return Vec::new();
        }
        let call = self.executor.call(asking, &command.owner, &rules, self.executor.clock.now());
        // In a separate task, so that a completer's panic is contained. Dropping the handle aborts it.
        let running = AbortOnDropHandle::new(tokio::spawn(completer(typed.to_owned(), call)));
        match timeout(SUGGESTION_DEADLINE, running).await {
            Ok(Ok(mut suggestions)) => {
                // Drops values of another type: Discord rejects the whole list, and the value would be refused once
                // chosen.
                suggestions.retain(|suggestion| fits(&option.kind, &suggestion.value).is_ok());
                suggestions.truncate(SUGGESTIONS_MAX);
                suggestions
            }
            Ok(Err(_)) | Err(_) => {
                warn!(command.name = %path, option.name = option.name, "no suggestions: the completer crashed or took too long");
                Vec::new()
            }
        }
    }
}
