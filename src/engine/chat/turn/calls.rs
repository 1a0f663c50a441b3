//! Runs one call of a model as the caller's own command. A call that changes something is confirmed first.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument as _, info, info_span};

use crate::chat::parts::Chat;
use crate::chat::queue::Stop;
use crate::chat::turn::caller::TurnCaller;
use crate::executor::{Keeping, Ran};
use candor_core::access::{Consent, authorize_for_model};
use candor_core::agent::tools::{CallEnd, Confirmation, NotRun, PlannedCall, Question, Shown, Surface};
use candor_core::inbound::{CallMethod, Caller, EventId, Place};
use candor_core::language::say;
use candor_core::record::ToolCallEnd;
use candor_core::reply::{Answer, Provenance, run_line};
use candor_core::router::Invocation;

/// How long a person counts as being in a guild after that was last known. A turn asks Discord at most once in this
/// time.
const HERE_FOR: Duration = Duration::from_secs(5);

/// A planned call of a turn.
#[derive(Clone, Copy)]
pub(super) struct AskedCall<'a> {
    pub(super) call: &'a PlannedCall,
    /// The model's reason for it.
    pub(super) reason: Option<&'a str>,
    /// Its number in the turn, from 1.
    pub(super) n: u32,
    /// The name of the model that asks for it.
    pub(super) model: &'a str,
}

impl Chat {
    /// Runs a planned call with its caller's authority. Also returns how long the command ran, without the wait for a
    /// confirmation.
    pub(super) async fn run_call(
        &self,
        asked: AskedCall<'_>,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> (CallEnd, Duration) {
        let tool = asked.call.tool().name.as_str();
        let span = info_span!(
            "tool_call",
            otel.name = %format_args!("execute_tool {tool}"),
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = tool,
            gen_ai.tool.type = "function",
            candor.outcome = Empty,
        );
        let (end, took) = self.try_call(asked, asker, surface).instrument(span.clone()).await;
        let became: ToolCallEnd = match &end {
            CallEnd::Ran { receipt, .. } => receipt.facts().outcome.into(),
            CallEnd::NotRun(_) => ToolCallEnd::NotRun,
        };
        self.executor.counters.tool_calls.count(became);
        span.record("candor.outcome", became.name());
        (end, took)
    }

