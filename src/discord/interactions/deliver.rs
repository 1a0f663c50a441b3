//! Delivers the answer to an interaction, or logs why it could not be delivered.
//!
//! Transient failures are retried while Discord still accepts the answer, and no sooner than Discord asks: a first
//! response for 3 s, an edit of it for the 15 minutes of its token. If the reply to a first response is lost, the
//! response is looked up before another try or giving up. An answer that Discord rejects is replaced by a plain one
//! that says so. For an expired interaction no second request is sent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use serenity::all::{
    AutocompleteChoice, CreateActionRow, CreateAttachment, CreateAutocompleteResponse, CreateButton,
    CreateInteractionResponse, CreateInteractionResponseFollowup, CreateInteractionResponseMessage, CreateModal,
    InteractionId, MessageId,
};
use serenity::async_trait;
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use crate::convert;
use crate::custom_id::Signer;
use crate::gate::ANSWER_WITHIN;
use crate::interactions::in_time::Responder;
use crate::interactions::recovery::FOLLOW_UP;
use crate::render::{controls, respond};
use crate::rest::{Posted, RequestError, Rest, RetryLimit, SendError, once, repeated};
use crate::shared::things::AnswerMessage;
use candor_core::inbound::EventId;
use candor_core::language::Language;
use candor_core::reply::{Answer, Audience};
use candor_engine::CrashPoint;
use candor_engine::executor::{Deferral, Executor};

/// Timeout of the first try of a callback: it leaves time for another within the 3 s.
const FIRST_TRY: Duration = Duration::from_millis(1_200);
/// The pause before a callback is retried, if Discord asks for none.
const CALLBACK_PAUSE: Duration = Duration::from_millis(100);
/// The time to look up whether a callback arrived, while another try is possible: that one also shows it.
const LOOKED_UP_WITHIN: Duration = Duration::from_millis(800);
/// The same after the last try.
const LOOKED_UP_LATE_WITHIN: Duration = Duration::from_secs(10);
/// How long a response is edited: its token lives 15 minutes, and a request may take 10 s.
const EDITED_WITHIN: Duration = Duration::from_secs(15 * 60 - 10);

/// An interaction that waits for its answer.
pub(crate) struct Delivery<'a> {
    rest: &'a Rest,
    id: InteractionId,
    token: &'a str,
    language: Language,
    arrived: Instant,
    /// Signs the components of the answer. Without it the answer has no components.
    signer: Option<Signer<'a>>,
    shown: Placement,
    /// The ledger of a deferred answer, and its event.
    ledger: Option<DeferralLedger<'a>>,
    is_written: AtomicBool,
}

/// Records that the answer to an event is deferred. Dropped, it forgets the deferral of a run that never began.
struct DeferralLedger<'a> {
    executor: &'a Executor,
    event: EventId,
}

impl Drop for DeferralLedger<'_> {
    fn drop(&mut self) {
        self.executor.forget_deferred(self.event);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    Anew,
    InPlace,
}

impl<'a> Delivery<'a> {
    /// Creates the delivery for an interaction that just arrived. It needs no decoded event.
    pub(crate) fn new(rest: &'a Rest, id: InteractionId, token: &'a str) -> Self {
        Self {
            rest,
            id,
            token,
            language: Language::default(),
            arrived: Instant::now(),
            signer: None,
            shown: Placement::Anew,
            ledger: None,
            is_written: AtomicBool::new(false),
        }
    }

    /// Puts components under the answer, signed for the person of this signer.
    pub(crate) fn signing(self, signer: Signer<'a>) -> Self {
        Self { signer: Some(signer), ..self }
    }

    /// Shows the answer in place of the message whose component was used. A refusal, or any text that is not the
    /// command's answer, is still a new message.
    pub(crate) fn in_place(self) -> Self {
        Self { shown: Placement::InPlace, ..self }
    }

    /// Records a deferred answer, so that the person hears how the command ended even if this process ends first.
    pub(crate) fn written_down(self, executor: &'a Executor, event: EventId) -> Self {
        Self { ledger: Some(DeferralLedger { executor, event }), ..self }
    }

    pub(crate) fn sent(&self) -> SystemTime {
        convert::sent(self.id.get())
    }

    /// Records that the person saw a deferred answer, or finds it in `/receipt`.
    pub(crate) async fn is_seen(&self) {
        if let (Some(ledger), true) = (&self.ledger, self.is_written.load(Ordering::Relaxed)) {
            ledger.executor.shown(ledger.event).await;
        }
    }

