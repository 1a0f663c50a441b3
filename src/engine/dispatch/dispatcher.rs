//! The dispatcher: answers the inbounds of every surface.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::Map;
use tracing::{Instrument as _, Span, info, info_span, trace, warn};

use crate::chat::{Chat, Held};
use crate::dispatch::pace::{Pace, Paced};
use crate::dispatch::plan::Plan;
use crate::executor::{Executor, Keeping, Ran, Teller};
use candor_core::access::{Access, Denied, Permit, authorize, authorize_due, authorize_refresh};
use candor_core::agent::tools::Surface;
use candor_core::contract::{DueCall, LaterCall, Leaf, OptionSpec, Owner};
use candor_core::guild::{OffHere, Rules};
use candor_core::inbound::{
    Addressed, Asking, CallMethod, Caller, CommandPath, CommandType, EventId, Inbound, Interaction, Place, UserId,
};
use candor_core::language::{Language, say};
use candor_core::record::{Arrival, Denial, Facts, RouteKind, UnknownInteraction};
use candor_core::registry::{Catalog, LazyNames, Registry};
use candor_core::reply::{Answer, Audience, Control, ControlStyle, PreparedCall, Provenance};
use candor_core::router::{Invocation, Malformed, ModalRequest, Named, Route, Unknown, UnknownKind, classify, refusal};
use candor_core::text::{excerpt, in_code_spans};

/// How often a process looks for runs that other processes left open, and for those it could not close.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(20);

/// The outcome of a call that the host makes itself, such as a refresh or a later call.
#[derive(Debug)]
pub enum Refresh {
    Ran(Box<Answer>),
    /// The command may no longer run, or no longer exists.
    Denied(Box<Answer>),
    /// The command found nothing to do, and its call is made again at another time.
    PutOff,
    /// The call ran before, or runs in another process.
    Elsewhere,
    /// The command did not run this time, for example because the store failed. It may run the next time.
    NotNow,
}

pub struct Dispatcher {
    /// Runs commands. Also provides the registry in force, the clock and the counters.
    pub executor: Arc<Executor>,
    pub chat: Chat,
    /// Limits the runs that modules start without a caller.
    pub(super) pace: Pace,
}

impl Dispatcher {
    pub fn new(chat: Chat) -> Self {
        Self { executor: chat.executor.clone(), chat, pace: Pace::default() }
    }

    /// Answers an inbound of a surface that neither opens modals nor has deadlines. `None` if the inbound is not for the
    /// bot, or another process answers it.
    pub async fn answer(&self, inbound: &Inbound, rules: &Rules, surface: &dyn Surface) -> Option<Answer> {
        let plan = self.plan(self.classify(inbound, rules), inbound, rules);
        self.carry_out(plan, inbound, rules, surface, &Keeping::default()).await.0
    }

    /// Decides what to do about a classified inbound. Refuses it, or counts a message for the model; runs nothing.
    pub fn plan(&self, route: Route, inbound: &Inbound, rules: &Rules) -> Plan {
        self.note(&route, inbound);
        let kind = route.kind();
        match route {
            Route::Ignore(_) => Plan::Silence,
            Route::Named(_) if is_unasked(inbound) && self.shuts_out(inbound, rules) => Plan::Silence,
            Route::Chat(_) if is_unasked(inbound) && self.shuts_out(inbound, rules) => {
                self.executor.counters.denials.count(Denial::Chat);
                Plan::Silence
            }
            Route::Command(invocation) => {
                let audience = self.audience(&invocation.path);
                let is_in_public = matches!((inbound, inbound.place()), (Inbound::Message(_), Place::Guild { .. }));
                match is_in_public && audience == Audience::Asker {
                    true => span(kind, inbound).in_scope(|| Plan::refusal(self.shown_on_press(invocation))),
                    false => Plan::Command { invocation: Box::new(invocation), audience },
                }
            }
            Route::Chat(words) => match self.chat.refuses(inbound, rules) {
                Some(why) => span(kind, inbound).in_scope(|| Plan::refusal(Answer::host(why))),
                None => Plan::Chat(words),
            },
            Route::Modal(request) => match self.allowed(&request, inbound, rules) {
                Ok(leaf) => Plan::Modal { request, leaf: Box::new(leaf) },
                Err(denied) => span(kind, inbound).in_scope(|| Plan::refusal(*denied)),
            },
            route => span(kind, inbound).in_scope(|| self.refused(route, inbound, rules)),
        }
    }

