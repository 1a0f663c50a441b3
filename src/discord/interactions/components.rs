//! Components and modals: checks who may use one, and runs its action.
//!
//! Each carries its purpose in its signed custom id. A control that runs a command takes the path of a slash command:
//! router, access, executor, receipt. So access is checked again on every use.

use std::time::SystemTime;

use serenity::all::{Button, ButtonKind, ButtonStyle, CreateActionRow, CreateButton};
use serenity::builder::{CreateAllowedMentions, CreateInteractionResponseMessage, EditMessage};
use serenity::model::channel::MessageFlags;
use tracing::{error, info};

use crate::convert::{self, Used};
use crate::custom_id::{Decision, Purpose, QuestionId, Refused, Signer};
use crate::interactions::deliver::Delivery;
use crate::interactions::serve::{InPlace, Presented};
use crate::payload::{ComponentInteraction, Message, ModalInteraction};
use crate::render::button;
use crate::render::turn_text::closed_question;
use crate::rest::{Rest, change};
use crate::shared::Shared;
use crate::shared::questions::Click;
use candor_core::contract::text_form::as_typed;
use candor_core::inbound::{CallMethod, CommandPath, EventId, Inbound, Place};
use candor_core::language::{Language, say};
use candor_core::record::{Outcome, TurnId, UnknownInteraction};
use candor_core::reply::{Answer, PreparedCall, Provenance};
use candor_core::text::{in_code_block, visible};
use candor_engine::dispatch::Keeping;

impl Shared {
    /// Answers a component interaction, under our messages and any other.
    pub(crate) async fn pressed(&self, press: &ComponentInteraction<'_>) {
        let used = Used::press(press, self.language());
        let language = used.caller.language;
        let now = SystemTime::now();
        let signer = self.custom_ids.for_person(used.caller.id, now);
        let delivery = Delivery::new(&self.rest, press.id, &press.token).speaking(language).signing(signer);
        let did_nothing = || say!(language, "closed-press");
        let Some(slot) = self.admit(&delivery, used.caller.id, language, did_nothing).await else { return };
        match self.custom_ids.open(&press.data.custom_id, used.caller.id, now) {
            Ok(Purpose::Run(call)) => drop(self.call(delivery, press, used, call, None).await),
            Ok(Purpose::Ask(call)) => self.asks(&delivery, &used, call, signer).await,
            Ok(Purpose::Fill { call, option }) => match convert::chosen(press) {
                Some(value) => drop(self.call(delivery, press, used, call, Some((&option, &value))).await),
                None => self.refuse(&delivery, &used, &Refused::Unknown).await,
            },
            Ok(Purpose::Decide(question, choice)) => self.decided(&delivery, press, used, question, choice).await,
            Ok(Purpose::Offer(turn, place)) => self.offered(delivery, press, used, turn, place).await,
            Ok(Purpose::Stop(event)) => match self.dispatcher.chat.stop(event, &used.caller, used.place) {
                // The end of the turn shows it.
                Ok(()) => delivery.acknowledge().await,
                Err(why) => delivery.refuse(&why).await,
            },
            Ok(Purpose::GoOn(turn)) => {
                // From here on it is a chat, which takes a message slot instead.
                drop(slot);
                self.go_on_from(&delivery, press, used, turn).await;
            }
            Ok(Purpose::AskAgain(turn)) => {
                self.ask_again_from(&delivery, press, used, turn, slot).await;
            }
            Ok(Purpose::Submit { .. } | Purpose::Nothing) => self.refuse(&delivery, &used, &Refused::Unknown).await,
            Err(refused) => self.refuse(&delivery, &used, &refused).await,
        }
    }

    pub(crate) async fn submitted(&self, modal: &ModalInteraction<'_>) {
        let used = Used::submission(modal, self.language());
        let language = used.caller.language;
        let now = SystemTime::now();
        let signer = self.custom_ids.for_person(used.caller.id, now);
        let delivery = Delivery::new(&self.rest, modal.id, &modal.token).speaking(language).signing(signer);
        let did_nothing = || say!(language, "closed-modal");
        let Some(_slot) = self.admit(&delivery, used.caller.id, language, did_nothing).await else { return };
        match self.custom_ids.open(&modal.data.custom_id, used.caller.id, now) {
            Ok(Purpose::Submit { path, arguments, control }) => {
                if !self.takes_control(&delivery, control, &path, language).await {
                    return;
                }
                let arguments = convert::with_fields(arguments, modal, |name| self.dispatcher.option(&path, name));
                let shown = Presented {
                    locale: &modal.locale,
                    in_place: InPlace::No,
                    changes: None,
                    control: None,
                    claimed: control,
                    live: None,
                };
                let answer = self.serve(delivery, used.calling(&path, arguments), shown, &Keeping::default()).await;
                if let (Some(control), Some(message)) = (control, &modal.data.message)
                    && answer.as_ref().is_some_and(has_run)
                {
                    take_button(&self.rest, message, |id| EventId::of_control(message.id.get(), id) == control).await;
                }
            }
            Ok(_) => self.refuse(&delivery, &used, &Refused::Unknown).await,
            Err(refused) => self.refuse(&delivery, &used, &refused).await,
        }
    }

