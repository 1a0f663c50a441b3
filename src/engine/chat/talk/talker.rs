//! The conversation services behind `/clear`, `/model` and `/context`.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock, Weak};

use async_trait::async_trait;

use crate::chat::budget::Budgets;
use crate::chat::modes::ToolModes;
use crate::chat::places::Places;
use crate::chat::queue::TurnQueues;
use crate::chat::shares::{MessageRate, TurnShares};
use crate::chat::talk::private_offers::PrivateOffers;
use crate::executor::Executor;
use crate::rules::Guilds;
use candor_core::access::Access;
use candor_core::agent::prompt::{PastExchanges, PromptModel, Scene, preview, shown_summary, summary_tokens};
use candor_core::agent::tools::OfferedSet;
use candor_core::agent::{
    ChatSettings, ConversationKey, Conversations, OfferedModel, PlaceChat, Summaries, Summary, Whose,
};
use candor_core::contract::{
    Cleared, ClearedConversation, ConversationContext, ModelChoice, NoThread, ServiceError, ServiceName, Talk,
    TimeZones, ToolMode,
};
use candor_core::guild::Rules;
use candor_core::inbound::{Asking, CallMethod, Caller, ChannelId, EventId, GuildId, Permissions, Place, UserId};
use candor_core::registry::Catalog;
use candor_core::text::Zone;

#[derive(Clone, Copy)]
pub struct NewThread<'a> {
    pub owner: UserId,
    /// The message that it begins with, if any.
    pub from: Option<EventId>,
    pub title: &'a str,
}

#[async_trait]
pub trait Threads: Send + Sync {
    async fn open(&self, of: (GuildId, ChannelId), new: NewThread<'_>) -> Result<ChannelId, NoThread>;
}

/// The parts that decide who may chat, and with which tools.
struct Around {
    executor: Weak<Executor>,
    access: Access,
    budgets: Arc<Budgets>,
}

/// The models that conversations may use, and the turns in progress.
pub struct Talker {
    settings: ChatSettings,
    /// Set later: the executor needs the services, which include this one.
    around: OnceLock<Around>,
    /// Opens threads. Set later still, by the edge. `None` if threads cannot be opened.
    threads: OnceLock<Weak<dyn Threads>>,
    /// How each model calls tools, and whether it takes images.
    pub(in crate::chat) modes: ToolModes,
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
            around: OnceLock::new(),
            threads: OnceLock::new(),
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

    /// Sets the parts for `/context`, which counts entries of modules and available commands, and for `/thread`, which
    /// checks who may chat.
    pub fn asks(&self, executor: &Arc<Executor>, access: Access, budgets: Arc<Budgets>) {
        let _first = self.around.set(Around { executor: Arc::downgrade(executor), access, budgets });
    }

    /// Whether this person sent fewer than `per_minute` messages in the last minute.
    pub(crate) fn may_send(&self, person: UserId, per_minute: usize) -> bool {
        self.rate.has_room(person, per_minute)
    }