    /// Refuses an inbound on whose route nothing runs.
    fn refused(&self, route: Route, inbound: &Inbound, rules: &Rules) -> Plan {
        let answer = match route {
            Route::UnknownCommand(unknown) => return self.unknown(unknown, inbound, rules),
            Route::NotPlain { ref path, why } => {
                info!(command.name = %path, user.id = %inbound.caller().id.0, why = why.name(), "not plain");
                self.executor.counters.not_plain.count(why);
                self.not_run(path, &route, inbound, rules)
            }
            Route::Malformed(Malformed { ref path, .. }) => self.not_run(path, &route, inbound, rules),
            Route::Named(ref named) => self.named(named, &route, inbound, rules),
            Route::Unavailable(_) | Route::Modal(_) | Route::Command(_) | Route::Chat(_) | Route::Ignore(_) => {
                refused(&route, inbound.caller().language)
            }
        };
        answer.map_or(Plan::Silence, Plan::refusal)
    }

    /// Does the work of a plan, and returns its answer. A modal becomes a refusal that names the missing options. The
    /// receipt of a command that changes nothing may be stored while the answer is sent: ask `keeping` afterwards. The
    /// next turn of a conversation begins when the second value is dropped.
    pub async fn carry_out(
        &self,
        plan: Plan,
        inbound: &Inbound,
        rules: &Rules,
        surface: &dyn Surface,
        keeping: &Keeping,
    ) -> (Option<Answer>, Held) {
        let answer = match plan {
            Plan::Silence => None,
            Plan::Refusal { answer, .. } => Some(*answer),
            Plan::Modal { request, .. } => {
                let command = request.path.to_string();
                let options = in_code_spans(&request.missing);
                let language = inbound.caller().language;
                Some(Answer::host(say!(language, "modal-not-here", command = command, options = options)))
            }
            Plan::Command { invocation, .. } => {
                let run =
                    self.run(*invocation, rules, authorize, keeping).instrument(span(RouteKind::Command, inbound));
                // On the heap, as below: the futures of a command and of a turn differ much in size.
                Box::pin(run).await.map_or_else(|denied| Some(*denied), Ran::answer)
            }
            Plan::Chat(words) => {
                let talk = self.chat.answer(&words, inbound, rules, surface);
                return Box::pin(talk.instrument(span(RouteKind::Chat, inbound))).await;
            }
        };
        (answer, Held::default())
    }

    /// Returns the answer to a typed ephemeral command in a public channel: a button that runs it and shows the answer
    /// to its caller.
    fn shown_on_press(&self, invocation: Invocation) -> Answer {
        let Invocation { path, caller, arguments, .. } = invocation;
        info!(command.name = %path, user.id = %caller.id.0, "not run in a public channel: the answer is private");
        let registry = self.executor.registry.now();
        let (private, once) = match registry.find(&path) {
            Some((_, leaf)) => (leaf.private_options(), leaf.writes),
            None => (Vec::new(), true),
        };
        let command = path.to_string();
        // A button never carries private options.
        let is_shown = !private.iter().any(|name| arguments.contains_key(name));
        let call = PreparedCall { path, arguments, in_place: false, once, for_everyone: false };
        let label = say!(caller.language, "button-show");
        if !is_shown {
            return Answer::host(say!(caller.language, "answer-for-one-alone-elsewhere", command = command));
        }
        let button = Control::Button { label, emoji: None, style: ControlStyle::Secondary, call: Some(call) };
        Answer::host_with(say!(caller.language, "answer-for-one-alone", command = command), button)
    }

