//! The models that conversations use, and the conversations behind `/clear`, `/model` and `/context`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::chat::modes::ToolModes;
use crate::chat::places::Places;
use crate::chat::queue::TurnQueues;
use crate::chat::shares::{MessageRate, TurnShares};
use crate::chat::talk::private_offers::PrivateOffers;
use crate::rules::Guilds;
use candor_core::agent::prompt::{
    Background, PastExchanges, Preview, PromptModel, Scene, preview, shown_summary, summary_tokens,
};
use candor_core::agent::tools::OfferedSet;
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, OfferedModel, PlaceChat, Summaries, Summary, ToolMode, Whose,
};
use candor_core::contract::{ServiceError, TimeZones};
use candor_core::inbound::{Caller, Place, UserId};
use candor_core::registry::Catalog;
use candor_core::text::Zone;

/// The models that conversations may use, and the turns in progress.
pub struct Talker {
    settings: ChatSettings,
    /// How each model calls tools, and whether it takes images.
    pub(crate) modes: ToolModes,
    conversations: Arc<dyn Conversations>,
    pub(in crate::chat) queues: Arc<TurnQueues>,
    /// The people and guilds with running turns.
    pub(in crate::chat) shares: TurnShares,
    pub(in crate::chat) summaries: Option<Arc<dyn Summaries>>,
    pub(in crate::chat) private_offers: PrivateOffers,
    pub(in crate::chat) rate: MessageRate,
    /// The settings of single places.
    pub(in crate::chat) places: Arc<Places>,
}

impl Talker {
    /// Creates the services for the models of these settings.
    pub fn new(settings: &ChatSettings, conversations: Arc<dyn Conversations>) -> Self {
        Self {
            settings: settings.clone(),
            modes: ToolModes::new(&settings.models),
            conversations,
            queues: Arc::default(),
            shares: TurnShares::default(),
            private_offers: PrivateOffers::default(),
            rate: MessageRate::default(),
            summaries: None,
            places: Arc::new(Places::new(settings.places.clone())),
        }
    }

    #[must_use]
    pub fn in_guilds(self, guilds: Arc<Guilds>) -> Self {
        let places = Places::new(self.settings.places.clone()).in_guilds(guilds);
        Self { places: Arc::new(places), ..self }
    }

    #[must_use]
    pub fn summarised(self, summaries: Arc<dyn Summaries>) -> Self {
        Self { summaries: Some(summaries), ..self }
    }

    /// Returns the summary of the exchanges that a model is no longer shown, if summaries are on.
    pub(in crate::chat) async fn summary(
        &self,
        key: &ConversationKey,
        settings: &ChatSettings,
    ) -> Result<Option<Summary>, ServiceError> {
        match &self.summaries {
            Some(store) if settings.summaries => store.summary(key).await,
            _ => Ok(None),
        }
    }

    /// Whether this person sent fewer than `per_minute` messages in the last minute.
    pub(crate) fn may_send(&self, person: UserId, per_minute: usize) -> bool {
        self.rate.has_room(person, per_minute)
    }

    pub fn places(&self) -> &Arc<Places> {
        &self.places
    }

    /// Shuts down: messages that wait for a turn are refused, with a sentence that says so.
    pub fn leave(&self) {
        self.queues.leaving.cancel();
    }

    /// Returns the commands that a model may call as tools in a place with these settings, in this mode.
    pub(in crate::chat) fn offered(
        &self,
        catalog: &Catalog,
        place: Place,
        here: &PlaceChat,
        mode: ToolMode,
    ) -> OfferedSet {
        let write_tools = match here.write_tools {
            Some(false) => Some(BTreeSet::new()),
            Some(true) | None => self.settings.write_tools.clone(),
        };
        let offered = OfferedSet::of(catalog, place, write_tools.as_ref());
        let offered = match &here.tools {
            Some(tools) => offered.only(tools),
            None => offered,
        };
        match mode {
            ToolMode::None => offered.all_withheld(),
            ToolMode::Native | ToolMode::Text => offered,
        }
    }

    /// Returns the conversation of a person in a place: their own, or the shared one.
    pub(in crate::chat) fn key(&self, place: Place, user: UserId) -> ConversationKey {
        let whose = self.places.of_operator(place).conversation.unwrap_or(self.settings.conversation);
        match (place, whose) {
            (Place::Guild { .. }, Whose::Channel) => ConversationKey::shared(place),
            _ => ConversationKey::new(place, user),
        }
    }

    pub(in crate::chat) fn default_model(&self) -> Option<&OfferedModel> {
        self.settings.models.first()
    }

    /// Returns the models to ask, in order: the conversation's, then the fallbacks.
    pub(in crate::chat) async fn candidates(
        &self,
        key: &ConversationKey,
        here: &PlaceChat,
    ) -> Result<Vec<&OfferedModel>, ServiceError> {
        let chosen = self.chosen(key, here).await?;
        let named = |name: &str| self.settings.models.iter().find(|model| model.name == name);
        let stand_in = self.settings.fallbacks.iter().filter_map(|name| named(name));
        let others = stand_in.filter(|model| Some(*model) != chosen);
        Ok(chosen.into_iter().chain(others).collect())
    }

    /// Returns the conversation's model, if it is still configured; else the place's, or the default.
    async fn chosen(&self, key: &ConversationKey, here: &PlaceChat) -> Result<Option<&OfferedModel>, ServiceError> {
        let named = |name: &str| self.settings.models.iter().find(|model| model.name == name);
        let chosen = self.conversations.model(key).await?.as_deref().and_then(named);
        let of_place = || here.model.as_deref().and_then(named);
        Ok(chosen.or_else(of_place).or_else(|| self.default_model()))
    }

