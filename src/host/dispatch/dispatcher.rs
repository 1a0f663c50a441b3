//! The dispatcher: what each surface asks for an answer.

use std::sync::Arc;

use tracing::{info, trace, warn};

use crate::host::Clock;
use crate::host::chat::{Chat, Cleaned};
use crate::host::dispatch::plan::{Kind, Plan, Work};
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
pub struct Dispatcher(pub(super) Parts);

/// What a dispatcher is made of.
pub struct Parts {
    /// The commands in force.
    pub registry: Arc<Registry>,
    /// Who may do what.
    pub access: Access,
    /// Runs commands.
    pub executor: Arc<Executor>,
    /// Talks.
    pub chat: Arc<Chat>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where denials and interactions that nobody owns are counted.
    pub counters: Arc<Counters>,
    /// Draws the charts of answers. Without, an answer is its text alone.
    pub painter: Option<Arc<dyn Painter>>,
}

impl Dispatcher {
    /// A dispatcher of these parts.
    pub fn new(parts: Parts) -> Self {
        Self(parts)
    }

    /// Decides what an inbound comes to. Nothing is done before the plan's work is.
    pub fn answer<'a>(&'a self, inbound: &'a Inbound, surface: &'a dyn Surface) -> Plan<'a> {
        let language = inbound.caller().language;
        match self.route(inbound) {
            Route::Ignore(_) => Plan::Silence,
            Route::Command(invocation) => {
                let (path, audience) = (invocation.path.clone(), self.audience(&invocation.path));
                Plan::Answer(Work::new(Kind::Command(path), audience, self.run(invocation)))
            }
            Route::Chat(words) => {
                let talk = async move {
                    let (caller, place) = (inbound.caller(), inbound.place());
                    if self.is_blocked(caller) {
                        self.0.counters.denied(Denial::Blocked);
                        return Some(Answer::host(say!(language, "chat-blocked")));
                    }
                    self.0.chat.answer(&words, inbound, &self.catalog(caller, place), surface).await
                };
                Plan::Answer(Work::new(Kind::Chat, Audience::Place, talk))
            }
            Route::Modal(request) => match self.allowed(&request, inbound) {
                Ok((request, leaf)) => Plan::Modal { request, leaf },
                Err(denied) => Plan::Answer(Work::refusal(denied, false)),
            },
            Route::Malformed(malformed) => Plan::Answer(Work::refusal(self.malformed(malformed, inbound), false)),
            Route::UnknownCommand(unknown) => Plan::Answer(self.unknown(unknown, inbound)),
            route @ Route::Unavailable(_) => Plan::Answer(Work::refusal(refused(&route, language), false)),
        }
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

    /// Whether this caller is an operator here.
    pub fn is_operator(&self, caller: &Caller, place: Place) -> bool {
        self.0.access.is_operator(caller, place)
    }

    /// Whether this person may do nothing here, not even with what is theirs.
    pub fn is_blocked(&self, caller: &Caller) -> bool {
        self.0.access.is_blocked(caller)
    }

    /// The commands as this caller sees them in a conversation.
    pub fn catalog(&self, caller: &Caller, place: Place) -> Catalog {
        self.0.access.catalog(&self.0.registry, &Asking { caller, place, asked: Asked::Typed })
    }

    /// What may be given for an option, if there is one.
    pub fn option(&self, path: &CommandPath, option: &str) -> Option<&OptionSpec> {
        self.0.registry.find(path)?.1.option(option)
    }

    /// Keeps an answer that could not be shown, for `/receipt`. Says whether it is kept.
    pub async fn keep(&self, answer: &Answer) -> bool {
        self.0.executor.keep(answer).await
    }

    /// Remembers which messages show a turn's reply. See [`Chat::shown`].
    pub async fn shown(&self, turn: TurnId, messages: &[u64]) {
        self.0.chat.shown(turn, messages).await;
    }

    /// Saves for real what a model only pretended to save. See [`Chat::fix`].
    pub async fn fix(&self, turn: TurnId, event: EventId, caller: &Caller, place: Place) -> Answer {
        self.0.chat.fix(turn, event, caller, place).await
    }

    /// Takes made-up output out of an older reply. See [`Chat::clean`].
    pub async fn clean(&self, message: u64, content: &str, caller: &Caller, place: Place) -> Cleaned {
        self.0.chat.clean(message, content, caller, place).await
    }

    /// Decides, and logs what was compared: the name as received, the name as looked up, the size of the registry and the
    /// route. What is not for the bot is not logged with its author.
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

    /// Nothing on this way can see the model.
    async fn run(&self, invocation: Invocation) -> Option<Answer> {
        self.run_as(invocation, authorize).await.unwrap_or_else(|denied| Some(*denied))
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
        let permit = authorize(invocation, &self.0.registry, &self.0.access)
            .map_err(|denied| Box::new(self.denied(denied, &path, user, language)))?;
        match self.0.executor.run(permit).await {
            Some(answer) => Ok(Some(self.drawn(answer, place, language).await)),
            None => Ok(None),
        }
    }

    /// The answer with its chart drawn, where pictures are seen. What cannot be drawn is left to the text, with a line
    /// that says so.
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

    /// What the modal asks for, if the caller may use its command. Access is asked again when it is submitted.
    fn allowed(&self, request: &ModalRequest, inbound: &Inbound) -> Result<(ModalRequest, &Leaf), Answer> {
        let found = self.0.registry.find(&request.path).ok_or(Denied::Gone);
        let allowed = found.and_then(|(command, leaf)| {
            self.0.access.allows(command, &request.path, &inbound.asking()).map(|()| (request.clone(), leaf))
        });
        let caller = inbound.caller();
        allowed.map_err(|denied| self.denied(denied, &request.path, caller.id, caller.language))
    }

    /// How a command is written is for those who may run it.
    fn malformed(&self, malformed: Malformed, inbound: &Inbound) -> Answer {
        let (path, caller) = (&malformed.path, inbound.caller());
        let command = self.0.registry.command(path.command());
        match command.map(|command| self.0.access.allows(command, path, &inbound.asking())) {
            Some(Err(denied)) => self.denied(denied, path, caller.id, caller.language),
            Some(Ok(())) | None => refused(&Route::Malformed(malformed), caller.language),
        }
    }

    /// What nobody owns, or owns in another form. Counted, unless it was typed: text names whatever a person likes.
    fn unknown(&self, unknown: Unknown, inbound: &Inbound) -> Work<'static> {
        if let Some(what) = what(&unknown) {
            self.0.counters.unknown(what);
        }
        let is_outdated = unknown.asked == Asked::Picked;
        let denied = match &unknown.kind {
            UnknownKind::Stale { .. } if is_outdated => self.denies_stale(inbound),
            UnknownKind::Stale { .. } | UnknownKind::Command | UnknownKind::Subcommand | UnknownKind::MenuEntry => None,
        };
        let language = inbound.caller().language;
        let answer = denied.unwrap_or_else(|| refused(&Route::UnknownCommand(unknown), language));
        Work::refusal(answer, is_outdated)
    }

    /// What options a command takes is for those who may run it, also where the interaction has an earlier form of it.
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
        self.0.counters.denied(denied.rule());
        Answer::host(denied.text(path, language))
    }

    /// Who may see the answer of a command.
    fn audience(&self, path: &CommandPath) -> Audience {
        match self.0.registry.find(path) {
            Some((command, _)) if !command.ephemeral => Audience::Place,
            _ => Audience::Asker,
        }
    }
}

/// The words of a route on which nothing runs.
fn refused(route: &Route, language: Language) -> Answer {
    Answer::host(refusal(route, language).unwrap_or_default())
}

/// What was named in vain, for the counters.
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

/// The name as received and the name as looked up, safe for the log. Words of chat are never logged.
fn compared(route: &Route) -> (String, String) {
    match route {
        Route::Command(invocation) => (invocation.path.to_string(), invocation.path.command().to_owned()),
        // Slash text without a name is words of a person: of these, only the slash.
        Route::UnknownCommand(unknown) if unknown.looked_up.is_empty() => ("/".to_owned(), String::new()),
        Route::UnknownCommand(unknown) => (excerpt(&unknown.received), excerpt(&unknown.looked_up)),
        Route::Malformed(malformed) => (malformed.path.to_string(), malformed.path.command().to_owned()),
        Route::Modal(form) => (form.path.to_string(), form.path.command().to_owned()),
        Route::Unavailable(unavailable) => (unavailable.shown(), unavailable.name.clone()),
        Route::Chat(_) | Route::Ignore(_) => (String::new(), String::new()),
    }
}
