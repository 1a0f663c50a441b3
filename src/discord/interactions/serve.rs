//! Serves the interactions that run a command: slash commands, context-menu commands, components and modals.

use std::sync::Arc;
use std::time::SystemTime;

use serenity::all::{InteractionId, MessageId};
use tokio::time::Instant;
use tracing::{info, warn};

use crate::gate::Slot;
use crate::interactions::deliver::Delivery;
use crate::interactions::in_time::{Responder as _, ResponseDeadline, Sent, in_time};
use crate::rest::Rest;
use crate::shared::Shared;
use candor_core::agent::tools::Unattended;
use candor_core::inbound::{EventId, Inbound, Interaction, UserId};
use candor_core::language::Language;
use candor_core::record::Timing;
use candor_core::reply::{Answer, Audience};
use candor_engine::CrashPoint;
use candor_engine::dispatch::{Keeping, Plan};

pub(crate) struct Presented<'a> {
    /// The locale of the person's client, for a modal's own words.
    pub(crate) locale: &'a str,
    /// Whether the answer may replace the message that has the component.
    pub(crate) in_place: InPlace,
    /// The message that it changes for all readers: such answers take turns.
    pub(crate) changes: Option<MessageId>,
    /// The single-use control, if one was used: a modal carries it on.
    pub(crate) control: Option<EventId>,
    /// The same if this interaction claimed it. It is released unless a command runs.
    pub(crate) claimed: Option<EventId>,
    /// For answers that may become live: the REST client and the interaction's token.
    pub(crate) live: Option<(&'a Arc<Rest>, &'a str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InPlace {
    No,
    Yes,
    /// Yes, unless the answer is for one person: others can read that message.
    IfForAll,
}

impl Shared {
    /// Returns a slot for an interaction, held until it is answered. Without a free slot, tells the person why, and
    /// which action did not happen.
    pub(crate) async fn admit(
        &self,
        delivery: &Delivery<'_>,
        person: UserId,
        language: Language,
        what: impl FnOnce() -> String,
    ) -> Option<Slot<'_>> {
        match self.gate.interaction(person, delivery.sent()).await {
            Ok(slot) => Some(slot),
            Err(closed) => {
                warn!(reason = ?closed, "an interaction was not started");
                // An earlier process may have run a replayed one, so nothing is said of it.
                if !self.gate.is_of_earlier_process(self.gate.since(delivery.sent())) {
                    delivery.refuse(&closed.text(&what(), language)).await;
                }
                None
            }
        }
    }

    /// Answers in time, independent of the handler. Returns the answer, unless a modal was opened or another process
    /// answers. With `keeping`, its receipt may not be stored yet.
    pub(crate) async fn serve(
        &self,
        delivery: Delivery<'_>,
        asked: Interaction,
        shown: Presented<'_>,
        keeping: &Keeping,
    ) -> Option<Answer> {
        let sent = asked.sent;
        let language = asked.caller.language;
        let inbound = Inbound::Interaction(asked);
        let rules = self.dispatcher.chat.rules(inbound.place()).await;
        let route = self.dispatcher.classify(&inbound, &rules);
        let plan = match self.dispatcher.plan(route, &inbound, &rules) {
            Plan::Silence => {
                self.release_unless_run(shown.claimed, None).await;
                return None;
            }
            Plan::Modal { request, leaf } => {
                // Released before the modal is shown, because its submission claims the control.
                self.release_unless_run(shown.claimed, None).await;
                self.open_modal(&delivery, inbound.caller(), &request, &leaf, (shown.locale, shown.control)).await;
                return None;
            }
            plan @ (Plan::Refusal { .. } | Plan::Command { .. } | Plan::Chat(_)) => plan,
        };
        if let Plan::Refusal { is_outdated: true, .. } = plan {
            // Discord still offers a command that no longer exists. One request in ten minutes is granted.
            self.reconciler.request();
        }
        let audience = plan.audience();
        let delivery = match (shown.in_place, audience) {
            (InPlace::Yes, _) | (InPlace::IfForAll, Audience::Place) => delivery.in_place(),
            (InPlace::No, _) | (InPlace::IfForAll, Audience::Asker) => delivery,
        };
        let delivery = delivery.written_down(&self.dispatcher.executor, inbound.event());
        let mut begun = None;
        let mut turn = None;
        let work = async {
            if let Some(message) = shown.changes {
                turn = self.turns.take(message).await;
            }
            // Models, budgets and clocks differ by place. The lookup counts as work, because Discord may be slow.
            self.find_parents(inbound.place(), &rules).await;
            let done = self.dispatcher.carry_out(plan, &inbound, &rules, &Unattended, keeping).await;
            let answer = done.0?;
            let (Some((rest, token)), Inbound::Interaction(asked)) = (shown.live, &inbound) else {
                return Some(answer);
            };
            let (answer, live) = self.live.begin(rest, asked, token, answer).await;
            begun = live;
            Some(answer)
        };
        let answer = self.in_time(&delivery, sent, audience, language, work).await;
        drop(turn);
        if let Some(answer) = &answer {
            self.things.update(answer, language, delivery.message_of(answer, shown.changes));
        }
        if let (Some(begun), Some((rest, _))) = (begun, shown.live) {
            self.live.follow(rest, begun);
        }
        self.release_unless_run(shown.claimed, answer.as_ref()).await;
        answer
    }

    /// Waits until the receipt of a given answer is stored. If that fails, removes the receipt from the answer.
    pub(crate) async fn mend(keeping: Keeping, rest: Arc<Rest>, asked: (InteractionId, String), answer: Answer) {
        if keeping.is_kept().await {
            return;
        }
        // If this fails as well, only the log has it.
        let delivery = Delivery::new(&rest, asked.0, &asked.1);
        let _mended = delivery.answer_deferred(&answer.without_receipt()).await;
    }

    pub(crate) async fn in_time(
        &self,
        delivery: &Delivery<'_>,
        sent: SystemTime,
        audience: Audience,
        language: Language,
        work: impl Future<Output = Option<Answer>>,
    ) -> Option<Answer> {
        let now = Instant::now();
        let began = now.checked_sub(self.gate.since(sent)).unwrap_or(now);
        let due = ResponseDeadline { began, audience, language, tell_after: self.settings.tell_after };
        let Sent { answer, is_shown } = in_time(delivery, &self.counters, &due, work).await?;
        CrashPoint::Answered.reached();
        let is_kept = !is_shown && self.dispatcher.executor.keep(&answer).await;
        if is_kept {
            self.counters.timings.count(Timing::AnswerKept);
            info!("an answer that could not be shown in time is kept for /receipt");
        }
        if is_shown || is_kept {
            delivery.is_seen().await;
        }
        Some(answer)
    }
}