    /// Whether the caller may not chat here.
    fn shuts_out(&self, inbound: &Inbound, rules: &Rules) -> bool {
        self.chat.talker.places().admits(inbound.caller(), inbound.place(), rules).is_err()
    }

    /// Runs the command of an inbound again, to refresh its live answer. The run has its own receipt, marked as a
    /// refresh.
    pub async fn refresh(&self, inbound: &Inbound) -> Refresh {
        let rules = self.chat.rules(inbound.place()).await;
        self.run_again(inbound, &rules, authorize_refresh).await
    }

    /// Whether roles or permissions decide about the command of an interaction in a guild.
    pub fn asks_for_member(&self, asked: &Interaction) -> bool {
        let names: Vec<_> = asked.path.iter().map(String::as_str).collect();
        let path = CommandPath::at(asked.command_type, &names);
        matches!(asked.place, Place::Guild { .. })
            && self.chat.access.asks_for_member(&self.executor.registry.now(), &path)
    }

    /// Counts a later call. Returns a later time for it if its module runs too much in that place.
    pub fn puts_off(&self, call: &LaterCall) -> Option<SystemTime> {
        let paced = self.paced(call);
        let now = self.executor.clock.now();
        if self.pace.admits(&paced, now) {
            return None;
        }
        self.executor.counters.denials.count(Denial::Cooldown);
        warn!(
            module = call.module,
            place = call.place.key(),
            "this module runs too much by itself here; a later call is put off"
        );
        Some(self.pace.puts_off(&paced, now))
    }

    /// Whether to post the answer of a later call. A failure is posted once, until a call succeeds.
    pub fn is_to_be_told(&self, call: &LaterCall, answer: &Answer) -> bool {
        let Provenance::Command(receipt) = &answer.provenance else { return true };
        self.pace.tells(&self.paced(call), receipt.facts().outcome)
    }

    /// Returns the key under which a later call counts. Calls of a compiled-in module count per person, because a
    /// person asked for each.
    fn paced(&self, call: &LaterCall) -> Paced {
        let owner = Owner::Module(call.module.clone());
        let is_outside = self.executor.registry.now().modules().get(&owner).is_none_or(|facts| facts.run.is_some());
        let person = if is_outside { UserId::NOBODY } else { call.caller.id };
        Paced::new(&owner, call.place, person)
    }

    /// Makes a later call. The run has its own receipt and uses the rights of the person who asked. `caller` is that
    /// person with their current roles and permissions.
    pub async fn call_due(&self, due: &DueCall, caller: Caller) -> Refresh {
        let DueCall { id, call, .. } = due;
        // The call names the command as in the manifest. The operator may have renamed it since.
        let registry = self.executor.registry.now();
        let owner = Owner::Module(call.module.clone());
        let names = registry.modules().get(&owner).map(|module| module.code.names());
        let path = names.map_or_else(|| call.path.clone(), |names| names.current(&call.path));
        let inbound = Inbound::Interaction(Interaction {
            // Discord's picker did not check permissions, so that only those in the caller count.
            method: CallMethod::Pressed,
            command_type: path.command_type(),
            // The id is the same at each try, so that a committed call never runs again.
            id: EventId::of_due(*id),
            caller,
            place: call.place,
            path: path.names().map(str::to_owned).collect(),
            arguments: call.arguments.clone(),
            target: None,
            sent: self.executor.clock.now(),
        });
        let rules = self.chat.rules(call.place).await;
        self.run_again(&inbound, &rules, |invocation, registry, access| {
            authorize_due(invocation, registry, access, &call.module, call.due)
        })
        .await
    }

