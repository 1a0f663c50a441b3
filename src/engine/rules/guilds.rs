//! The settings of guilds in force. They are read from the store before each decision that needs them, so that a change
//! applies at once, in every process on the store.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::timeout;
use tracing::{error, warn};

use crate::rules::around::Around;
use crate::rules::channels_of_guilds::ChannelsOfGuilds;
use crate::rules::module_setting::SettingOfModule;
use crate::rules::registry::InForce;
use candor_core::access::Access;
use candor_core::agent::{HOST, PlaceChat};
use candor_core::contract::{Command, Owner, PerServer, Records, ServiceError, setting_text};
use candor_core::guild::{
    Fixed, GuildDenied, GuildModuleSettings, GuildSetting, GuildSheet, GuildValue, GuildValues, OffHere, Unset,
};
use candor_core::inbound::{Caller, ChannelId, GuildId, Place};
use candor_core::registry::ModuleFacts;
use candor_core::settings::GuildRules;

/// The most guilds whose settings are remembered between reading and deciding. When it is reached, all are read again.
const KNOWN_MAX: usize = 5_000;

/// How long the store may take. If a guild's settings cannot be read, the caller is refused.
const READ_WITHIN: Duration = Duration::from_secs(1);

pub struct Guilds {
    rules: GuildRules,
    records: Arc<dyn Records>,
    registry: Arc<InForce>,
    known: Mutex<HashMap<GuildId, Known>>,
    around: Arc<Around>,
    channels: ChannelsOfGuilds,
    /// How many reads began.
    n_reads: AtomicU64,
}

/// The settings of a guild, as last read.
#[derive(Clone)]
struct Known {
    /// The number of the read, not of the last change: an erased sheet begins again at 0.
    n_read: u64,
    values: Arc<GuildValues>,
}

impl Guilds {
    /// Creates the settings. `rules` decide which of the administrators' settings count.
    pub fn new(rules: GuildRules, records: Arc<dyn Records>, registry: Arc<InForce>) -> Self {
        Self {
            rules,
            records,
            registry,
            known: Mutex::default(),
            around: Arc::default(),
            channels: ChannelsOfGuilds::default(),
            n_reads: AtomicU64::new(0),
        }
    }

    pub(crate) fn around(&self) -> &Arc<Around> {
        &self.around
    }

    pub fn rules(&self) -> &GuildRules {
        &self.rules
    }

    pub(crate) fn channels(&self) -> &ChannelsOfGuilds {
        &self.channels
    }

    /// Applies the channels for modules from this sheet of a guild.
    pub fn learn_channels(&self, guild: GuildId, sheet: &GuildSheet) {
        self.know_channels(guild, &self.rules.in_force(sheet.values(), guild));
    }

    fn know_channels(&self, guild: GuildId, values: &GuildValues) {
        if !self.channels.learn(guild, values.module_channels()) {
            warn!(guild.id = %guild, "too many servers name channels for modules; here nothing is run by itself");
        }
    }

    /// Reads the settings of this place's guild. If that fails, it is logged, and the settings are unknown until a read
    /// succeeds.
    pub async fn learn(&self, place: Place) -> Option<GuildSheet> {
        let Place::Guild { guild, .. } = place else { return None };
        if !self.rules.allow_any() {
            return None;
        }
        let n_read = self.n_reads.fetch_add(1, Ordering::Relaxed);
        let read = match timeout(READ_WITHIN, self.read(place)).await {
            Ok(read) => read,
            Err(_) => Err(ServiceError::Store(format!("it takes longer than {} s", READ_WITHIN.as_secs()))),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(sheet) => {
                // Of two concurrent reads, the one that began first may end last.
                if known.get(&guild).is_none_or(|known| known.n_read < n_read) {
                    if KNOWN_MAX <= known.len() {
                        known.clear();
                    }
                    let values = Arc::new(self.rules.in_force(sheet.values(), guild));
                    self.know_channels(guild, &values);
                    known.insert(guild, Known { n_read, values });
                }
                Some(sheet)
            }
            Err(problem) => {
                known.remove(&guild);
                error!(guild.id = %guild, error = %problem, "the settings of a server cannot be read");
                None
            }
        }
    }