    pub(crate) async fn open(&self, modal: CreateModal) -> Result<(), SendError> {
        self.callback(&CreateInteractionResponse::Modal(modal)).await
    }

    /// Sets the language of the host's own texts.
    pub(crate) fn speaking(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// Sends an ephemeral plain text.
    pub(crate) async fn refuse(&self, text: &str) {
        let _said = self.answer(&Answer::host(text)).await;
    }

    /// Sends an ephemeral plain text with a button.
    pub(crate) async fn ask(&self, text: &str, button: CreateButton) {
        let rows = vec![CreateActionRow::Buttons(vec![button])];
        let _said = self.callback(&respond::first(&Answer::host(text), rows, self.language)).await;
    }

    pub(crate) async fn acknowledge(&self) {
        let _said = self.callback(&CreateInteractionResponse::Acknowledge).await;
    }

    /// Sends suggestions: the only valid response to autocomplete.
    pub(crate) async fn suggest(&self, choices: Vec<AutocompleteChoice>) {
        let suggested = CreateAutocompleteResponse::new().set_choices(choices);
        let _said = self.callback(&CreateInteractionResponse::Autocomplete(suggested)).await;
    }

    /// Edits the message whose button was pressed. If that fails, the press still counts.
    pub(crate) async fn update(&self, message: CreateInteractionResponseMessage) {
        let _shown = self.callback(&CreateInteractionResponse::UpdateMessage(message)).await;
    }

    /// Returns whether the answer replaces the message whose component was used: only if the command succeeded.
    fn replaces(&self, answer: &Answer) -> bool {
        self.shown == Placement::InPlace && answer.is_reply_of_command()
    }

    /// Returns the message that shows an answer. `pressed` has the used component.
    pub(super) fn message_of(&self, answer: &Answer, pressed: Option<MessageId>) -> AnswerMessage {
        match pressed.filter(|_| self.replaces(answer)) {
            Some(id) => AnswerMessage::Id(id),
            None => AnswerMessage::Response(self.token.to_owned()),
        }
    }

    fn rows(&self, answer: &Answer) -> Vec<CreateActionRow> {
        self.signer.map(|signer| controls::rows(answer, signer)).unwrap_or_default()
    }

    async fn callback(&self, body: &CreateInteractionResponse) -> Result<(), SendError> {
        self.callback_with(body, &[]).await
    }

    async fn callback_with(
        &self,
        body: &CreateInteractionResponse,
        files: &[CreateAttachment],
    ) -> Result<(), SendError> {
        let send = || Box::pin(self.rest.respond(self.id, self.token, body, files.to_vec()));
        // Only a message can be looked up: suggestions and modals create none, and an update changes a message that
        // existed before.
        let is_message = matches!(body, CreateInteractionResponse::Message(_) | CreateInteractionResponse::Defer(_));
        let mut is_first = true;
        let mut in_doubt = false;
        loop {
            let sent = if is_first { timeout(FIRST_TRY, send()).await } else { Ok(send().await) };
            // The next try shows whether it arrived anyway.
            let is_late = sent.is_err();
            let problem = match sent.unwrap_or(Err(RequestError::Unanswered("no answer in time"))) {
                Ok(()) => return Ok(()),
                // An earlier try arrived.
                Err(problem) if problem.is_answered() && !is_first => return Ok(()),
                Err(problem) => problem,
            };
            is_first = false;
            in_doubt |= problem.may_have_arrived();
            let mut has_arrived = None;
            if is_message && !is_late && matches!(problem, RequestError::Unanswered(_)) {
                has_arrived = self.has_response(LOOKED_UP_WITHIN).await;
            }
            let pause = match problem {
                RequestError::Limited(pause) => pause,
                _ => CALLBACK_PAUSE,
            };
            let is_over = ANSWER_WITHIN < self.arrived.elapsed() + pause;
            let is_last = is_over || !problem.passes();
            if is_message && is_last && has_arrived.is_none() && in_doubt {
                has_arrived = self.has_response(LOOKED_UP_LATE_WITHIN).await;
            }
            match has_arrived {
                Some(true) => return Ok(()),
                Some(false) => in_doubt = false,
                None => {}
            }
            if is_last {
                return Err(self.report(&problem, "could not answer an interaction"));
            }
            sleep(pause).await;
        }
    }

    /// Returns whether the interaction has a response, which may have arrived although its own reply was lost or
    /// garbled. `None` if the lookup does not succeed in this time, including a pause that Discord asks for.
    async fn has_response(&self, within: Duration) -> Option<bool> {
        let patience = RetryLimit::until(Instant::now() + within);
        match timeout(within, repeated(patience, || self.rest.response(self.token))).await {
            Ok(Ok(_)) => Some(true),
            Ok(Err(RequestError::Answer { status: 404, .. })) => Some(false),
            Ok(Err(_)) | Err(_) => None,
        }
    }

    async fn edit(&self, answer: &Answer) -> Result<Posted, SendError> {
        let body = respond::edit(answer, self.rows(answer), self.language);
        let files = respond::files(answer);
        let patience = RetryLimit::until(self.arrived + EDITED_WITHIN);
        let sent = repeated(patience, || self.rest.edit_response(self.token, &body, files.clone())).await;
        sent.map_err(|problem| self.report(&problem, "could not put an answer in the place of its waiting note"))
    }

    /// Sends the follow-ups: the parts that did not fit into the first answer.
    async fn follow_up(&self, answer: &Answer) {
        // A failure leaves the sent parts in place and is logged.
        let _rest = self.send(respond::further(answer, self.language)).await;
    }

    async fn send(&self, parts: Vec<CreateInteractionResponseFollowup>) -> Result<(), SendError> {
        for part in parts {
            let sent = once(|| self.rest.follow_up(self.token, &part)).await;
            sent.map_err(|problem| self.report(&problem, "could not send the rest of an answer"))?;
        }
        Ok(())
    }

    /// Logs a failed request once. An expired interaction is not our fault.
    fn report(&self, problem: &RequestError, what: &'static str) -> SendError {
        let failed = SendError::of(problem);
        let id = self.id.get();
        let error = problem.to_string();
        if matches!(failed, SendError::Over | SendError::Answered) {
            info!(interaction.id = %id, error, "{what}: it is over or has its answer");
        } else {
            warn!(interaction.id = %id, error, "{what}");
        }
        failed
    }
}

#[async_trait]
impl Responder for Delivery<'_> {
    /// If Discord rejects the answer, sends a plain one that says so, and returns the error.
    async fn answer(&self, answer: &Answer) -> Result<(), SendError> {
        let rows = self.rows(answer);
        let body = if self.replaces(answer) {
            respond::update(answer, rows, self.language)
        } else {
            respond::first(answer, rows, self.language)
        };
        let sent = self.callback_with(&body, &respond::files(answer)).await;
        match sent {
            Ok(()) => self.follow_up(answer).await,
            Err(SendError::Refused) => {
                // The cause may be an emoji of a guild that the bot is not in.
                if let Some(plain) = answer.without_emoji() {
                    return self.answer(&plain).await;
                }
                self.callback(&respond::first(
                    &respond::in_its_place(answer, self.language),
                    Vec::new(),
                    self.language,
                ))
                .await?;
            }
            Err(_) => {}
        }
        sent
    }