    /// Returns the models that conversations may use, the default first. Empty if none is configured.
    pub(crate) fn models(&self) -> &[OfferedModel] {
        &self.settings.models
    }

    /// Returns the model that this conversation uses in a place with these settings.
    pub(crate) async fn model_of(
        &self,
        place: Place,
        user: UserId,
        here: &PlaceChat,
    ) -> Result<Option<String>, ServiceError> {
        Ok(self.chosen(&self.key(place, user), here).await?.map(|model| model.name.clone()))
    }

    /// Sets the model of this conversation. Returns false if this person may not, because others share it. `manages`:
    /// whether they may change a shared one.
    pub(crate) async fn set_model(
        &self,
        place: Place,
        user: UserId,
        model: &str,
        manages: bool,
    ) -> Result<bool, ServiceError> {
        let key = self.key(place, user);
        if key.is_shared() && !manages {
            return Ok(false);
        }
        self.conversations.choose_model(&key, model).await.map(|()| true)
    }

    /// Ends the running turn, forgets the conversation, removes its words from the stored turns, and counts the
    /// forgotten messages. In a shared conversation it clears this person's part, and all of it if they may change it.
    pub(crate) async fn clear(
        &self,
        place: Place,
        user: UserId,
        manages: bool,
    ) -> Result<ClearedConversation, ServiceError> {
        let own = ConversationKey::new(place, user);
        let what = match self.key(place, user).is_shared() {
            false => Cleared::Own,
            true if manages => Cleared::Shared,
            true => Cleared::Part,
        };
        let _clearing = self.queues.clearing.write().await;
        // Comes first, so that nothing of it comes back.
        let mut ended = self.queues.clear(&own);
        let mut messages = self.conversations.clear(&own).await?;
        // Both conversations may exist, from before the setting was changed.
        if matches!(place, Place::Guild { .. }) {
            let shared = ConversationKey::shared(place);
            if what == Cleared::Shared {
                ended |= self.queues.clear(&shared);
                messages += self.conversations.clear(&shared).await?;
            } else {
                ended |= self.queues.clear_part(&shared, user);
                messages += self.conversations.clear_part(place, user).await?;
            }
        }
        Ok(ClearedConversation { messages, ended, what })
    }

    /// Returns the current context of the model for this conversation, in a place with these settings. `None` if no
    /// model is configured.
    pub(crate) async fn context(
        &self,
        caller: &Caller,
        place: Place,
        here: &PlaceChat,
        now: SystemTime,
        catalog: &Catalog,
        background: Vec<Background>,
    ) -> Result<Option<ConversationContext>, ServiceError> {
        let key = self.key(place, caller.id);
        let Some(model) = self.chosen(&key, here).await? else { return Ok(None) };
        let settings = self.settings.in_place(here);
        let history = self.conversations.history(&key, settings.history).await?;
        let n_kept = usize::try_from(self.conversations.n_exchanges(&key).await?).unwrap_or(usize::MAX);
        let n_older = n_kept.saturating_sub(history.len());
        // Before its first use it is unknown how a model calls tools; most do it by the API.
        let mode = self.modes.known(&model.name).unwrap_or(ToolMode::Native);
        let offered = self.offered(catalog, place, here, mode);
        let is_shared = key.is_shared();
        let scene = Scene { person: &caller.name, place, names: None, now, background: &background, is_shared };
        let past = PastExchanges { history: &history, n_older };
        let summary = self
            .summary(&key, &settings)
            .await?
            .map(|summary| (summary.n_exchanges, summary_tokens(&shown_summary(&summary.text, model.context_tokens))));
        let tokens = summary.map_or(0, |(_, tokens)| tokens);
        let preview = preview(&settings, PromptModel::of(model, mode), &scene, catalog, &offered, past, tokens);
        let n_tools = offered.tools().len();
        Ok(Some(ConversationContext { is_shared, model: model.clone(), preview, n_tools, background, summary }))
    }

    /// Ends all turns of this person in this process, for good. Nothing of them is stored.
    pub(crate) fn end_turns(&self, user: UserId) {
        for key in self.queues.of(user) {
            let _whether_one_ran =
                if key.is_shared() { self.queues.clear_part(&key, user) } else { self.queues.clear(&key) };
        }
    }
}

impl TimeZones for Talker {
    fn zone(&self, place: Place) -> Zone {
        self.places.of_operator(place).time_zone.unwrap_or_else(|| self.settings.time_zone.clone())
    }
}

/// The content of a model's context for a conversation.
pub(crate) struct ConversationContext {
    /// Whether everyone in the channel shares the conversation.
    pub(crate) is_shared: bool,
    pub(crate) model: OfferedModel,
    pub(crate) preview: Preview,
    /// How many commands the model may call as tools.
    pub(crate) n_tools: usize,
    /// The entries of modules about the person.
    pub(crate) background: Vec<Background>,
    /// The number of summarized exchanges, and the tokens of the summary. `None` without a summary.
    pub(crate) summary: Option<(u64, usize)>,
}

/// The result of clearing a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClearedConversation {
    /// How many messages were cleared, the person's and the model's together.
    pub(crate) messages: u64,
    /// Whether a running turn was ended.
    pub(crate) ended: bool,
    /// Which part of the conversation was cleared.
    pub(crate) what: Cleared,
}

/// The cleared part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleared {
    /// All of a person's own conversation.
    Own,
    /// A person's part of a shared conversation.
    Part,
    /// All of a shared conversation.
    Shared,
}