    async fn read(&self, place: Place) -> Result<GuildSheet, ServiceError> {
        let kept = self.records.list(&Owner::Builtin.to_string(), &place.scope()).await?;
        let Some((_, body)) = kept.first() else { return Ok(GuildSheet::default()) };
        GuildSheet::from_json(body).ok_or_else(|| ServiceError::Store("a server's settings cannot be read".to_owned()))
    }

    /// Returns the settings in force in this place; `None` if they are unknown.
    fn values(&self, place: Place) -> Option<Arc<GuildValues>> {
        let Place::Guild { guild, .. } = place else { return Some(Arc::default()) };
        if !self.rules.allow_any() {
            return Some(Arc::default());
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&guild).map(|known| known.values.clone())
    }

    pub fn off(&self, place: Place) -> OffHere {
        if !self.concern_commands() {
            return OffHere::Nothing;
        }
        off(self.values(place).as_deref())
    }

    /// Whether administrators may set anything about commands.
    fn concern_commands(&self) -> bool {
        use GuildSetting::{Commands, Cooldowns, ModuleChannels, ModuleSettings};
        let of_commands = [Commands, Cooldowns, ModuleSettings, ModuleChannels];
        of_commands.into_iter().any(|setting| self.rules.allow(setting))
    }

    /// Merges the operator's rules for commands with the settings of this place.
    pub fn access<'a>(&self, operators: &'a Access, place: Place) -> Cow<'a, Access> {
        if !self.concern_commands() {
            return Cow::Borrowed(operators);
        }
        let values = self.values(place);
        let cooldowns = values.as_ref().and_then(|values| values.cooldowns().cloned()).unwrap_or_default();
        operators.here(off(values.as_deref()), cooldowns)
    }

    /// Checks whether the chat model answers this caller in this place. `around` holds the ids of the place and its
    /// parents.
    ///
    /// # Errors
    /// Returns the first condition that is not met.
    pub fn admits(&self, caller: &Caller, place: Place, around: &[u64]) -> Result<(), GuildDenied> {
        let roles = caller.member.as_ref().map(|member| member.roles.as_slice()).unwrap_or_default();
        self.values(place).ok_or(GuildDenied::NotKnown)?.admits(around, roles)
    }

    /// Whether the parents of this place's channel affect its settings.
    pub fn asks_for_channels(&self, place: Place) -> bool {
        self.values(place).is_some_and(|values| values.asks_for_channels())
    }

    /// Returns the guild's overrides of the chat settings in this place.
    pub fn chat(&self, place: Place) -> PlaceChat {
        let mut chat = self.values(place).map(|values| GuildRules::place_chat(&values)).unwrap_or_default();
        // Only the host may speak as the host.
        chat.system = chat.system.map(|persona| persona.replace(HOST, "(host)"));
        chat
    }
}

/// Returns the features that these settings switch off.
fn off(values: Option<&GuildValues>) -> OffHere {
    let Some(values) = values else { return OffHere::NotKnown };
    values.switched_off().cloned().map_or(OffHere::Nothing, OffHere::These)
}

/// The rules for the settings of administrators, as `/settings` and the calls of modules need them.
impl Guilds {
    /// Checks whether administrators of this guild may set this. The error says why not.
    pub(crate) fn may_set(&self, setting: GuildSetting, guild: GuildId) -> Result<(), Fixed> {
        self.rules.may_set(setting, guild)
    }

    /// Returns the value in force in a guild whose administrators did not set this.
    pub(crate) fn unset(&self, setting: GuildSetting, guild: GuildId) -> Unset {
        self.rules.unset(setting, guild)
    }

    /// Returns the part of a value that the operator's settings override, as text for people.
    pub(crate) fn fixed_in(&self, value: &GuildValue) -> Option<String> {
        let GuildValue::ModuleSettings(written) = value else { return self.rules.fixed_in(value) };
        let operators = self.module_settings().into_iter().filter(|setting| setting.is_operators);
        let operators = operators.map(|setting| (setting.name(), setting.value.unwrap_or_default()));
        written.names_in(&GuildModuleSettings::written(operators))
    }

