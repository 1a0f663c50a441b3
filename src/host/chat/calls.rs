//! Runs one call of a model as the caller's own command, after a confirmation where it changes something.

use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use crate::host::chat::Chat;
use crate::host::chat::answer::Asker;
use candor_core::access::{Consent, authorize_for_model};
use candor_core::agent::tools::{CallEnd, Confirmation, NotRun, PlannedCall, Question, Surface};
use candor_core::inbound::{Asked, EventId};
use candor_core::language::{Language, say};
use candor_core::record::{Origin, ToolCallEnd};
use candor_core::reply::Provenance;
use candor_core::router::Invocation;

impl Chat {
    /// Runs a planned call with its caller's authority. `n` counts the calls of the turn from 1. Returns also
    /// how long the command ran, without the wait for a confirmation.
    pub(super) async fn run_call(
        &self,
        call: &PlannedCall,
        n: u32,
        asker: &Asker<'_>,
        surface: &dyn Surface,
    ) -> (CallEnd, Duration) {
        let (end, took) = self.try_call(call, n, asker, surface).await;
        self.counters.tool_calls.count(match &end {
            CallEnd::Ran { receipt, .. } => receipt.facts().outcome.into(),
            CallEnd::NotRun(_) => ToolCallEnd::NotRun,
        });
        (end, took)
    }

    async fn try_call(
        &self,
        call: &PlannedCall,
        n: u32,
        asker: &Asker<'_>,
        surface: &dyn Surface,
    ) -> (CallEnd, Duration) {
        let path = &call.tool().path;
        let not_run = |why: &dyn Fn(Language) -> String| {
            (CallEnd::NotRun(NotRun::said(asker.caller.language, why)), Duration::ZERO)
        };
        let consent = match call.tool().writes {
            false => None,
            true => match surface.confirm(&question(call, asker)).await {
                Confirmation::Confirmed(by) => Some(Consent::given(by, path.clone(), call.arguments().clone())),
                Confirmation::Declined => return not_run(&|language| say!(language, "call-declined")),
                Confirmation::Unanswered => return not_run(&|language| say!(language, "call-unconfirmed")),
            },
        };
        let invocation = Invocation {
            event: EventId::of_call(asker.event, n),
            caller: asker.caller.clone(),
            place: asker.place,
            asked: Asked::Typed,
            path: path.clone(),
            arguments: call.arguments().clone(),
        };
        let permit = match authorize_for_model(invocation, &self.registry, &self.access, consent, Origin::Model) {
            Ok(permit) => permit,
            Err(denied) => {
                info!(command.name = %path, user.id = asker.caller.id.0, rule = denied.name(), "denied to a model");
                self.counters.denials.count(denied.rule());
                return not_run(&|language| denied.text(path, language));
            }
        };
        surface.running(&path.to_string()).await;
        let watch = Instant::now();
        let end = match self.executor.run(permit).await {
            None => {
                let why = |language| say!(language, "call-ran-before");
                CallEnd::NotRun(NotRun::said(asker.caller.language, why))
            }
            Some(mut answer) => {
                if answer.reply.live.is_some() {
                    // A model's reply is never kept up to date, and the model must not say so.
                    answer.reply.add_line(&say!(asker.caller.language, "live-picker-only"));
                }
                let text = answer.reply.plain();
                match answer.provenance {
                    Provenance::Command(receipt) => CallEnd::Ran { receipt, text },
                    Provenance::Turn(_) | Provenance::Host => CallEnd::NotRun(NotRun { why: text.clone(), told: text }),
                }
            }
        };
        (end, watch.elapsed())
    }
}

fn question(call: &PlannedCall, asker: &Asker<'_>) -> Question {
    Question { asked: asker.caller.id, command: call.tool().written(call.arguments()) }
}