    async fn try_call(
        &self,
        asked: AskedCall<'_>,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> (CallEnd, Duration) {
        let AskedCall { call, reason, n, model } = asked;
        let path = &call.tool().path;
        let consent = match self.consent(call, reason, asker, surface).await {
            Ok(consent) => consent,
            Err(not_run) => return (CallEnd::NotRun(not_run), Duration::ZERO),
        };
        if !self.is_still_here(call, consent.is_some(), asker, surface).await {
            info!(command.name = %path, user.id = %asker.caller.id.0, "not run: they have left");
            let not_run = NotRun::said(asker.caller.language, |language| say!(language, "call-left"));
            return (CallEnd::NotRun(not_run), Duration::ZERO);
        }
        let invocation = Invocation {
            event: EventId::of_call(asker.event, n),
            caller: self.with_rights_of_now(call, consent.is_some(), asker, surface).await,
            place: asker.place,
            method: CallMethod::Typed,
            path: path.clone(),
            arguments: call.arguments().clone(),
        };
        // Administrators may have switched the command off during the turn.
        let rules = self.rules(asker.place).await;
        let permit = match authorize_for_model(
            invocation,
            &self.executor.registry.now(),
            &self.access.here(&rules),
            model,
            consent,
        ) {
            Ok(permit) => permit,
            Err(denied) => {
                info!(command.name = %path, user.id = %asker.caller.id.0, rule = denied.name(), "denied to a model");
                self.executor.counters.denials.count(denied.rule());
                let not_run = NotRun::said(asker.caller.language, |language| denied.text(path, language));
                return (CallEnd::NotRun(not_run), Duration::ZERO);
            }
        };
        surface.running(&path.to_string()).await;
        let watch = Instant::now();
        let end = match self.executor.run(permit, &rules, &Keeping::default()).await {
            Ran::Elsewhere | Ran::PutOff => {
                asker.ran_before.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_string());
                let why = |language| say!(language, "call-ran-before");
                CallEnd::NotRun(NotRun::said(asker.caller.language, why))
            }
            Ran::Answered(answer) => self.shown_call(answer, asker, surface).await,
        };
        (end, watch.elapsed())
    }

    /// Whether the person is still in the guild. Only asked if no rule depends on their rights. Discord is not asked
    /// about a person who wrote or pressed a moment ago.
    async fn is_still_here(
        &self,
        call: &PlannedCall,
        has_pressed: bool,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> bool {
        if has_pressed {
            asker.is_here(Some(true));
        }
        // If rights decide, they are read below.
        if !matches!(asker.place, Place::Guild { .. }) || self.depends_on_member(call, asker) {
            return true;
        }
        if let Some(is_here) = asker.was_here_within(HERE_FOR) {
            return is_here;
        }
        let is_here = surface.is_here(asker.caller).await;
        asker.is_here(Some(is_here));
        is_here
    }

    fn depends_on_member(&self, call: &PlannedCall, asker: &TurnCaller<'_>) -> bool {
        let is_in_guild = matches!(asker.place, Place::Guild { .. });
        is_in_guild && self.access.asks_for_member(&self.executor.registry.now(), &call.tool().path)
    }

    /// Returns the caller of a call. Rights may have been removed since the message, so they are read again before each
    /// call that depends on roles or permissions. A press has just brought them.
    async fn with_rights_of_now(
        &self,
        call: &PlannedCall,
        has_pressed: bool,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Caller {
        let caller = asker.now();
        if has_pressed || !self.depends_on_member(call, asker) {
            return caller;
        }
        let member = surface.member_now(&caller).await;
        // Without a member, the reason is unknown.
        asker.is_here(member.is_some().then_some(true));
        Caller { member, ..caller }
    }

    /// Asks the person to confirm a call that changes something. Other calls need no consent.
    async fn consent(
        &self,
        call: &PlannedCall,
        reason: Option<&str>,
        asker: &TurnCaller<'_>,
        surface: &dyn Surface,
    ) -> Result<Option<Consent>, NotRun> {
        if !call.tool().writes {
            return Ok(None);
        }
        let language = asker.caller.language;
        let question = question(call, reason, asker);
        let confirmed = tokio::select! {
            biased;
            () = asker.running.stopped() => {
                return Err(NotRun::said(language, |language| say!(language, "call-stopped")));
            }
            confirmed = surface.confirm(&question) => confirmed,
        };
        match confirmed {
            Confirmation::Confirmed { by, press } => {
                asker.know(by.member.clone());
                Ok(Some(Consent::given(*by, press, call.tool().path.clone(), call.arguments().clone())))
            }
            Confirmation::Declined => Err(NotRun::declined(language, |language| say!(language, "call-declined"))),
            Confirmation::Unanswered => Err(NotRun::declined(language, |language| say!(language, "call-unconfirmed"))),
            // The bot is shutting down: do not ask the model to react.
            Confirmation::Leaving => {
                asker.running.stop(Stop::Leaving);
                Err(NotRun::declined(language, |language| say!(language, "call-unconfirmed")))
            }
        }
    }

    /// Shows the answer of a command that ran, and returns the text about it for the model.
    async fn shown_call(&self, answer: Answer, asker: &TurnCaller<'_>, surface: &dyn Surface) -> CallEnd {
        // Answers to a model's calls are never refreshed, so the text must not say that they are.
        let answer = answer.not_live(asker.caller.language);
        // Everyone here can read the model's words, so it does not get an ephemeral answer.
        let has_run = matches!(answer.provenance, Provenance::Command(_));
        let is_private = has_run && self.executor.is_for_one(&answer) && matches!(asker.place, Place::Guild { .. });
        let text = match is_private {
            true => "The person is shown the answer. It is for them alone, so it is not shown to you.".to_owned(),
            false => answer.plain(),
        };
        let answer = self.charts.drawn(answer, asker.place, asker.caller.language).await;
        let shown = surface.ran(&answer).await;
        if shown == Shown::Part {
            asker.is_folded.store(true, Ordering::Relaxed);
        }
        if shown == Shown::Nothing
            && let Provenance::Command(receipt) = &answer.provenance
        {
            let note = say!(asker.caller.language, "note-unshown", run = run_line(receipt, asker.caller.language));
            asker.unshown.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        }
        match answer.into_parts().provenance {
            Provenance::Command(receipt) => CallEnd::Ran { receipt, text },
            Provenance::Turn(_) | Provenance::Host => {
                CallEnd::NotRun(NotRun { why: text.clone(), text, is_declined: false })
            }
        }
    }
}

fn question(call: &PlannedCall, reason: Option<&str>, asker: &TurnCaller<'_>) -> Question {
    let tool = call.tool();
    let arguments = call.arguments();
    Question {
        asked: asker.caller.id,
        command: tool.as_typed(arguments),
        whole: tool.whole_if_cut(arguments),
        reason: reason.map(str::to_owned),
    }
}