    /// Runs the command of an inbound that the host makes itself.
    pub(super) async fn run_again(
        &self,
        inbound: &Inbound,
        rules: &Rules,
        authorize: impl FnOnce(Invocation, &Registry, &Access) -> Result<Permit, Denied>,
    ) -> Refresh {
        if rules.off() == OffHere::NotKnown {
            // It is not known yet whether the command is switched off.
            return Refresh::NotNow;
        }
        let route = self.classify(inbound, rules);
        self.note(&route, inbound);
        let ran = match route {
            Route::Command(invocation) => self.run(invocation, rules, authorize, &Keeping::default()).await,
            // The module may be repaired.
            Route::Unavailable(_) => return Refresh::NotNow,
            route => match refusal(&route, inbound.caller().language) {
                Some(text) => Err(Box::new(Answer::host(text))),
                None => return Refresh::NotNow,
            },
        };
        match ran {
            Ok(Ran::Answered(answer)) if matches!(answer.provenance, Provenance::Command(_)) => {
                Refresh::Ran(Box::new(answer))
            }
            Ok(Ran::Answered(_)) => Refresh::NotNow,
            Ok(Ran::Elsewhere) => Refresh::Elsewhere,
            Ok(Ran::PutOff) => Refresh::PutOff,
            Err(denied) => Refresh::Denied(denied),
        }
    }

    /// Returns the commands that a caller may use at the console.
    pub fn catalog(&self, caller: &Caller) -> Catalog {
        let asking = Asking { caller, place: Place::Console, method: CallMethod::Typed };
        self.chat.access.catalog(&self.executor.registry.now(), &asking)
    }

    /// Returns the time of the store's server.
    pub fn now(&self) -> SystemTime {
        self.executor.clock.now()
    }

    pub fn option(&self, path: &CommandPath, option: &str) -> Option<OptionSpec> {
        self.executor.registry.now().find(path)?.1.option(option).cloned()
    }

    /// Closes runs that earlier processes left open, and notifies their callers. On a shared store it repeats this for
    /// ever; otherwise it returns once all are closed.
    pub async fn tell_interrupted(&self, teller: &dyn Teller) {
        loop {
            let was_alone = self.executor.ledger.was_alone();
            if self.executor.tell_interrupted(teller).await && was_alone {
                return;
            }
            tokio::time::sleep(LOOK_AGAIN_AFTER).await;
        }
    }

    /// Classifies an inbound, once. Neither counts nor logs.
    pub fn classify(&self, inbound: &Inbound, rules: &Rules) -> Route {
        let registry = self.executor.registry.now();
        let access = self.chat.access.here(rules);
        classify(inbound, &LazyNames::new(&registry, || access.catalog(&registry, &inbound.asking())))
    }

    /// Counts a route, and logs the comparison: the name as received, the name as looked up, the size of the registry
    /// and the route. A command that runs has one log line, at its end. A message that is not for the bot is logged
    /// without its author.
    fn note(&self, route: &Route, inbound: &Inbound) {
        let arrival = match inbound {
            Inbound::Interaction(_) | Inbound::GoOn(_) => Arrival::Interaction,
            Inbound::Message(_) => Arrival::Message,
        };
        self.executor.counters.routes.count(arrival, route.kind());
        match route {
            Route::Ignore(why) => return trace!(reason = ?why, "a message that is not for the bot"),
            Route::Command(_) => return,
            _ => {}
        }
        let (received, looked_up) = compared(route);
        info!(
            command.received = received,
            command.looked_up = looked_up,
            registry.size = self.executor.registry.now().size(),
            user.id = %inbound.caller().id.0,
            place = inbound.place().key(),
            route = route.name(),
            "routed"
        );
    }

    /// Handles an edit of a message before it was answered. A message that is no longer meant for the model is not
    /// answered; nothing in it runs.
    pub fn edited(&self, route: Route, message: &Inbound) {
        self.note(&route, message);
        let now = match route {
            Route::Chat(words) => message.came_with().map(|came_with| (words, came_with.clone())),
            _ => None,
        };
        self.chat.edited(message.event(), now);
    }

