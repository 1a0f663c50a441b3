//! One way for every surface: route, then run, chat or refuse.
//!
//! Edges make an [`Inbound`] and render the [`Answer`]. What lies between is here, once: the console and
//! Discord cannot differ in what runs, what is refused and what reaches the model.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

use crate::agent::Surface;
use crate::chat::Chat;
use crate::contract::limits::SUGGESTIONS_MAX;
use crate::contract::{CommandPath, Suggestion};
use crate::executor::{Clock, Executor};
use crate::guard::{Access, authorize};
use crate::inbound::{Caller, Inbound, Place};
use crate::registry::{Catalog, Registry};
use crate::reply::{Answer, Audience};
use crate::router::{Invocation, Route, classify, excerpt, refusal};

/// Suggestions that come later are no use: Discord gives up after 3 s.
const SUGGESTION_DEADLINE: Duration = Duration::from_secs(2);

/// Answers whatever arrives.
pub struct Dispatcher {
    registry: Arc<Registry>,
    access: Access,
    executor: Arc<Executor>,
    chat: Arc<Chat>,
    clock: Arc<dyn Clock>,
}

impl Dispatcher {
    /// A dispatcher over the commands in force.
    pub fn new(
        registry: Arc<Registry>,
        access: Access,
        executor: Arc<Executor>,
        chat: Arc<Chat>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { registry, access, executor, chat, clock }
    }

    /// The commands in force.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The commands as this caller sees them.
    pub fn catalog(&self, caller: &Caller, place: Place) -> Catalog {
        self.access.catalog(&self.registry, caller, place)
    }

    /// Decides, and logs what was compared: the name as received, the name as looked up, the size of the
    /// registry and the route.
    pub fn route(&self, inbound: &Inbound) -> Route {
        let catalog = self.catalog(inbound.caller(), inbound.place());
        let route = classify(inbound, &catalog);
        let (received, looked_up) = compared(&route);
        info!(
            command.received = received,
            command.looked_up = looked_up,
            registry.size = catalog.size(),
            user.id = inbound.caller().id.0,
            place = inbound.place().key(),
            route = route.name(),
            "routed"
        );
        route
    }

    /// Does what was decided. `None` when there is nothing to say: the inbound is not for the bot, or
    /// another process already answers it.
    pub async fn carry_out(&self, route: Route, inbound: &Inbound, surface: &dyn Surface) -> Option<Answer> {
        match route {
            Route::Command(invocation) => self.run(invocation).await,
            Route::UnknownCommand(_) | Route::Malformed(_) | Route::Unavailable(_) => refusal(&route).map(Answer::host),
            Route::Ignore(_) => None,
            Route::Chat(words) => {
                let (caller, place) = (inbound.caller(), inbound.place());
                if self.access.is_blocked(caller) {
                    return Some(Answer::host("You may not use this bot. Its operator decides that."));
                }
                self.chat.answer(&words, inbound, &self.catalog(caller, place), surface).await
            }
        }
    }

    /// The chat, for what belongs to its replies: the Fix button, and which messages show a turn.
    pub fn chat(&self) -> &Arc<Chat> {
        &self.chat
    }

    /// Nothing on this way can see the model.
    async fn run(&self, invocation: Invocation) -> Option<Answer> {
        let (path, user) = (invocation.path.clone(), invocation.caller.id);
        match authorize(invocation, &self.registry, &self.access) {
            Ok(permit) => self.executor.run(permit).await,
            Err(denied) => {
                info!(command.name = %path, user.id = user.0, rule = denied.name(), "denied");
                Some(Answer::host(denied.text(&path)))
            }
        }
    }

    /// Who may see the answer of a command, before there is one: what a deferred answer must know.
    pub fn audience(&self, path: &CommandPath) -> Audience {
        match self.registry.command(path.command()) {
            Some(command) if !command.ephemeral => Audience::Place,
            _ => Audience::Asker,
        }
    }

    /// Suggestions for an option while a person types. Those who may not run a command get none.
    pub async fn suggest(
        &self,
        caller: &Caller,
        place: Place,
        path: &CommandPath,
        option: &str,
        typed: &str,
    ) -> Vec<Suggestion> {
        let Some((command, leaf)) = self.registry.find(path) else { return Vec::new() };
        let Some(completer) = leaf.option(option).and_then(|option| option.completer.clone()) else {
            return Vec::new();
        };
        if let Err(denied) = self.access.allows(command, caller, place) {
            info!(command.name = %path, user.id = caller.id.0, rule = denied.name(), "no suggestions");
            return Vec::new();
        }
        let call = self.executor.call(caller, place, &command.owner, self.clock.now());
        // A task of its own, so that a completer's panic stays its own. Dropped, it ends.
        let running = AbortOnDropHandle::new(tokio::spawn(completer.suggest(typed.to_owned(), call)));
        match timeout(SUGGESTION_DEADLINE, running).await {
            Ok(Ok(mut suggestions)) => {
                suggestions.truncate(SUGGESTIONS_MAX);
                suggestions
            }
            Ok(Err(_)) | Err(_) => {
                warn!(command.name = %path, option.name = option, "no suggestions: the completer crashed or took too long");
                Vec::new()
            }
        }
    }
}

/// The name as received and the name as looked up, safe for the log. Words of chat are never logged.
fn compared(route: &Route) -> (String, String) {
    match route {
        Route::Command(invocation) => (invocation.path.to_string(), invocation.path.command().to_owned()),
        // Slash text without a name is words of a person: of these, only the slash.
        Route::UnknownCommand(unknown) if unknown.looked_up.is_empty() => ("/".to_owned(), String::new()),
        Route::UnknownCommand(unknown) => (excerpt(&unknown.received), excerpt(&unknown.looked_up)),
        Route::Malformed(malformed) => (malformed.path.to_string(), malformed.path.command().to_owned()),
        Route::Unavailable(unavailable) => (format!("/{}", unavailable.name), unavailable.name.clone()),
        Route::Chat(_) | Route::Ignore(_) => (String::new(), String::new()),
    }
}