    /// Shows another module's command that a module offers, with a button that runs it.
    async fn asks(&self, delivery: &Delivery<'_>, used: &Used, call: PreparedCall, signer: Signer<'_>) {
        let language = used.caller.language;
        if self.dispatcher.chat.access.is_blocked(&used.caller) {
            return delivery.refuse(&say!(language, "press-blocked")).await;
        }
        let command = as_typed(&call.path, call.arguments.keys(), &call.arguments, usize::MAX);
        info!(command.name = %call.path, user.id = %used.caller.id.0, "a button of another module asks before it runs");
        let Ok(id) = signer.sign(&Purpose::Run(call), 0) else {
            return self.refuse(delivery, used, &Refused::Unknown).await;
        };
        let asked = in_code_block(&visible(&command, usize::MAX));
        let run = CreateButton::new(id).label(say!(language, "button-run-asked")).style(ButtonStyle::Primary);
        delivery.ask(&format!("{}\n{asked}", say!(language, "question-button")), run).await;
    }

    /// Runs a prepared call, with the value chosen in a select menu for its option.
    async fn call(
        &self,
        delivery: Delivery<'_>,
        press: &ComponentInteraction<'_>,
        used: Used,
        call: PreparedCall,
        chosen: Option<(&str, &str)>,
    ) -> Option<Answer> {
        let PreparedCall { path, mut arguments, in_place, once, for_everyone } = call;
        let changes = (in_place && for_everyone).then_some(press.data.message.id);
        let control = once.then(|| EventId::of_control(press.data.message.id.get(), &press.data.custom_id));
        // A modal first shows an offered change, and takes the control when it is submitted.
        let taken = control.filter(|_| used.method != CallMethod::Offered);
        if !self.takes_control(&delivery, taken, &path, used.caller.language).await {
            return None;
        }
        if let Some((option, value)) = chosen {
            convert::put_chosen(&mut arguments, option, value, self.dispatcher.option(&path, option).as_ref());
        }
        // An answer for one person must not replace a message that others can read.
        let is_seen_by_one = matches!(used.place, Place::Direct { .. }) || press.data.message.is_ephemeral();
        let in_place = match (in_place, is_seen_by_one) {
            (false, _) => InPlace::No,
            (true, true) => InPlace::Yes,
            (true, false) => InPlace::IfForAll,
        };
        let shown = Presented { locale: &press.locale, in_place, changes, control, claimed: taken, live: None };
        self.serve(delivery, used.calling(&path, arguments), shown, &Keeping::default()).await
    }

    /// Claims a single-use control, if there is one. If it was used before, tells the person and returns false.
    async fn takes_control(
        &self,
        delivery: &Delivery<'_>,
        control: Option<EventId>,
        path: &CommandPath,
        language: Language,
    ) -> bool {
        let Some(control) = control else { return true };
        let command = path.to_string();
        let refusal = match self.dispatcher.executor.claim(control).await {
            Ok(true) => return true,
            Ok(false) => say!(language, "control-used", command = command),
            Err(problem) => {
                error!(error = %problem, "a control could not be claimed");
                say!(language, "command-store", command = command)
            }
        };
        delivery.refuse(&refusal).await;
        false
    }

    /// Releases a single-use control if no command ran: it was refused, or a modal asks for more first.
    pub(super) async fn release_unless_run(&self, control: Option<EventId>, answer: Option<&Answer>) {
        if let Some(control) = control
            && !answer.is_some_and(has_run)
        {
            self.dispatcher.executor.release(control).await;
        }
    }

    /// Tells the person why the component or modal does nothing, and what to do.
    async fn refuse(&self, delivery: &Delivery<'_>, used: &Used, refused: &Refused) {
        if self.dispatcher.chat.access.is_blocked(&used.caller) {
            return delivery.refuse(&say!(used.caller.language, "press-blocked")).await;
        }
        info!(user.id = %used.caller.id.0, why = refused.name(), "a control did nothing");
        self.note_control(used.method, refused);
        delivery.refuse(&words(refused, used.caller.language)).await;
    }