    /// Returns the settings that the operator fixed for this channel or for a parent of it in its guild, if known.
    pub(crate) fn in_channel(&self, channel: ChannelId) -> Vec<GuildSetting> {
        self.rules.in_channel(&self.around.channel(channel))
    }

    /// Returns the models that conversations may use.
    pub(crate) fn models(&self) -> Vec<String> {
        self.rules.models()
    }

    /// Returns the names that can be switched off: commands such as `/tasks` and `/tasks add`, and modules.
    pub(crate) fn commands(&self) -> BTreeSet<String> {
        let registry = self.registry.now();
        let modules = registry.modules().keys().filter(|owner| **owner != Owner::Builtin).map(ToString::to_string);
        let names = |command: &Command| {
            let leaves = command.leaves().map(|leaf| leaf.path().to_string()).collect::<Vec<_>>();
            [format!("/{}", command.name)].into_iter().chain(leaves)
        };
        registry.commands().chain(registry.chat_only()).flat_map(names).chain(modules).collect()
    }

    /// Returns the module settings that administrators may set where the operator did not.
    pub(crate) fn module_settings(&self) -> Vec<SettingOfModule> {
        let registry = self.registry.now();
        let of_module = |(owner, facts): (&Owner, &ModuleFacts)| {
            let of = |PerServer { spec, is_operators }: &PerServer| SettingOfModule {
                module: owner.to_string(),
                value: facts.code.settings().get(&spec.name).map(setting_text),
                spec: spec.clone(),
                is_operators: *is_operators,
            };
            facts.code.per_server().iter().map(of).collect::<Vec<_>>()
        };
        registry.modules().iter().flat_map(of_module).collect()
    }

