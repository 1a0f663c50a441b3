//! One way for every surface: route, then run, chat or refuse.
//!
//! Edges make an [`Inbound`] and render the [`Answer`]. What lies between is here, once: the console and
//! Discord cannot differ in what runs, what is refused and what reaches the model.

mod secrets;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;
use tracing::{info, warn};

use crate::agent::Surface;
use crate::chart::Painter;
use crate::chat::Chat;
use crate::contract::limits::SUGGESTIONS_MAX;
use crate::contract::{CommandPath, CommandSurface, Suggestion, fits};
use crate::counters::{Counters, Denial};
use crate::executor::{Clock, Executor};
use crate::guard::{Access, Asking, Denied, Permit, authorize, authorize_refresh};
use crate::inbound::{Asked, Caller, Inbound, Place, UserId};
use crate::language::{Language, say};
use crate::registry::{Catalog, Registry};
use crate::reply::{Answer, Audience, Provenance};
use crate::router::{FormRequest, Invocation, Malformed, Route, Unknown, UnknownKind, classify, excerpt, refusal};

pub use secrets::{KEY_LENGTH, Secrets, SigningKey};

/// Suggestions that come later are no use: Discord gives up after 3 s.
const SUGGESTION_DEADLINE: Duration = Duration::from_secs(2);

/// What came of one more run of a command.
#[derive(Debug)]
pub enum Refresh {
    /// It ran.
    Ran(Box<Answer>),
    /// It may not run any more, or is none any more.
    Denied(Box<Answer>),
    /// It did not run this time: another process has it, or the store fails. The next time may do.
    NotNow,
}