    async fn write_down(&self) -> bool {
        let Some(&DeferralLedger { executor, event }) = self.ledger.as_ref() else { return true };
        let reply_to = match self.shown {
            Placement::Anew => self.token.to_owned(),
            Placement::InPlace => format!("{FOLLOW_UP}{}", self.token),
        };
        // The write may succeed even after this call is abandoned.
        self.is_written.store(true, Ordering::Relaxed);
        let deferral = executor.deferred(event, &reply_to).await;
        CrashPoint::Deferring.reached();
        self.is_written.store(deferral == Deferral::Recorded, Ordering::Relaxed);
        deferral != Deferral::NotNeeded
    }

    async fn defer(&self, audience: Audience) -> Result<(), SendError> {
        let waiting = CreateInteractionResponseMessage::new().ephemeral(audience == Audience::Asker);
        self.callback(&match self.shown {
            Placement::Anew => CreateInteractionResponse::Defer(waiting),
            Placement::InPlace => CreateInteractionResponse::Acknowledge,
        })
        .await?;
        CrashPoint::Deferred.reached();
        Ok(())
    }

    async fn answer_deferred(&self, answer: &Answer) -> Result<(), SendError> {
        if self.shown == Placement::InPlace && !self.replaces(answer) {
            // The message that has the component stays as it is.
            return self.send(respond::whole(answer, self.language)).await;
        }
        match self.edit(answer).await {
            Ok(_) => {
                self.follow_up(answer).await;
                Ok(())
            }
            Err(SendError::Refused) => {
                if let Some(plain) = answer.without_emoji() {
                    return self.answer_deferred(&plain).await;
                }
                // This edit says that the answer could not be shown, so return the failure.
                self.edit(&respond::in_its_place(answer, self.language)).await.map(drop)?;
                Err(SendError::Refused)
            }
            Err(error) => Err(error),
        }
    }
}
