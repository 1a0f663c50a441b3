//! Predicts the effect of an interaction for the simulator of the operator's page. It is parsed like an arriving one,
//! but it runs nothing, claims nothing and sends nothing.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;
use time::format_description::well_known::Rfc3339;

use crate::convert::{self, Used};
use crate::custom_id::{CustomIds, Decision, Purpose, Refused, Verified};
use crate::interactions::components;
use crate::payload::{ComponentInteraction, ModalInteraction, Read, read_interaction};
use candor_core::contract::OptionSpec;
use candor_core::inbound::{CommandPath, Inbound, UserId};
use candor_core::language::Language;
use candor_core::text::utc_text;
use candor_engine::{InForce, SigningKey};

pub struct Inspector {
    ids: CustomIds,
    in_force: Arc<InForce>,
    language: Language,
}

/// The predicted effect of an interaction.
pub enum Inspected {
    /// The router decides about it.
    Routed(Box<Inbound>, Option<ControlFacts>),
    /// A control that is answered without the router.
    Settled(ControlFacts),
    Refused {
        why: &'static str,
        told: String,
        /// The content of its custom id, if it is one of the bot's.
        control: Option<ControlFacts>,
    },
}

/// The content of the custom id of the bot's button, select menu or modal.
pub struct ControlFacts {
    /// Its action, as the rest of a sentence.
    pub does: &'static str,
    pub made_for: UserId,
    pub is_for_others: bool,
    pub is_once: bool,
    /// When it expires, in UTC as RFC 3339.
    pub expires: String,
}

impl Inspector {
    /// Creates an inspector for controls that are signed with this key and call commands in force. `language` is used
    /// if the bot does not speak a person's language.
    pub fn new(key: SigningKey, in_force: Arc<InForce>, language: Language) -> Self {
        Self { ids: CustomIds::new(key), in_force, language }
    }

    /// Returns the effect of this event at this time. `None` if it is not a readable interaction.
    pub fn inspect(&self, event: &Value, now: SystemTime) -> Option<Inspected> {
        Some(match read_interaction(&event.to_string())? {
            Read::Command(call) | Read::Typing(call) => {
                Inspected::Routed(Box::new(Inbound::Interaction(convert::interaction(&call, self.language))), None)
            }
            Read::Component(press) => {
                let used = Used::press(&press, self.language);
                self.control(used, &press.data.custom_id, now, |used, verified| self.press(&press, used, verified))
            }
            Read::Modal(modal) => {
                let used = Used::submission(&modal, self.language);
                self.control(used, &modal.data.custom_id, now, |used, verified| self.submission(&modal, used, verified))
            }
            Read::Unread(_) => return None,
        })
    }

    /// Verifies a control and converts it with `read`.
    fn control(
        &self,
        used: Used,
        custom_id: &str,
        now: SystemTime,
        read: impl FnOnce(Used, &Verified) -> Result<Option<Inbound>, Refused>,
    ) -> Inspected {
        let by = used.caller.id;
        let language = used.caller.language;
        let refused = |refused: Refused, control| Inspected::Refused {
            why: refused.name(),
            told: components::words(&refused, language),
            control,
        };
        let verified = match self.ids.verify(custom_id) {
            Ok(verified) => verified,
            Err(why) => return refused(why, None),
        };
        let facts = facts(&verified);
        match verified.refused(by, now).map_or_else(|| read(used, &verified), Err) {
            Ok(Some(inbound)) => Inspected::Routed(Box::new(inbound), Some(facts)),
            Ok(None) => Inspected::Settled(facts),
            Err(why) => refused(why, Some(facts)),
        }
    }

    fn press(
        &self,
        press: &ComponentInteraction<'_>,
        used: Used,
        verified: &Verified,
    ) -> Result<Option<Inbound>, Refused> {
        Ok(match &verified.purpose {
            Purpose::Run(call) => Some(Inbound::Interaction(used.calling(&call.path, call.arguments.clone()))),
            Purpose::Fill { call, option } => {
                let value = convert::chosen(press).ok_or(Refused::Unknown)?;
                let mut arguments = call.arguments.clone();
                convert::put_chosen(&mut arguments, option, &value, self.option(&call.path, option).as_ref());
                Some(Inbound::Interaction(used.calling(&call.path, arguments)))
            }
            Purpose::GoOn(turn) => Some(Inbound::GoOn(used.going_on(*turn))),
            Purpose::Ask(_) | Purpose::Decide(..) | Purpose::Offer(..) | Purpose::Stop(_) | Purpose::AskAgain(_) => {
                None
            }
            Purpose::Submit { .. } | Purpose::Nothing => return Err(Refused::Unknown),
        })
    }

    fn submission(
        &self,
        modal: &ModalInteraction<'_>,
        used: Used,
        verified: &Verified,
    ) -> Result<Option<Inbound>, Refused> {
        let Purpose::Submit { path, arguments, .. } = &verified.purpose else { return Err(Refused::Unknown) };
        let arguments = convert::with_fields(arguments.clone(), modal, |name| self.option(path, name));
        Ok(Some(Inbound::Interaction(used.calling(path, arguments))))
    }

    fn option(&self, path: &CommandPath, name: &str) -> Option<OptionSpec> {
        self.in_force.now().find(path)?.1.option(name).cloned()
    }
}

fn facts(verified: &Verified) -> ControlFacts {
    let (does, is_once) = match &verified.purpose {
        Purpose::Run(call) => ("runs a command", call.once),
        Purpose::Ask(_) => ("asks whether a command is to run", false),
        Purpose::Fill { call, .. } => ("runs a command with the chosen value", call.once),
        Purpose::Submit { control, .. } => ("runs a command with what was written into its form", control.is_some()),
        Purpose::Decide(_, Decision::Confirm) => ("lets a command run that waits for a yes", true),
        Purpose::Decide(_, Decision::Decline) => ("keeps a command from running that waits for a yes", true),
        Purpose::Offer(..) => ("runs the command that was offered under a reply", false),
        Purpose::Stop(_) => ("ends a turn of the chat model", false),
        Purpose::GoOn(_) => ("has the chat model go on with its reply", false),
        Purpose::AskAgain(_) => ("has the question asked again", false),
        Purpose::Nothing => ("is disabled", false),
    };
    ControlFacts {
        does,
        made_for: verified.user,
        is_for_others: verified.purpose.is_for_others(),
        is_once,
        expires: utc_text(verified.expires(), &Rfc3339),
    }
}