    pub fn opens(&self, threads: Weak<dyn Threads>) {
        let _first = self.threads.set(threads);
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

    /// Whether a person may change a shared conversation: an operator, or a member who may delete its messages.
    fn may_manage(&self, caller: &Caller, place: Place) -> bool {
        let is_operator = self.around.get().is_some_and(|around| around.access.is_operator(caller, place));
        let wanted = Permissions::from_name("manage_messages");
        let has = caller.member.as_ref().and_then(|member| member.permissions);
        is_operator || has.zip(wanted).is_some_and(|(has, wanted)| has.missing(wanted).is_empty())
    }

    /// Returns the reason why this person could not chat in a new thread of this channel, if there is one.
    async fn is_mute(&self, caller: &Caller, place: Place, rules: &Rules) -> Option<String> {
        let (Place::Guild { guild, .. }, Some(around)) = (place, self.around.get()) else { return None };
        // No setting names a thread that does not exist yet.
        let thread = Place::Guild { guild, channel: ChannelId(0) };
        let access = &around.access;
        let executor = around.executor.upgrade()?;
        if let Err(denied) = access.chat.admits(caller, thread, access.is_operator(caller, place)) {
            return Some(denied.text(caller.language));
        }
        // Administrators' settings for a channel also apply to its threads.
        if let Err(denied) = self.places.admits(caller, place, rules) {
            return Some(denied.text(caller.language));
        }
        let refusal = around.budgets.refusal(caller.id, place, executor.clock.now()).await?;
        Some(refusal.text(place, caller.language))
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
}

impl TimeZones for Talker {
    fn zone(&self, place: Place) -> Zone {
        self.places.of_operator(place).time_zone.unwrap_or_else(|| self.settings.time_zone.clone())
    }
}

#[async_trait]
impl Talk for Talker {
    fn models(&self) -> Vec<ModelChoice> {
        let choice = |model: &OfferedModel| ModelChoice {
            name: model.name.clone(),
            tools: self.modes.known(&model.name),
            images: self.modes.known_to_see(&model.name),
            context_tokens: model.context_tokens,
        };
        self.settings.models.iter().map(choice).collect()
    }

    async fn model_of(&self, place: Place, user: UserId, rules: &Rules) -> Result<Option<String>, ServiceError> {
        let here = self.places.at(place, rules);
        Ok(self.chosen(&self.key(place, user), &here).await?.map(|model| model.name.clone()))
    }

    async fn set_model(&self, caller: &Caller, place: Place, model: &str) -> Result<bool, ServiceError> {
        let key = self.key(place, caller.id);
        if key.is_shared() && !self.may_manage(caller, place) {
            return Ok(false);
        }
        self.conversations.choose_model(&key, model).await.map(|()| true)
    }

    async fn clear(&self, caller: &Caller, place: Place) -> Result<ClearedConversation, ServiceError> {
        let own = ConversationKey::new(place, caller.id);
        let what = match self.key(place, caller.id).is_shared() {
            false => Cleared::Own,
            true if self.may_manage(caller, place) => Cleared::Shared,
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
                ended |= self.queues.clear_part(&shared, caller.id);
                messages += self.conversations.clear_part(place, caller.id).await?;
            }
        }
        Ok(ClearedConversation { messages, ended, what })
    }

    async fn context(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
    ) -> Result<Option<ConversationContext>, ServiceError> {
        let key = self.key(place, caller.id);
        let here = self.places.at(place, rules);
        let Some(model) = self.chosen(&key, &here).await? else { return Ok(None) };
        let known = self.around.get().and_then(|around| Some((around.executor.upgrade()?, &around.access)));
        let (executor, access) = known.ok_or(ServiceError::NotGranted(ServiceName::Commands.name()))?;
        let settings = self.settings.in_place(&here);
        let history = self.conversations.history(&key, settings.history).await?;
        let n_kept = usize::try_from(self.conversations.n_exchanges(&key).await?).unwrap_or(usize::MAX);
        let n_older = n_kept.saturating_sub(history.len());
        let asking = Asking { caller, place, method: CallMethod::Typed };
        let catalog = access.here(rules).catalog(&executor.registry.now(), &asking);
        // Before its first use it is unknown how a model calls tools; most do it by the API.
        let mode = self.modes.known(&model.name).unwrap_or(ToolMode::Native);
        let offered = self.offered(&catalog, place, &here, mode);
        let background = executor.background(caller, place, rules).await;
        let now = executor.clock.now();
        let is_shared = key.is_shared();
        let scene = Scene { person: &caller.name, place, names: None, now, background: &background, is_shared };
        let past = PastExchanges { history: &history, n_older };
        let summary = self
            .summary(&key, &settings)
            .await?
            .map(|summary| (summary.n_exchanges, summary_tokens(&shown_summary(&summary.text, model.context_tokens))));
        let tokens = summary.map_or(0, |(_, tokens)| tokens);
        let seen = preview(&settings, PromptModel::of(model, mode), &scene, &catalog, &offered, past, tokens);
        Ok(Some(ConversationContext {
            is_shared,
            model: model.name.clone(),
            context_tokens: model.context_tokens,
            answer_tokens: model.answer_tokens,
            system_tokens: seen.system_tokens,
            n_tools: offered.tools().len(),
            tools_tokens: seen.tools_tokens,
            told_by_modules: background.into_iter().map(|told| (told.title, told.entries.len())).collect(),
            n_shown: seen.n_shown,
            shown_tokens: seen.shown_tokens,
            n_left_out: seen.n_left_out,
            summary,
            room: seen.room,
        }))
    }

    async fn open_thread(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
        title: &str,
    ) -> Result<ChannelId, NoThread> {
        let Place::Guild { guild, channel } = place else { return Err(NoThread::NotHere) };
        let threads = self.threads.get().and_then(Weak::upgrade).ok_or(NoThread::NotHere)?;
        if let Some(why) = self.is_mute(caller, place, rules).await {
            return Err(NoThread::Mute(why));
        }
        threads.open((guild, channel), NewThread { owner: caller.id, from: None, title }).await
    }

    async fn end_turns(&self, user: UserId) {
        for key in self.queues.of(user) {
            let _whether_one_ran =
                if key.is_shared() { self.queues.clear_part(&key, user) } else { self.queues.clear(&key) };
        }
    }
}
