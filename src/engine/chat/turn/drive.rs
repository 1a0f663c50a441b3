//! Sets a turn up, and carries out its effects until it ends.

use std::collections::BTreeSet;
use std::time::Duration;

use tracing::warn;

use crate::chat::parts::Chat;
use crate::chat::queue::Admitted;
use crate::chat::turn::caller::{TurnCaller, TurnRights};
use crate::chat::turn::calls::AskedCall;
use crate::chat::turn::context::{Context, Heard};
use crate::chat::turn::progress::Followed;
use candor_core::agent::prompt::{Asked, PastExchanges, PromptModel, Scene, opening, request_tokens, shown_summary};
use candor_core::agent::tools::{CallEnd, NotRun, OfferedSet, Surface};
use candor_core::agent::{
    ConversationKey, Effect, Finished, Generations, Growth, Input, ModelFailure, OfferedModel, PlaceChat, Request,
    Spoken, Tokens, ToolMode, Turn, TurnSetup,
};
use candor_core::contract::ServiceError;
use candor_core::guild::GuildDenied;
use candor_core::language::{Language, say};
use candor_core::text::in_code_spans;

pub(in crate::chat) enum NoTurn {
    Stopped,
    Model(ModelFailure),
    Store(ServiceError),
    Denied(GuildDenied),
}

enum Driven {
    Finished(Box<Finished>),
    /// The provider refused the first request because of its tools, and now the model calls them by text.
    WithoutTools,
    /// The provider failed before it wrote anything, and another model may be asked.
    Unserved(ModelFailure),
}