    /// Counts a component that does not exist. A component of another person exists and is not counted.
    fn note_control(&self, method: CallMethod, refused: &Refused) {
        match (refused, method) {
            (Refused::Foreign(_), _) => {}
            (_, CallMethod::Submitted) => self.counters.unknown.count(UnknownInteraction::Modal),
            _ => self.counters.unknown.count(UnknownInteraction::Component),
        }
    }

    async fn decided(
        &self,
        delivery: &Delivery<'_>,
        press: &ComponentInteraction<'_>,
        used: Used,
        question: QuestionId,
        choice: Decision,
    ) {
        if self.dispatcher.chat.access.is_blocked(&used.caller) {
            return delivery.refuse(&say!(used.caller.language, "press-blocked")).await;
        }
        let click = self.questions.click(question, &used.caller, EventId(press.id.get()), choice);
        info!(user.id = %used.caller.id.0, click = ?click, "a question was clicked");
        let language = used.caller.language;
        match click {
            Click::Decided => {
                let end = match choice {
                    Decision::Confirm => say!(language, "question-confirmed"),
                    Decision::Decline => say!(language, "question-declined"),
                };
                delivery.update(without_buttons(&closed_question(&press.data.message.content, &end))).await;
            }
            Click::NotTheirs => delivery.refuse(&say!(language, "control-not-yours")).await,
            // It may have been confirmed a moment ago, so this text is about the click alone.
            Click::Closed => delivery.refuse(&say!(language, "press-closed")).await,
        }
    }

    async fn go_on_from(&self, delivery: &Delivery<'_>, press: &ComponentInteraction<'_>, used: Used, turn: TurnId) {
        let language = used.caller.language;
        let _room = match self.gate.chat(used.caller.id, press.guild_id) {
            Ok(room) => room,
            Err(closed) => return delivery.refuse(&closed.text(&say!(language, "closed-press"), language)).await,
        };
        if let Err(why) = self.dispatcher.chat.go_on(turn, &used.caller).await {
            return delivery.refuse(&why).await;
        }
        delivery.acknowledge().await;
        self.go_on(press, &Inbound::GoOn(used.going_on(turn))).await;
    }

    async fn offered(
        &self,
        delivery: Delivery<'_>,
        press: &ComponentInteraction<'_>,
        used: Used,
        turn: TurnId,
        place: u8,
    ) {
        let (call, taken) = match self.dispatcher.chat.offered(turn, usize::from(place), &used.caller).await {
            Ok(taken) => taken,
            Err(why) => return delivery.refuse(&why).await,
        };
        let answer = self.call(delivery, press, used.of_offer(), call, None).await;
        let is_change = taken.is_change();
        self.dispatcher.chat.offered_ended(taken, answer.as_ref()).await;
        if is_change && answer.as_ref().is_some_and(has_run) {
            take_button(&self.rest, &press.data.message, |id| id == press.data.custom_id).await;
        }
    }
}

/// Returns whether a command ran and may have changed something. A refusal can be resolved: for example, there is room
/// again after something is deleted.
fn has_run(answer: &Answer) -> bool {
    match &answer.provenance {
        Provenance::Command(receipt) => receipt.facts().outcome != Outcome::Refused,
        Provenance::Turn(_) | Provenance::Host => false,
    }
}

pub(super) fn words(refused: &Refused, language: Language) -> String {
    match refused {
        Refused::Unknown => say!(language, "control-unknown"),
        Refused::Forged => say!(language, "control-forged"),
        Refused::Expired(Some(path)) => say!(language, "control-expired", command = path.to_string()),
        Refused::Expired(None) => say!(language, "control-outdated"),
        Refused::Foreign(Some(path)) => say!(language, "control-foreign", command = path.to_string()),
        Refused::Foreign(None) => say!(language, "control-not-yours"),
    }
}

fn without_buttons(content: &str) -> CreateInteractionResponseMessage {
    CreateInteractionResponseMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .components(Vec::<CreateActionRow>::new())
        .content(content)
}

/// Removes a used button from its message. If that fails, the next press says so.
async fn take_button(rest: &Rest, message: &Message<'_>, is_used: impl Fn(&str) -> bool) {
    let is_left =
        |button: &Button| !matches!(&button.data, ButtonKind::NonLink { custom_id, .. } if is_used(custom_id));
    let body = EditMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .flags(MessageFlags::SUPPRESS_EMBEDS)
        .components(button::rows(&message.components, is_left));
    let _shown = change(rest, message.channel_id, message.id, &body).await;
}