    /// Runs a command, and returns its answer, or the host's if it did not run. A denial is an error. Nothing on this path
    /// has access to the model.
    async fn run(
        &self,
        invocation: Invocation,
        rules: &Rules,
        authorize: impl FnOnce(Invocation, &Registry, &Access) -> Result<Permit, Denied>,
        keeping: &Keeping,
    ) -> Result<Ran, Box<Answer>> {
        let path = invocation.path.clone();
        let user = invocation.caller.id;
        let place = invocation.place;
        let language = invocation.caller.language;
        let permit = authorize(invocation, &self.executor.registry.now(), &self.chat.access.here(rules))
            .map_err(|denied| Box::new(self.denied(denied, &path, user, language)))?;
        match self.executor.run(permit, rules, keeping).await {
            Ran::Answered(answer) => {
                self.audit(&answer, user, place).await;
                Ok(Ran::Answered(self.chat.charts.drawn(answer, place, language).await))
            }
            other @ (Ran::Elsewhere | Ran::PutOff) => Ok(other),
        }
    }

    /// Returns the command of a modal if the caller may use it. Access is checked again when it is submitted.
    fn allowed(&self, request: &ModalRequest, inbound: &Inbound, rules: &Rules) -> Result<Leaf, Box<Answer>> {
        let registry = self.executor.registry.now();
        let found = registry.find(&request.path).ok_or(Denied::Gone);
        let allowed = found.and_then(|(command, leaf)| {
            self.chat.access.here(rules).allows(command, &request.path, &inbound.asking()).map(|()| leaf.clone())
        });
        let caller = inbound.caller();
        allowed.map_err(|denied| Box::new(self.denied(denied, &request.path, caller.id, caller.language)))
    }

    /// Returns the answer to text that names a command but does not run it. Shows the usage only to callers who may run
    /// it.
    fn not_run(&self, path: &CommandPath, route: &Route, inbound: &Inbound, rules: &Rules) -> Option<Answer> {
        let caller = inbound.caller();
        let registry = self.executor.registry.now();
        let command = registry.command(path.command());
        match command.map(|command| self.chat.access.here(rules).allows(command, path, &inbound.asking())) {
            Some(Err(denied)) => Some(self.denied(denied, path, caller.id, caller.language)),
            Some(Ok(())) | None => refused(route, caller.language),
        }
    }

    /// Returns the answer to a bare command name: a button that runs the command if possible, or the reason why not.
    fn named(&self, named: &Named, route: &Route, inbound: &Inbound, rules: &Rules) -> Option<Answer> {
        let path = named.path.clone();
        let told = self.not_run(&path, route, inbound, rules)?;
        if !named.has_button {
            return Some(told);
        }
        let label = say!(inbound.caller().language, "button-run", command = path.to_string());
        let once = self.executor.registry.now().find(&path).is_none_or(|(_, leaf)| leaf.writes);
        let call = Some(PreparedCall { path, arguments: Map::new(), in_place: false, once, for_everyone: false });
        let button = Control::Button { label, emoji: None, style: ControlStyle::Primary, call };
        Some(Answer::host_with(told.plain(), button))
    }

    /// Returns the answer to a command that does not exist, or not with these options. Typed commands are not counted,
    /// because text can name anything.
    fn unknown(&self, unknown: Unknown, inbound: &Inbound, rules: &Rules) -> Plan {
        if let Some(what) = what(&unknown) {
            self.executor.counters.unknown.count(what);
        }
        let is_outdated = unknown.method.is_picked();
        let denied = match &unknown.kind {
            UnknownKind::Stale { .. } if is_outdated => self.denies_stale(inbound, rules),
            UnknownKind::Stale { .. }
            | UnknownKind::Command
            | UnknownKind::OfChat
            | UnknownKind::ChatOnly
            | UnknownKind::Subcommand
            | UnknownKind::ContextMenuCommand => None,
        };
        match denied.or_else(|| refused(&Route::UnknownCommand(unknown), inbound.caller().language)) {
            Some(answer) => Plan::Refusal { answer: Box::new(answer), is_outdated },
            None => Plan::Silence,
        }
    }