/// Answers whatever arrives.
pub struct Dispatcher {
    registry: Arc<Registry>,
    access: Access,
    executor: Arc<Executor>,
    chat: Arc<Chat>,
    clock: Arc<dyn Clock>,
    counters: Arc<Counters>,
    painter: Option<Arc<dyn Painter>>,
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
        Self { registry, access, executor, chat, clock, counters: Arc::default(), painter: None }
    }

    /// Counts here, and not for itself.
    #[must_use]
    pub fn with_counters(self, counters: Arc<Counters>) -> Self {
        Self { counters, ..self }
    }

    /// The same with somebody who draws the charts of answers. Without, an answer is its text alone.
    #[must_use]
    pub fn with_painter(mut self, painter: Arc<dyn Painter>) -> Self {
        self.painter = Some(painter);
        self
    }

    /// Whether this caller is an operator here.
    pub fn is_operator(&self, caller: &Caller, place: Place) -> bool {
        self.access.is_operator(caller, place)
    }

    /// The commands in force.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Who may do what.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The commands as this caller sees them in a conversation.
    pub fn catalog(&self, caller: &Caller, place: Place) -> Catalog {
        self.access.catalog(&self.registry, &Asking { caller, place, asked: Asked::Typed })
    }

    /// Decides, and logs what was compared: the name as received, the name as looked up, the size of the
    /// registry and the route.
    pub fn route(&self, inbound: &Inbound) -> Route {
        let catalog = self.access.catalog(&self.registry, &asking(inbound));
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
            Route::Malformed(malformed) => self.malformed(malformed, inbound),
            Route::UnknownCommand(Unknown { kind: UnknownKind::Stale { .. }, .. }) => {
                let answer = self.denies_stale(inbound);
                answer.or_else(|| refusal(&route, inbound.caller().language).map(Answer::host))
            }
            Route::UnknownCommand(_) | Route::Unavailable(_) => {
                refusal(&route, inbound.caller().language).map(Answer::host)
            }
            // Surfaces that know forms open it instead.
            Route::Form(request) => {
                let language = inbound.caller().language;
                Some(self.denies_form(&request, inbound).unwrap_or_else(|| not_here(&request, language)))
            }
            Route::Ignore(_) => None,
            Route::Chat(words) => {
                let (caller, place) = (inbound.caller(), inbound.place());
                if self.access.is_blocked(caller) {
                    self.counters.denied(Denial::Blocked);
                    return Some(Answer::host(say!(caller.language, "chat-blocked")));
                }
                self.chat.answer(&words, inbound, &self.catalog(caller, place), surface).await
            }
        }
    }

    /// Keeps an answer that could not be shown, for `/receipt`. Says whether it is kept.
    pub async fn keep(&self, answer: &Answer) -> bool {
        self.executor.keep(answer).await
    }

    /// Why a form may not be opened for this caller, if it may not. The guard is asked, and asked again when the form is
    /// sent in: no permit is spent.
    pub fn denies_form(&self, request: &FormRequest, inbound: &Inbound) -> Option<Answer> {
        let allowed = match self.registry.find(&request.path) {
            Some((command, _)) => self.access.allows(command, &request.path, &asking(inbound)),
            None => Err(Denied::Gone),
        };
        let caller = inbound.caller();
        Some(self.denied(allowed.err()?, &request.path, caller.id, caller.language))
    }

    /// The chat, for what belongs to its replies: the Fix button, and which messages show a turn.
    pub fn chat(&self) -> &Arc<Chat> {
        &self.chat
    }

    /// Nothing on this way can see the model.
    async fn run(&self, invocation: Invocation) -> Option<Answer> {
        self.run_as(invocation, authorize).await.unwrap_or_else(|denied| Some(*denied))
    }

    /// Runs a command once more, to keep an answer to this inbound up to date: the same way, with a receipt that says so.
    pub async fn refresh(&self, inbound: &Inbound) -> Refresh {
        let ran = match self.route(inbound) {
            Route::Command(invocation) => self.run_as(invocation, authorize_refresh).await,
            route => match refusal(&route, inbound.caller().language) {
                Some(text) => Err(Box::new(Answer::host(text))),
                None => Ok(None),
            },
        };
        match ran {
            Ok(Some(answer)) if matches!(answer.provenance, Provenance::Command(_)) => Refresh::Ran(Box::new(answer)),
            Ok(_) => Refresh::NotNow,
            Err(denied) => Refresh::Denied(denied),
        }
    }

    /// The answer of a run, of the host if it did not come to one; nothing if another process answers. A denial is an
    /// error.
    async fn run_as(
        &self,
        invocation: Invocation,
        authorize: impl FnOnce(Invocation, &Registry, &Access) -> Result<Permit, Denied>,
    ) -> Result<Option<Answer>, Box<Answer>> {
        let (path, user) = (invocation.path.clone(), invocation.caller.id);
        let (place, language) = (invocation.place, invocation.caller.language);
        let permit = authorize(invocation, &self.registry, &self.access)
            .map_err(|denied| Box::new(self.denied(denied, &path, user, language)))?;
        match self.executor.run(permit).await {
            Some(answer) => Ok(Some(self.drawn(answer, place, language).await)),
            None => Ok(None),
        }
    }

    /// The answer with its chart drawn, where pictures are seen. What cannot be drawn is left to the text, with a line
    /// that says so.
    async fn drawn(&self, mut answer: Answer, place: Place, language: Language) -> Answer {
        let (Some(painter), Some(chart)) = (&self.painter, &mut answer.reply.chart) else { return answer };
        if place == Place::Console {
            return answer;
        }
        match painter.paint(chart).await {
            Ok(png) => chart.png = Some(png),
            Err(problem) => {
                warn!(error = problem, "a chart was not drawn");
                answer.reply.add_line(&say!(language, "picture-not-drawn"));
            }
        }
        answer
    }

    /// How a command is written is for those who may run it.
    fn malformed(&self, malformed: Malformed, inbound: &Inbound) -> Option<Answer> {
        let (path, caller) = (&malformed.path, inbound.caller());
        let command = self.registry.command(path.command());
        match command.map(|command| self.access.allows(command, path, &asking(inbound))) {
            Some(Err(denied)) => Some(self.denied(denied, path, caller.id, caller.language)),
            Some(Ok(())) | None => refusal(&Route::Malformed(malformed), caller.language).map(Answer::host),
        }
    }

    /// What options a command takes is for those who may run it, also where the interaction has an earlier form of it.
    fn denies_stale(&self, inbound: &Inbound) -> Option<Answer> {
        let Inbound::Interaction(interaction) = inbound else { return None };
        let names: Vec<_> = interaction.path.iter().map(String::as_str).collect();
        let path = CommandPath::at(interaction.surface, &names);
        let command = match interaction.surface {
            CommandSurface::Slash => self.registry.command(path.command()),
            menu @ (CommandSurface::UserMenu | CommandSurface::MessageMenu) => self.registry.menu(menu, path.command()),
        };
        let denied = self.access.allows(command?, &path, &asking(inbound)).err()?;
        Some(self.denied(denied, &path, interaction.caller.id, interaction.caller.language))
    }

    fn denied(&self, denied: Denied, path: &CommandPath, user: UserId, language: Language) -> Answer {
        info!(command.name = %path, user.id = user.0, rule = denied.name(), "denied");
        self.counters.denied(denied.rule());
        Answer::host(denied.text(path, language))
    }

    /// Who may see the answer of a command, before there is one: what a deferred answer must know.
    pub fn audience(&self, path: &CommandPath) -> Audience {
        match self.registry.find(path) {
            Some((command, _)) if !command.ephemeral => Audience::Place,
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
        let Some(option) = leaf.option(option) else { return Vec::new() };
        let Some(completer) = option.completer.clone() else { return Vec::new() };
        let asked = Asked::Picked;
        if let Err(denied) = self.access.allows(command, path, &Asking { caller, place, asked }) {
            info!(command.name = %path, user.id = caller.id.0, rule = denied.name(), "no suggestions");
            return Vec::new();
        }
        let call = self.executor.call(&Asking { caller, place, asked }, &command.owner, self.clock.now());
        // A task of its own, so that a completer's panic stays its own. Dropped, it ends.
        let running = AbortOnDropHandle::new(tokio::spawn(completer.suggest(typed.to_owned(), call)));
        match timeout(SUGGESTION_DEADLINE, running).await {
            Ok(Ok(mut suggestions)) => {
                // What would be refused once it is chosen is no help, and Discord takes no list with a value of
                // another type.
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

/// What is said where a form would be opened and there are none.
fn not_here(request: &FormRequest, language: Language) -> Answer {
    let missing: Vec<_> = request.missing.iter().map(|name| format!("`{name}`")).collect();
    Answer::host(say!(language, "form-not-here", command = request.path.to_string(), options = missing.join(", ")))
}

/// Who sent an inbound, where and how.
fn asking(inbound: &Inbound) -> Asking<'_> {
    Asking { caller: inbound.caller(), place: inbound.place(), asked: inbound.asked() }
}

/// The name as received and the name as looked up, safe for the log. Words of chat are never logged.
fn compared(route: &Route) -> (String, String) {
    match route {
        Route::Command(invocation) => (invocation.path.to_string(), invocation.path.command().to_owned()),
        // Slash text without a name is words of a person: of these, only the slash.
        Route::UnknownCommand(unknown) if unknown.looked_up.is_empty() => ("/".to_owned(), String::new()),
        Route::UnknownCommand(unknown) => (excerpt(&unknown.received), excerpt(&unknown.looked_up)),
        Route::Malformed(malformed) => (malformed.path.to_string(), malformed.path.command().to_owned()),
        Route::Form(form) => (form.path.to_string(), form.path.command().to_owned()),
        Route::Unavailable(unavailable) => (unavailable.shown(), unavailable.name.clone()),
        Route::Chat(_) | Route::Ignore(_) => (String::new(), String::new()),
    }
}