impl Chat {
    /// Sets a turn up and drives it to its end. If the provider refuses tools, the turn begins again with tools in the
    /// text. If the provider fails before it wrote anything, the turn begins again with the next model.
    pub(in crate::chat) async fn finished(
        &self,
        Admitted { key, running, .. }: &Admitted,
        heard: &Heard,
        context: &Context,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Result<(Box<Finished>, Generations), NoTurn> {
        let rules = &asker.rights.rules;
        self.talker.places.admits(asker.caller, asker.place, rules).map_err(NoTurn::Denied)?;
        let here = self.talker.places.at(asker.place, rules);
        let candidates = self.talker.candidates(key, &here).await.map_err(NoTurn::Store)?;
        let mut candidates = candidates.into_iter().peekable();
        let mut failed: Vec<&str> = Vec::new();
        while let Some(model) = candidates.next() {
            let may_pass_on = candidates.peek().is_some();
            let failure = loop {
                let set_up = tokio::select! {
                    biased;
                    () = running.stopped() => Err(NoTurn::Stopped),
                    setup = self.set_up(model, key, heard, context, asker, &here) => setup,
                };
                let (setup, begun) = match set_up {
                    Err(NoTurn::Model(failure)) if may_pass_on && failure.is_of_server() => break failure,
                    set_up => set_up?,
                };
                match self.drive(setup, key, asker, surface, may_pass_on).await {
                    Driven::Finished(mut finished) => {
                        finished.notes.extend((!failed.is_empty()).then(|| {
                            let failed = in_code_spans(&failed);
                            say!(asker.caller.language, "chat-stood-in", failed = failed, model = &model.name)
                        }));
                        finished.record.shared = key.is_shared();
                        return Ok((finished, begun));
                    }
                    Driven::WithoutTools => {}
                    Driven::Unserved(failure) => break failure,
                }
            };
            warn!(model.name = model.name, reason = failure.name(), "a model's server failed; the next model is asked");
            failed.push(&model.name);
        }
        Err(NoTurn::Model(ModelFailure::NotConfigured))
    }

    async fn set_up(
        &self,
        model: &OfferedModel,
        key: &ConversationKey,
        heard: &Heard,
        context: &Context,
        asker: &TurnCaller<'_>,
        here: &PlaceChat,
    ) -> Result<(TurnSetup, Generations), NoTurn> {
        let client = self.model.as_deref().ok_or(NoTurn::Model(ModelFailure::NotConfigured))?;
        let TurnRights { rules, catalog, common } = &asker.rights;
        let settings = self.settings.in_place(here);
        let reading = self.talker.queues.clearing.read().await;
        let begun = self.begun(key, &heard.spoken, asker).await.map_err(NoTurn::Store)?;
        let history = self.conversations.history(key, settings.history).await.map_err(NoTurn::Store)?;
        let n_kept = self.conversations.n_exchanges(key).await.map_err(NoTurn::Store)?;
        let summary = self.talker.summary(key, &settings).await.map_err(NoTurn::Store)?;
        drop(reading);
        let n_older = usize::try_from(n_kept).unwrap_or(usize::MAX).saturating_sub(history.len());
        let mode = self.talker.modes.of(&model.name, client).await.map_err(NoTurn::Model)?;
        let offered = self.talker.offered(catalog, asker.place, here, mode);
        let offered = match common {
            Some(common) => offered.only(common),
            None => offered,
        };
        let now = self.executor.clock.now();
        let background = self.executor.calls.background(asker.caller, asker.place, rules, now).await;
        let scene = Scene {
            person: &asker.caller.name,
            place: asker.place,
            names: Some(&context.names),
            now: self.executor.clock.now(),
            background: &background,
            is_shared: key.is_shared(),
        };
        let sees = context.around.has_pictures() && self.talker.modes.sees(&model.name, client).await;
        // A third of the context: a token has about three bytes.
        let framed = context.around.framed(model.context_tokens, scene.now, sees);
        let summary = summary.map_or(String::new(), |summary| shown_summary(&summary.text, model.context_tokens));
        let framed = framed.behind(&summary);
        let asked = Asked { words: &heard.words, spoken: &heard.spoken, came_with: Some(&framed) };
        let past = PastExchanges { history: &history, n_older };
        let opening = opening(&settings, PromptModel::of(model, mode), &scene, catalog, &offered, past, asked);
        let setup = TurnSetup {
            model: model.name.clone(),
            mode,
            limits: self.settings.limits,
            guard: self.settings.guard,
            offered,
            catalog: catalog.clone(),
            opening,
            request: heard.words.as_str().to_owned(),
            language: asker.caller.language,
        };
        Ok((setup, begun))
    }

    /// Returns the current generations of the conversations. An exchange is not stored if its conversation is cleared
    /// from now on.
    async fn begun(
        &self,
        key: &ConversationKey,
        spoken: &[Spoken],
        asker: &TurnCaller<'_>,
    ) -> Result<Generations, ServiceError> {
        let mut keys = vec![key.clone()];
        if key.is_shared() {
            let people: BTreeSet<_> = spoken.iter().map(|spoken| spoken.by).chain([asker.caller.id]).collect();
            keys.extend(people.into_iter().map(|person| ConversationKey::new(asker.place, person)));
        }
        let mut begun = Vec::with_capacity(keys.len());
        for key in keys {
            let generation = self.conversations.generation(&key).await?;
            begun.push((key, generation));
        }
        Ok(Generations(begun))
    }

    /// Carries out the turn's effects until it ends or is stopped. After a stop nothing more starts, and running
    /// commands finish.
    async fn drive(
        &self,
        setup: TurnSetup,
        key: &ConversationKey,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
        may_pass_on: bool,
    ) -> Driven {
        let name = setup.model.clone();
        let mode = setup.mode;
        let none = OfferedSet::none();
        let (mut turn, mut effect) = Turn::start(setup);
        let mut n_calls = 0;
        let mut is_first = true;
        let mut written = String::new();
        loop {
            let (input, took) = match (effect, asker.running.why()) {
                (Effect::Finish(finished), _) => return Driven::Finished(finished),
                (_, Some(why)) => {
                    return Driven::Finished(turn.stop(&written, why.told(asker.caller.language)));
                }
                (Effect::Ask { within }, None) => {
                    let tools = if mode == ToolMode::Native { turn.offered() } else { &none };
                    let conversation = Some(key);
                    let request = Request { conversation, model: &name, transcript: turn.transcript(), tools, within };
                    surface.thinking();
                    let growth =
                        Followed::new(surface, turn.beside(), (mode != ToolMode::None).then(|| turn.offered()));
                    let input = tokio::select! {
                        biased;
                        () = asker.running.stopped() => None,
                        input = self.ask(request, &growth) => Some(input),
                    };
                    let (counted, has_begun) = growth.tokens();
                    let was_asked = growth.was_asked();
                    let took;
                    (written, took) = growth.ended();
                    let said = match &input {
                        Some(Input::Answered(completion)) => Some(completion.text.as_str()),
                        // Stopped or timed out: if the request was sent, the provider has read it and may bill it.
                        None | Some(Input::Failed(ModelFailure::TimedOut(_))) => was_asked.then_some(written.as_str()),
                        _ => has_begun.then_some(written.as_str()),
                    };
                    asker.uses(match (counted, said) {
                        (0, Some(said)) => {
                            Tokens { estimated: request_tokens(mode, turn.transcript(), tools, said), counted: 0 }
                        }
                        (counted, _) => Tokens { counted, estimated: 0 },
                    });
                    // Only the first request may be moved to another mode or model: later the transcript holds calls,
                    // and their effects remain.
                    match &input {
                        Some(Input::Failed(failure)) if std::mem::take(&mut is_first) => match failure {
                            ModelFailure::ToolsUnsupported
                                if mode == ToolMode::Native && self.talker.modes.refused(&name) =>
                            {
                                return Driven::WithoutTools;
                            }
                            failure if may_pass_on && failure.is_of_server() => {
                                return Driven::Unserved(failure.clone());
                            }
                            _ => {}
                        },
                        _ => is_first = false,
                    }
                    match input {
                        Some(input) => (input, took),
                        None => {
                            effect = Effect::Ask { within };
                            continue;
                        }
                    }
                }
                (Effect::Run { calls, reason, within }, None) => {
                    let mut ended = Vec::with_capacity(calls.len());
                    let mut took = Duration::ZERO;
                    for call in calls {
                        n_calls += 1;
                        let not_run = |why: &dyn Fn(Language) -> String| {
                            (CallEnd::NotRun(NotRun::said(asker.caller.language, why)), Duration::ZERO)
                        };
                        let (end, ran_for) = if asker.running.why().is_some() {
                            not_run(&|language| say!(language, "call-stopped"))
                        } else if within <= took {
                            not_run(&|language| say!(language, "call-out-of-time"))
                        } else {
                            let asked = AskedCall { call: &call, reason: reason.as_deref(), n: n_calls, model: &name };
                            self.run_call(asked, asker, surface).await
                        };
                        ended.push(end);
                        took += ran_for;
                    }
                    (Input::Ended(ended), took)
                }
            };
            effect = turn.step(input, took);
        }
    }

    async fn ask(&self, request: Request<'_>, growth: &dyn Growth) -> Input {
        let Some(model) = &self.model else { return Input::Failed(ModelFailure::NotConfigured) };
        match model.complete(request, growth).await {
            Ok(completion) => Input::Answered(completion),
            Err(failure) => {
                if failure == ModelFailure::ContextTooLong {
                    warn!(
                        "a request was longer than the model's server takes: if this happens often, set \
                         `context_tokens` of the server to what the server has"
                    );
                }
                Input::Failed(failure)
            }
        }
    }
}
