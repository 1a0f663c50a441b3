//! The dispatcher: answers the inbounds of every surface.

use std::future::ready;
use std::sync::Arc;

use tracing::{info, trace, warn};

use crate::host::Clock;
use crate::host::chat::{Chat, Cleaned};
use crate::host::dispatch::plan::{Plan, Work, WorkKind};
use crate::host::executor::Executor;
use candor_core::access::{Access, Denied, Permit, authorize, authorize_refresh};
use candor_core::agent::tools::Surface;
use candor_core::contract::{Leaf, OptionSpec};
use candor_core::inbound::{Asked, Asking, Caller, CommandPath, CommandType, EventId, Inbound, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{Counters, Denial, TurnId, UnknownInteraction};
use candor_core::registry::{Catalog, LazyNames, Registry};
use candor_core::reply::chart::Painter;
use candor_core::reply::{Answer, Audience, Provenance};
use candor_core::router::{Invocation, Malformed, ModalRequest, Route, Unknown, UnknownKind, classify, refusal};
use candor_core::text::excerpt;

/// The outcome of a refresh.
#[derive(Debug)]
pub enum Refresh {
    /// It ran.
    Ran(Box<Answer>),
    /// It may no longer run, or no longer exists.
    Denied(Box<Answer>),
    /// It did not run this time: another process has it, or the store fails. The next time it may.
    NotNow,
}

/// Answers whatever arrives.
pub struct Dispatcher(pub(super) Parts);

/// The parts of a dispatcher.
pub struct Parts {
    /// The commands in force.
    pub registry: Arc<Registry>,
    /// The access rules.
    pub access: Access,
    /// Runs commands.
    pub executor: Arc<Executor>,
    /// Runs chat turns.
    pub chat: Arc<Chat>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Counts denials and interactions that nobody owns.
    pub counters: Arc<Counters>,
    /// Draws the charts of answers. Without it an answer is its text alone.
    pub painter: Option<Arc<dyn Painter>>,
}

impl Dispatcher {
    /// A dispatcher of these parts.
    pub fn new(parts: Parts) -> Self {
        Self(parts)
    }

    /// Decides what to do about an inbound. Nothing is done before the plan's work is.
    pub fn answer<'a>(&'a self, inbound: &'a Inbound, surface: &'a dyn Surface) -> Plan<'a> {
        let language = inbound.caller().language;
        match self.route(inbound) {
            Route::Ignore(_) => Plan::Silence,
            Route::Command(invocation) => {
                let (path, audience) = (invocation.path.clone(), self.audience(&invocation.path));
                Plan::Answer(Work::new(WorkKind::Command(path), audience, self.run(invocation)))
            }
            Route::Chat(words) => {
                let talk = async move {
                    let (caller, place) = (inbound.caller(), inbound.place());
                    if self.is_blocked(caller) {
                        self.0.counters.denials.count(Denial::Blocked);
                        return Some(Answer::host(say!(language, "chat-blocked")));
                    }
                    self.0.chat.answer(&words, inbound, &self.catalog(caller, place), surface).await
                };
                Plan::Answer(Work::new(WorkKind::Chat, Audience::Place, talk))
            }
            Route::Modal(request) => match self.allowed(&request, inbound) {
                Ok((request, leaf)) => Plan::Modal { request, leaf },
                Err(denied) => Plan::Answer(Work::refusal(false, ready(Some(*denied)))),
            },
            Route::Malformed(malformed) => {
                Plan::Answer(Work::refusal(false, async move { self.malformed(malformed, inbound) }))
            }
            Route::UnknownCommand(unknown) => Plan::Answer(self.unknown(unknown, inbound)),
            route @ Route::Unavailable(_) => Plan::Answer(Work::refusal(false, ready(refused(&route, language)))),
        }
    }

    /// Runs a command once more, to refresh a live answer to this inbound: the same way, with a receipt that says so.
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

    /// Whether this caller is an operator here.
    pub fn is_operator(&self, caller: &Caller, place: Place) -> bool {
        self.0.access.is_operator(caller, place)
    }

    /// Whether this person may do nothing here, not even with what is their own.
    pub fn is_blocked(&self, caller: &Caller) -> bool {
        self.0.access.is_blocked(caller)
    }

    /// The commands as this caller sees them in a conversation.
    pub fn catalog(&self, caller: &Caller, place: Place) -> Catalog {
        self.0.access.catalog(&self.0.registry, &Asking { caller, place, asked: Asked::Typed })
    }

    /// The option of a command, if there is one.
    pub fn option(&self, path: &CommandPath, option: &str) -> Option<&OptionSpec> {
        self.0.registry.find(path)?.1.option(option)
    }

    /// Stores which messages show a turn's reply. See [`Chat::shown`].
    pub async fn shown(&self, turn: TurnId, messages: &[u64]) {
        self.0.chat.shown(turn, messages).await;
    }

    /// Saves for real what a model only pretended to save. See [`Chat::fix`].
    pub async fn fix(&self, turn: TurnId, event: EventId, caller: &Caller, place: Place) -> Answer {
        self.0.chat.fix(turn, event, caller, place).await
    }

    /// Removes made-up output from an older reply. See [`Chat::clean`].
    pub async fn clean(&self, message: u64, content: &str, caller: &Caller, place: Place) -> Cleaned {
        self.0.chat.clean(message, content, caller, place).await
    }

    /// Classifies an inbound, and logs what was compared: the name as received, the name as looked up, the size of the
    /// registry and the route. What is not for the bot is not logged with its author.
    fn route(&self, inbound: &Inbound) -> Route {
        let Parts { registry, access, .. } = &self.0;
        let route = classify(inbound, &LazyNames::new(registry, || access.catalog(registry, &inbound.asking())));
        if let Route::Ignore(why) = &route {
            trace!(reason = ?why, "a message that is not for the bot");
            return route;
        }
        let (received, looked_up) = compared(&route);
        info!(
            command.received = received,
            command.looked_up = looked_up,
            registry.size = registry.size(),
            user.id = inbound.caller().id.0,
            place = inbound.place().key(),
            route = route.name(),
            "routed"
        );
        route
    }

    /// Runs a command. Nothing on this path has access to the model.
    async fn run(&self, invocation: Invocation) -> Option<Answer> {
        self.run_as(invocation, authorize).await.unwrap_or_else(|denied| Some(*denied))
    }

    /// The answer of a run, or the host's if it did not run; `None` if another process answers. A denial is an error.
    async fn run_as(
        &self,
        invocation: Invocation,
        authorize: impl FnOnce(Invocation, &Registry, &Access) -> Result<Permit, Denied>,
    ) -> Result<Option<Answer>, Box<Answer>> {
        let (path, user) = (invocation.path.clone(), invocation.caller.id);
        let (place, language) = (invocation.place, invocation.caller.language);
        let permit = authorize(invocation, &self.0.registry, &self.0.access)
            .map_err(|denied| Box::new(self.denied(denied, &path, user, language)))?;
        match self.0.executor.run(permit).await {
            Some(answer) => Ok(Some(self.drawn(answer, place, language).await)),
            None => Ok(None),
        }
    }

    /// Draws the answer's chart, where pictures can be shown. If it cannot be drawn, the text stands for it, with a
    /// line that says so.
    async fn drawn(&self, mut answer: Answer, place: Place, language: Language) -> Answer {
        let (Some(painter), Some(chart)) = (&self.0.painter, &mut answer.reply.chart) else { return answer };
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

    /// The plan for a modal, if the caller may use its command. Access is checked again when it is submitted.
    fn allowed(&self, request: &ModalRequest, inbound: &Inbound) -> Result<(ModalRequest, &Leaf), Box<Answer>> {
        let found = self.0.registry.find(&request.path).ok_or(Denied::Gone);
        let allowed = found.and_then(|(command, leaf)| {
            self.0.access.allows(command, &request.path, &inbound.asking()).map(|()| (request.clone(), leaf))
        });
        let caller = inbound.caller();
        allowed.map_err(|denied| Box::new(self.denied(denied, &request.path, caller.id, caller.language)))
    }

    /// The answer to malformed text. How a command is written is shown only to those who may run it.
    fn malformed(&self, malformed: Malformed, inbound: &Inbound) -> Option<Answer> {
        let (path, caller) = (&malformed.path, inbound.caller());
        let command = self.0.registry.command(path.command());
        match command.map(|command| self.0.access.allows(command, path, &inbound.asking())) {
            Some(Err(denied)) => Some(self.denied(denied, path, caller.id, caller.language)),
            Some(Ok(())) | None => refused(&Route::Malformed(malformed), caller.language),
        }
    }

    /// The answer to a command that does not exist, or not with these options. Counted, unless it was typed: text names
    /// whatever a person likes.
    fn unknown<'a>(&'a self, unknown: Unknown, inbound: &'a Inbound) -> Work<'a> {
        if let Some(what) = what(&unknown) {
            self.0.counters.unknown.count(what);
        }
        let is_outdated = unknown.asked == Asked::Picked;
        Work::refusal(is_outdated, async move {
            let denied = match &unknown.kind {
                UnknownKind::Stale { .. } if is_outdated => self.denies_stale(inbound),
                UnknownKind::Stale { .. } | UnknownKind::Command | UnknownKind::Subcommand | UnknownKind::MenuEntry => {
                    None
                }
            };
            denied.or_else(|| refused(&Route::UnknownCommand(unknown), inbound.caller().language))
        })
    }

    /// Denies an outdated interaction where needed: the options of a command are shown only to those who may run it.
    fn denies_stale(&self, inbound: &Inbound) -> Option<Answer> {
        let Inbound::Interaction(interaction) = inbound else { return None };
        let names: Vec<_> = interaction.path.iter().map(String::as_str).collect();
        let path = CommandPath::at(interaction.surface, &names);
        let command = match interaction.surface {
            CommandType::Slash => self.0.registry.command(path.command()),
            menu @ (CommandType::UserMenu | CommandType::MessageMenu) => self.0.registry.menu(menu, path.command()),
        };
        let denied = self.0.access.allows(command?, &path, &inbound.asking()).err()?;
        Some(self.denied(denied, &path, interaction.caller.id, interaction.caller.language))
    }

    fn denied(&self, denied: Denied, path: &CommandPath, user: UserId, language: Language) -> Answer {
        info!(command.name = %path, user.id = user.0, rule = denied.name(), "denied");
        self.0.counters.denials.count(denied.rule());
        Answer::host(denied.text(path, language))
    }

    /// Who may see a command's answer.
    fn audience(&self, path: &CommandPath) -> Audience {
        match self.0.registry.find(path) {
            Some((command, _)) if !command.ephemeral => Audience::Place,
            _ => Audience::Asker,
        }
    }
}