    /// Returns the administrators' values for this module's settings that are in force in this place, each with its
    /// name.
    pub(crate) fn of_module(&self, place: Place, module: &str) -> Vec<(String, String)> {
        if !self.rules.allow(GuildSetting::ModuleSettings) {
            return Vec::new();
        }
        let values = self.values(place).unwrap_or_default();
        let of_module = values.module_settings().map(|written| written.of_module(module)).into_iter().flatten();
        of_module.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    /// Returns the modules that post on their own, for which administrators may name channels.
    pub(crate) fn senders(&self) -> BTreeSet<String> {
        self.registry.now().senders()
    }

    /// Returns the channels that administrators of this place's guild named for this module. `None` if unknown.
    pub(crate) fn channels_of_module(&self, place: Place, module: &str) -> Option<BTreeSet<ChannelId>> {
        if !self.rules.allow(GuildSetting::ModuleChannels) {
            return Some(BTreeSet::new());
        }
        let values = self.values(place)?;
        Some(values.module_channels().map(|channels| channels.of_module(module)).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use candor_core::access::ChatAccess;
    use candor_core::agent::{ChatSettings, OfferedModel};
    use candor_core::contract::Checked;
    use candor_core::guild::{ChangedBy, KnownNames as Names};
    use candor_core::inbound::UserId;
    use candor_core::language::Language;
    use candor_core::record::ReceiptId;
    use candor_core::registry::Registry;
    use candor_core::testing::InMemory;

    const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(5) };

    fn guilds(allowed: &[GuildSetting], records: Arc<InMemory>) -> Guilds {
        let chat = ChatSettings {
            models: vec![OfferedModel::named("small")],
            guild_settings: allowed.iter().copied().collect(),
            ..ChatSettings::default()
        };
        let rules = GuildRules::new(&chat, &ChatAccess::default(), Language::ENGLISH);
        Guilds::new(rules, records, Arc::new(InForce::new(Arc::new(Registry::build(Checked::default())))))
    }

    async fn store(records: &InMemory, set: &[(GuildSetting, &str)]) {
        let commands = ["/tasks".to_owned()].into();
        let mut sheet = GuildSheet::default();
        let names = Names { commands: &commands, ..Names::NOTHING };
        for (setting, text) in set {
            let by = ChangedBy { receipt: ReceiptId::from_number(1), at: UNIX_EPOCH };
            sheet.set(*setting, Some(GuildValue::parse(*setting, text, names).unwrap()), by);
        }
        let kept = records.list("builtin", &HERE.scope()).await.unwrap();
        match kept.into_iter().next() {
            Some((id, before)) => {
                assert!(records.replace("builtin", &HERE.scope(), id, &before, &sheet.to_json()).await.unwrap());
            }
            None => drop(records.add("builtin", &HERE.scope(), &sheet.to_json(), 1).await.unwrap()),
        }
    }

    #[tokio::test]
    async fn what_is_not_read_yet_is_refused_and_a_change_counts_once_it_is_read() {
        use GuildSetting as S;
        let records = Arc::new(InMemory::default());
        let guilds = guilds(&[S::Chat, S::Commands], records.clone());
        let caller = Caller::new(UserId(7), "ann");
        assert_eq!(guilds.admits(&caller, HERE, &[5]), Err(GuildDenied::NotKnown));
        assert_eq!(guilds.off(HERE), OffHere::NotKnown);
        for elsewhere in [Place::Console, Place::Direct { channel: ChannelId(5) }] {
            assert_eq!((guilds.admits(&caller, elsewhere, &[5]), guilds.off(elsewhere)), (Ok(()), OffHere::Nothing));
        }

        guilds.learn(HERE).await;
        assert_eq!((guilds.admits(&caller, HERE, &[5]), guilds.off(HERE)), (Ok(()), OffHere::Nothing));
        store(&records, &[(S::Chat, "off"), (S::Commands, "/tasks"), (S::Persona, "A pirate.")]).await;
        guilds.learn(HERE).await;
        assert_eq!(guilds.admits(&caller, HERE, &[5]), Err(GuildDenied::Off));
        assert!(matches!(guilds.off(HERE), OffHere::These(_)));
        // Nobody may set a persona here.
        assert_eq!(guilds.chat(HERE), PlaceChat::default());
    }

    #[tokio::test]
    async fn where_it_is_not_known_how_often_commands_may_run_none_does() {
        let records = Arc::new(InMemory::default());
        let guilds = guilds(&[GuildSetting::Cooldowns], records.clone());
        let operators = Access::default();
        assert_eq!(guilds.access(&operators, HERE).off, OffHere::NotKnown);
        store(&records, &[(GuildSetting::Cooldowns, "/tasks 30s")]).await;
        guilds.learn(HERE).await;
        let here = guilds.access(&operators, HERE);
        assert_eq!((&here.off, here.cooldowns.to_string().as_str()), (&OffHere::Nothing, "/tasks 30s"));
        let direct = Place::Direct { channel: ChannelId(5) };
        assert_eq!(*guilds.access(&operators, direct), operators);
    }

    #[tokio::test]
    async fn what_was_erased_does_not_count_any_more() {
        let records = Arc::new(InMemory::default());
        store(&records, &[(GuildSetting::Chat, "off")]).await;
        let guilds = guilds(&[GuildSetting::Chat], records.clone());
        let caller = Caller::new(UserId(7), "ann");
        guilds.learn(HERE).await;
        assert_eq!(guilds.admits(&caller, HERE, &[5]), Err(GuildDenied::Off));

        for (id, _) in records.list("builtin", &HERE.scope()).await.unwrap() {
            records.remove("builtin", &HERE.scope(), id).await.unwrap();
        }
        guilds.learn(HERE).await;
        assert_eq!(guilds.admits(&caller, HERE, &[5]), Ok(()));
    }

    #[tokio::test]
    async fn where_nothing_may_be_set_nothing_is_read() {
        let records = Arc::new(InMemory::default());
        store(&records, &[(GuildSetting::Chat, "off")]).await;
        let guilds = guilds(&[], records);
        assert_eq!(guilds.learn(HERE).await, None);
        assert_eq!(guilds.admits(&Caller::new(UserId(7), "ann"), HERE, &[5]), Ok(()));
    }

    #[tokio::test]
    async fn what_is_remembered_has_a_bound() {
        let guilds = guilds(&[GuildSetting::Chat], Arc::new(InMemory::default()));
        for guild in 0..2 * KNOWN_MAX as u64 {
            guilds.learn(Place::Guild { guild: GuildId(guild), channel: ChannelId(5) }).await;
        }
        assert!(guilds.known.lock().unwrap().len() <= KNOWN_MAX);
    }
}
