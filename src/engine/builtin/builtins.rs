//! The parts of the bot that its built-in commands use, bound to one call.

use std::sync::Arc;

use crate::chat::{Budgets, ClearedConversation, ConversationContext, NewThread, NoThread, Talker, Threads, ToolModes};
use crate::executor::{Flights, ModuleCalls};
use crate::personal::{Erased, KeptOfPerson, PersonalData};
use crate::rules::Guilds;
use crate::storage::ReceiptBook;
use candor_core::access::Access;
use candor_core::agent::{OfferedModel, PlaceChat, Turns};
use candor_core::contract::{Call, Command, ServiceError};
use candor_core::inbound::{Asking, CallMethod, ChannelId, Permissions, Place};
use candor_core::registry::Catalog;

/// The parts of the bot that its built-in commands use. The executor adds them to the calls of these commands alone.
pub struct Builtins {
    pub calls: Arc<ModuleCalls>,
    pub access: Access,
    pub guilds: Arc<Guilds>,
    pub talker: Arc<Talker>,
    pub budgets: Arc<Budgets>,
    pub receipts: Arc<dyn ReceiptBook>,
    pub turns: Arc<dyn Turns>,
    pub personal: PersonalData,
    /// Opens threads. `None` at the console.
    pub threads: Option<Arc<dyn Threads>>,
    /// The receipts that are not in the ledger yet.
    pub flights: Flights,
}

/// The bot as the caller of a built-in command may use it. A change that no commit can take back is announced first.
pub(super) struct Bot<'a> {
    pub(super) call: &'a Call,
    parts: Arc<Builtins>,
}

impl<'a> Bot<'a> {
    pub(super) fn of(call: &'a Call) -> Result<Self, ServiceError> {
        let parts = call.services.internals().ok_or(ServiceError::NotGranted("builtin"))?;
        Ok(Self { call, parts })
    }

    fn catalog(&self, asking: &Asking<'_>) -> Catalog {
        let Builtins { access, calls, .. } = &*self.parts;
        access.here(&self.call.rules).catalog(&calls.registry.now(), asking)
    }

    /// Returns the commands that the caller may use, by name: slash commands, then context-menu commands. Each contains
    /// only the parts that the caller may use.
    pub(super) fn usable(&self) -> Vec<Arc<Command>> {
        self.catalog(&self.call.services.asking()).usable()
    }

    pub(super) fn is_operator(&self) -> bool {
        self.parts.access.is_operator(&self.call.caller, self.call.place)
    }

    pub(super) fn guilds(&self) -> &Guilds {
        &self.parts.guilds
    }

    pub(super) fn budgets(&self) -> &Budgets {
        &self.parts.budgets
    }

    /// Returns the models that conversations may use, the default first. Empty if none is configured.
    pub(super) fn models(&self) -> &[OfferedModel] {
        self.parts.talker.models()
    }

    pub(super) fn modes(&self) -> &ToolModes {
        &self.parts.talker.modes
    }

    /// Returns the settings that override the chat defaults here.
    fn chat(&self) -> PlaceChat {
        self.parts.talker.places().at(self.call.place, &self.call.rules)
    }

    /// Returns the model that this conversation uses.
    pub(super) async fn model(&self) -> Result<Option<String>, ServiceError> {
        self.parts.talker.model_of(self.call.place, self.call.caller.id, &self.chat()).await
    }

    /// Sets the model of this conversation. Returns false if the caller may not, because others share it.
    pub(super) async fn set_model(&self, model: &str) -> Result<bool, ServiceError> {
        self.call.services.announce().await?;
        self.parts.talker.set_model(self.call.place, self.call.caller.id, model, self.manages()).await
    }

    /// Clears this conversation. See [`Talker::clear`].
    pub(super) async fn clear(&self) -> Result<ClearedConversation, ServiceError> {
        self.call.services.announce().await?;
        self.parts.talker.clear(self.call.place, self.call.caller.id, self.manages()).await
    }

    /// Whether the caller may change a shared conversation: an operator, or a member who may delete its messages.
    fn manages(&self) -> bool {
        let wanted = Permissions::from_name("manage_messages");
        let has = self.call.caller.member.as_ref().and_then(|member| member.permissions);
        self.is_operator() || has.zip(wanted).is_some_and(|(has, wanted)| has.missing(wanted).is_empty())
    }

    /// Returns the current context of the model for this conversation. `None` if no model is configured.
    pub(super) async fn context(&self) -> Result<Option<ConversationContext>, ServiceError> {
        let Call { caller, place, now, rules, .. } = self.call;
        let catalog = self.catalog(&Asking { caller, place: *place, method: CallMethod::Typed });
        let background = self.parts.calls.background(caller, *place, rules, *now).await;
        self.parts.talker.context(caller, *place, &self.chat(), *now, &catalog, background).await
    }

    /// Opens a thread with this title in the channel, for a separate conversation, if the caller may talk in it.
    /// Returns its id.
    pub(super) async fn open_thread(&self, title: &str) -> Result<ChannelId, NoThread> {
        self.call.services.announce().await.map_err(|_| NoThread::Failed)?;
        let Place::Guild { guild, channel } = self.call.place else { return Err(NoThread::NotHere) };
        let threads = self.parts.threads.as_ref().ok_or(NoThread::NotHere)?;
        // No setting names a thread that does not exist yet.
        let thread = Place::Guild { guild, channel: ChannelId(0) };
        if let Some(why) = self.no_chat_in(thread).await {
            return Err(NoThread::Mute(why));
        }
        let caller = &self.call.caller;
        let new = NewThread { owner: caller.id, from: None, title, language: caller.language };
        threads.open((guild, channel), new).await
    }

    /// Returns the reason why the caller could not chat in a new thread of this channel, if there is one.
    async fn no_chat_in(&self, thread: Place) -> Option<String> {
        let Builtins { access, talker, budgets, .. } = &*self.parts;
        let Call { caller, place, now, rules, .. } = self.call;
        if let Err(denied) = access.chat.admits(caller, thread, self.is_operator()) {
            return Some(denied.text(caller.language));
        }
        // Administrators' settings for a channel also apply to its threads.
        if let Err(denied) = talker.places().admits(caller, *place, rules) {
            return Some(denied.text(caller.language));
        }
        let refusal = budgets.refusal(caller.id, *place, *now).await?;
        Some(refusal.text(*place, caller.language))
    }

    /// Returns the stored data of the caller. The JSON has at most about `json_max` bytes.
    pub(super) async fn personal_data(&self, json_max: usize) -> Result<KeptOfPerson, ServiceError> {
        self.parts.flights.stored().await;
        self.parts.personal.kept(self.call.caller.id, json_max, self.call.now).await
    }

    /// Erases the stored data of the caller. Anything left after a failure is erased the next time.
    pub(super) async fn erase_personal_data(&self) -> Result<Erased, ServiceError> {
        // A running turn would otherwise be stored after the erasure.
        self.parts.talker.end_turns(self.call.caller.id);
        self.parts.flights.stored().await;
        self.call.services.announce().await?;
        self.parts.personal.erase(self.call.caller.id).await
    }

    /// Returns the ledger, once the receipts of all given answers are in it.
    pub(super) async fn receipts(&self) -> &dyn ReceiptBook {
        self.parts.flights.stored().await;
        &*self.parts.receipts
    }

    pub(super) fn turns(&self) -> &dyn Turns {
        &*self.parts.turns
    }
}