/// The answer for a route on which nothing runs.
fn refused(route: &Route, language: Language) -> Option<Answer> {
    refusal(route, language).map(Answer::host)
}

/// The counter for something that does not exist.
fn what(unknown: &Unknown) -> Option<UnknownInteraction> {
    match (unknown.asked, &unknown.kind) {
        (Asked::Typed, _) => None,
        (Asked::Pressed, _) => Some(UnknownInteraction::Component),
        (Asked::Submitted, _) => Some(UnknownInteraction::Modal),
        (Asked::Picked, UnknownKind::Command) => Some(UnknownInteraction::Command),
        (Asked::Picked, UnknownKind::Subcommand) => Some(UnknownInteraction::Subcommand),
        (Asked::Picked, UnknownKind::Stale { .. }) => Some(UnknownInteraction::Stale),
        (Asked::Picked, UnknownKind::MenuEntry) => Some(UnknownInteraction::Menu),
    }
}

/// The name as received and the name as looked up, safe for the log. Chat text is never logged.
fn compared(route: &Route) -> (String, String) {
    match route {
        Route::Command(invocation) => (invocation.path.to_string(), invocation.path.command().to_owned()),
        // Slash text without a name is a person's words: only the slash is logged.
        Route::UnknownCommand(unknown) if unknown.looked_up.is_empty() => ("/".to_owned(), String::new()),
        Route::UnknownCommand(unknown) => (excerpt(&unknown.received), excerpt(&unknown.looked_up)),
        Route::Malformed(malformed) => (malformed.path.to_string(), malformed.path.command().to_owned()),
        Route::Modal(request) => (request.path.to_string(), request.path.command().to_owned()),
        Route::Unavailable(unavailable) => (unavailable.shown(), unavailable.name.clone()),
        Route::Chat(_) | Route::Ignore(_) => (String::new(), String::new()),
    }
}