    /// Denies an outdated interaction if the caller may not run its command: only callers who may run it learn its
    /// options.
    fn denies_stale(&self, inbound: &Inbound, rules: &Rules) -> Option<Answer> {
        let Inbound::Interaction(interaction) = inbound else { return None };
        let names: Vec<_> = interaction.path.iter().map(String::as_str).collect();
        let path = CommandPath::at(interaction.command_type, &names);
        let registry = self.executor.registry.now();
        let command = match interaction.command_type {
            CommandType::Slash => registry.command(path.command()),
            menu @ (CommandType::UserMenu | CommandType::MessageMenu) => registry.menu(menu, path.command()),
        };
        let denied = self.chat.access.here(rules).allows(command?, &path, &inbound.asking()).err()?;
        Some(self.denied(denied, &path, interaction.caller.id, interaction.caller.language))
    }

    fn denied(&self, denied: Denied, path: &CommandPath, user: UserId, language: Language) -> Answer {
        info!(command.name = %path, user.id = %user.0, rule = denied.name(), "denied");
        self.executor.counters.denials.count(denied.rule());
        Answer::host(denied.text(path, language))
    }

    /// Returns the module of a command that a receipt names. `None` for a built-in command.
    pub fn module_of(&self, facts: &Facts) -> Option<String> {
        let name = facts.command.trim_start_matches('/').split(' ').next().unwrap_or_default();
        match &self.executor.registry.now().command(name)?.owner {
            Owner::Module(name) => Some(name.clone()),
            Owner::Builtin => None,
        }
    }

    pub fn audience(&self, path: &CommandPath) -> Audience {
        match self.executor.registry.now().find(path) {
            Some((command, _)) if !command.ephemeral => Audience::Place,
            _ => Audience::Asker,
        }
    }
}

/// Whether a message is in a channel where the bot answers everything, and is not addressed to the bot.
fn is_unasked(inbound: &Inbound) -> bool {
    matches!(inbound, Inbound::Message(message) if message.addressed == Addressed::ChatChannel)
}

/// Returns the span of the work for an inbound.
fn span(kind: RouteKind, inbound: &Inbound) -> Span {
    let route = kind.name();
    let on = if inbound.place() == Place::Console { "console" } else { "discord" };
    info_span!(
        "inbound",
        otel.name = %format_args!("inbound {route}"),
        otel.kind = "server",
        candor.route = route,
        candor.surface = on,
    )
}

fn refused(route: &Route, language: Language) -> Option<Answer> {
    refusal(route, language).map(Answer::host)
}

/// Returns the counter for something that does not exist.
fn what(unknown: &Unknown) -> Option<UnknownInteraction> {
    Some(match unknown.method {
        CallMethod::Typed => return None,
        CallMethod::Pressed | CallMethod::Offered => UnknownInteraction::Component,
        CallMethod::Submitted => UnknownInteraction::Modal,
        CallMethod::Picked | CallMethod::PickedByUserInstall => match unknown.kind {
            UnknownKind::Command | UnknownKind::OfChat | UnknownKind::ChatOnly => UnknownInteraction::Command,
            UnknownKind::Subcommand => UnknownInteraction::Subcommand,
            UnknownKind::Stale { .. } => UnknownInteraction::Stale,
            UnknownKind::ContextMenuCommand => UnknownInteraction::Menu,
        },
    })
}

/// Returns the name as received and the name as looked up, safe for the log. Chat text is never logged.
fn compared(route: &Route) -> (String, String) {
    match route {
        // Slash text without a name is a person's words: only the slash is logged.
        Route::UnknownCommand(unknown) if unknown.looked_up.is_empty() => ("/".to_owned(), String::new()),
        Route::UnknownCommand(unknown) => (excerpt(&unknown.received), excerpt(&unknown.looked_up)),
        Route::Malformed(malformed) => (malformed.path.to_string(), malformed.path.command().to_owned()),
        Route::NotPlain { path, .. } => (path.to_string(), path.command().to_owned()),
        Route::Named(named) => (named.path.to_string(), named.path.command().to_owned()),
        Route::Modal(request) => (request.path.to_string(), request.path.command().to_owned()),
        Route::Unavailable(unavailable) => (unavailable.shown(), unavailable.name.clone()),
        Route::Command(_) | Route::Chat(_) | Route::Ignore(_) => (String::new(), String::new()),
    }
}
