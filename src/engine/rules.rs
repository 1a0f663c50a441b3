//! State in force: the registry, which a reload replaces, and the rules of guilds, which their administrators change.
//!
//! Each event has one [`Rules`](candor_core::guild::Rules) value. The station that admits the event reads it once, by
//! [`Guilds::rules`], and hands it down; no later station reads the store or shared state for it. Only work that lasts
//! reads new rules: a chat turn that waited for its turn, and each call of a model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::watch;
use tokio::time::timeout;
use tracing::{error, warn};

use candor_core::contract::{Command, Owner, PerServer, Records, ServiceError, SettingSpec, setting_text};
use candor_core::guild::{
    Fixed, GuildModuleChannels, GuildModuleSettings, GuildSetting, GuildSheet, GuildValue, GuildValues, Rules, Unset,
};
use candor_core::inbound::{ChannelId, GuildId, Place};
use candor_core::registry::{ModuleFacts, Registry};
use candor_core::settings::GuildRules;

/// The most channels with known parents: about 100 KB. When it is reached, all are forgotten and asked for again.
const CHANNELS_KNOWN_MAX: usize = 1_000;

/// The parents of channels: a thread's channel, a channel's category.
#[derive(Default)]
pub(crate) struct Around(Mutex<HashMap<ChannelId, Vec<u64>>>);

impl Around {
    pub(crate) fn learn(&self, channel: ChannelId, above: Vec<u64>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if CHANNELS_KNOWN_MAX <= known.len() {
            known.clear();
        }
        known.insert(channel, above);
    }

    /// Returns the ids of a channel and its parents, nearest first.
    pub(crate) fn channel(&self, channel: ChannelId) -> Vec<u64> {
        let above = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&channel).cloned();
        [channel.0].into_iter().chain(above.unwrap_or_default()).collect()
    }

    /// Returns the same for a place, with its guild at the end.
    pub(crate) fn place(&self, place: Place) -> Vec<u64> {
        let (guild, channel) = match place {
            Place::Guild { guild, channel } => (Some(guild.0), channel),
            Place::Direct { channel } => (None, channel),
            Place::Console => return Vec::new(),
        };
        self.channel(channel).into_iter().chain(guild).collect()
    }
}

/// The most guilds that are known. In further ones modules post nothing unasked.
const KNOWN_MAX: usize = 10_000;

/// The channels of every guild whose settings were read, as last read. They are checked again before a module runs or
/// posts.
#[derive(Default)]
pub(crate) struct ChannelsOfGuilds(Mutex<BTreeMap<GuildId, Channels>>);

struct Channels {
    /// The number of the read, not of the last change: an erased sheet begins again at 0.
    n_read: u64,
    channels: GuildModuleChannels,
}

impl ChannelsOfGuilds {
    /// Stores a guild's channels, unless a later read stored some: of two concurrent reads, the one that began first may
    /// end last. Returns whether there was room for them.
    pub(crate) fn put(&self, guild: GuildId, n_read: u64, channels: Option<&GuildModuleChannels>) -> bool {
        let mut known = self.lock();
        match (known.get(&guild), channels) {
            (Some(newer), _) if n_read < newer.n_read => {}
            (None, Some(_)) if KNOWN_MAX <= known.len() => return false,
            (_, Some(channels)) => drop(known.insert(guild, Channels { n_read, channels: channels.clone() })),
            (_, None) => drop(known.remove(&guild)),
        }
        true
    }

    pub(crate) fn forget(&self, guild: GuildId) {
        self.lock().remove(&guild);
    }

    pub(crate) fn of(&self, guild: GuildId, module: &str) -> BTreeSet<ChannelId> {
        self.lock().get(&guild).map(|known| known.channels.of_module(module)).unwrap_or_default()
    }

    pub(crate) fn all(&self) -> BTreeMap<GuildId, GuildModuleChannels> {
        self.lock().iter().map(|(guild, known)| (*guild, known.channels.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<GuildId, Channels>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long the store may take. If a guild's settings cannot be read, the caller is refused.
const READ_WITHIN: Duration = Duration::from_secs(1);

pub struct Guilds {
    operators: GuildRules,
    records: Arc<dyn Records>,
    registry: Arc<InForce>,
    around: Arc<Around>,
    channels: ChannelsOfGuilds,
    /// How many reads began.
    n_reads: AtomicU64,
}

impl Guilds {
    /// Creates the rules. `operators` decide which of the administrators' settings count.
    pub fn new(operators: GuildRules, records: Arc<dyn Records>, registry: Arc<InForce>) -> Self {
        let around = Arc::default();
        let channels = ChannelsOfGuilds::default();
        Self { operators, records, registry, around, channels, n_reads: AtomicU64::new(0) }
    }

    pub(crate) fn around(&self) -> &Arc<Around> {
        &self.around
    }

    pub fn operators(&self) -> &GuildRules {
        &self.operators
    }

    pub(crate) fn channels(&self) -> &ChannelsOfGuilds {
        &self.channels
    }

    /// Reads the rules of a place. If that fails, it is logged, and the rules are unknown.
    pub async fn rules(&self, place: Place) -> Rules {
        match self.read(place).await {
            Ok(Some((_, values))) => Rules::of(values),
            Ok(None) => Rules::default(),
            Err(_logged) => Rules::unknown(self.limit_commands()),
        }
    }

    /// Reads the sheet of a place's guild. `None` if it has none, or if reading failed; a failure is logged.
    pub async fn sheet(&self, place: Place) -> Option<GuildSheet> {
        Some(self.read(place).await.ok()??.0)
    }

    /// Whether administrators may set anything about commands.
    fn limit_commands(&self) -> bool {
        use GuildSetting::{Commands, Cooldowns, ModuleChannels, ModuleSettings};
        let of_commands = [Commands, Cooldowns, ModuleSettings, ModuleChannels];
        of_commands.into_iter().any(|setting| self.operators.allow(setting))
    }

    /// Reads the sheet of a place's guild, and the values in force. `None` if nothing may be set here.
    async fn read(&self, place: Place) -> Result<Option<(GuildSheet, GuildValues)>, ServiceError> {
        let Place::Guild { guild, .. } = place else { return Ok(None) };
        if !self.operators.allow_any() {
            return Ok(None);
        }
        let n_read = self.n_reads.fetch_add(1, Ordering::Relaxed);
        let read = match timeout(READ_WITHIN, self.stored(place)).await {
            Ok(read) => read,
            Err(_) => Err(ServiceError::Store(format!("it takes longer than {} s", READ_WITHIN.as_secs()))),
        };
        let sheet = read.inspect_err(|problem| {
            error!(guild.id = %guild, error = %problem, "the settings of a server cannot be read");
        })?;
        let values = self.apply_channels(guild, &sheet, n_read);
        Ok(Some((sheet, values)))
    }

    async fn stored(&self, place: Place) -> Result<GuildSheet, ServiceError> {
        let kept = self.records.list(&Owner::Builtin.to_string(), &place.scope()).await?;
        let Some((_, body)) = kept.first() else { return Ok(GuildSheet::default()) };
        GuildSheet::from_json(body).ok_or_else(|| ServiceError::Store("a server's settings cannot be read".to_owned()))
    }

    /// Applies the channels for modules of a sheet that was read at the start.
    pub fn apply_at_start(&self, guild: GuildId, sheet: &GuildSheet) {
        self.apply_channels(guild, sheet, 0);
    }

    /// Applies the channels for modules. Returns the values in force.
    fn apply_channels(&self, guild: GuildId, sheet: &GuildSheet, n_read: u64) -> GuildValues {
        let values = self.operators.in_force(sheet.values(), guild);
        if !self.channels.put(guild, n_read, values.module_channels()) {
            warn!(guild.id = %guild, "too many servers name channels for modules; here nothing is run by itself");
        }
        values
    }
}

/// The rules for the settings of administrators, as `/settings` needs them.
impl Guilds {
    /// Checks whether administrators of this guild may set this. The error says why not.
    pub(crate) fn may_set(&self, setting: GuildSetting, guild: GuildId) -> Result<(), Fixed> {
        self.operators.may_set(setting, guild)
    }

    /// Returns the value in force in a guild whose administrators did not set this.
    pub(crate) fn unset(&self, setting: GuildSetting, guild: GuildId) -> Unset {
        self.operators.unset(setting, guild)
    }

    /// Returns the part of a value that the operator's settings override, as text for people.
    pub(crate) fn fixed_in(&self, value: &GuildValue) -> Option<String> {
        let GuildValue::ModuleSettings(written) = value else { return self.operators.fixed_in(value) };
        let operators = self.module_settings().into_iter().filter(|setting| setting.is_operators);
        let operators = operators.map(|setting| (setting.name(), setting.value.unwrap_or_default()));
        written.names_in(&GuildModuleSettings::written(operators))
    }

    /// Returns the settings that the operator fixed for this channel or for a parent of it in its guild, if known.
    pub(crate) fn in_channel(&self, channel: ChannelId) -> Vec<GuildSetting> {
        self.operators.in_channel(&self.around.channel(channel))
    }

    /// Returns the models that conversations may use.
    pub(crate) fn models(&self) -> Vec<String> {
        self.operators.models()
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

    /// Returns the modules that post on their own, for which administrators may name channels.
    pub(crate) fn senders(&self) -> BTreeSet<String> {
        self.registry.now().senders()
    }
}

/// A module setting that guild administrators may set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingOfModule {
    pub(crate) module: String,
    pub(crate) spec: SettingSpec,
    /// The value where administrators set none, as text for people.
    pub(crate) value: Option<String>,
    /// Whether the operator gave that value, which takes precedence. Otherwise it is the module's default.
    pub(crate) is_operators: bool,
}

impl SettingOfModule {
    /// Returns the name that administrators use: `welcome.hint`.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.module, self.spec.name)
    }
}

/// The registry in force. Work that began with one registry continues with it: a permit holds its handler.
#[derive(Debug)]
pub struct InForce {
    registry: ArcSwap<Registry>,
    generation: watch::Sender<u64>,
}

impl InForce {
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry: ArcSwap::new(registry), generation: watch::Sender::new(0) }
    }

    pub fn now(&self) -> Arc<Registry> {
        self.registry.load_full()
    }

    /// Puts another registry in force. Returns the former one.
    pub fn replace(&self, registry: Arc<Registry>) -> Arc<Registry> {
        let former = self.registry.swap(registry);
        self.generation.send_modify(|generation| *generation += 1);
        former
    }

    /// Subscribes to changes of the registry.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }
}

#[cfg(test)]
mod around_tests {
    use super::*;

    #[test]
    fn what_is_known_has_a_bound() {
        let around = Around::default();
        (0..3_000).for_each(|channel| around.learn(ChannelId(channel), vec![1]));
        assert!(around.0.lock().unwrap().len() <= CHANNELS_KNOWN_MAX);
        assert_eq!(around.channel(ChannelId(2_999)), [2_999, 1]);
    }
}

#[cfg(test)]
mod channels_of_guilds_tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_forgotten_and_what_is_known_has_a_bound() {
        let known = ChannelsOfGuilds::default();
        let five = BTreeSet::from([ChannelId(5)]);
        let channels = GuildModuleChannels::written([("alerts".to_owned(), five.clone())]);
        let n_learned =
            (0..2 * KNOWN_MAX as u64).filter(|&guild| known.put(GuildId(guild), 1, Some(&channels))).count();
        assert_eq!(n_learned, KNOWN_MAX);
        assert!(known.put(GuildId(1), 2, Some(&channels)));
        // A read that began before.
        assert!(known.put(GuildId(1), 1, None));
        assert_eq!((known.of(GuildId(1), "alerts"), known.of(GuildId(1), "feed")), (five, BTreeSet::new()));
        known.put(GuildId(1), 3, None);
        assert_eq!(known.of(GuildId(1), "alerts"), BTreeSet::new());
        assert_eq!(known.all().len(), KNOWN_MAX - 1);
    }
}

#[cfg(test)]
mod guilds_tests {
    use std::time::UNIX_EPOCH;

    use serde_json::Value;

    use super::*;
    use candor_core::access::{Access, ChatAccess};
    use candor_core::agent::{ChatSettings, OfferedModel};
    use candor_core::contract::Checked;
    use candor_core::guild::{ChangedBy, GuildDenied, KnownNames as Names, OffHere};
    use candor_core::inbound::{Caller, UserId};
    use candor_core::language::Language;
    use candor_core::record::ReceiptId;
    use candor_core::registry::Registry;
    use candor_core::testing::InMemory;

    const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(5) };

    fn guilds(allowed: &[GuildSetting], records: Arc<dyn Records>) -> Guilds {
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
    async fn a_change_counts_for_the_next_event_and_not_for_one_that_was_admitted_before() {
        use GuildSetting as S;
        let records = Arc::new(InMemory::default());
        let guilds = guilds(&[S::Chat, S::Commands], records.clone());
        let ann = Caller::new(UserId(7), "ann");
        let before = guilds.rules(HERE).await;
        store(&records, &[(S::Chat, "off"), (S::Commands, "/tasks"), (S::Persona, "A pirate.")]).await;
        assert_eq!((before.admits(&ann, &[5]), before.off()), (Ok(()), OffHere::Nothing));
        let after = guilds.rules(HERE).await;
        assert_eq!(after.admits(&ann, &[5]), Err(GuildDenied::Off));
        assert!(matches!(after.off(), OffHere::These(_)));
        // Nobody may set a persona here.
        assert_eq!(after.values().unwrap().persona(), None);
        for elsewhere in [Place::Console, Place::Direct { channel: ChannelId(5) }] {
            assert_eq!(guilds.rules(elsewhere).await, Rules::default());
        }
    }

    #[tokio::test]
    async fn cooldowns_are_in_the_rules_of_their_guild_alone() {
        let records = Arc::new(InMemory::default());
        let guilds = guilds(&[GuildSetting::Cooldowns], records.clone());
        let operators = Access::default();
        store(&records, &[(GuildSetting::Cooldowns, "/tasks 30s")]).await;
        let rules = guilds.rules(HERE).await;
        let here = operators.here(&rules);
        assert_eq!((&here.off, here.cooldowns.to_string().as_str()), (&OffHere::Nothing, "/tasks 30s"));
        let direct = guilds.rules(Place::Direct { channel: ChannelId(5) }).await;
        assert_eq!(*operators.here(&direct), operators);
    }

    #[tokio::test]
    async fn what_was_erased_does_not_count_any_more() {
        let records = Arc::new(InMemory::default());
        store(&records, &[(GuildSetting::Chat, "off")]).await;
        let guilds = guilds(&[GuildSetting::Chat], records.clone());
        let ann = Caller::new(UserId(7), "ann");
        assert_eq!(guilds.rules(HERE).await.admits(&ann, &[5]), Err(GuildDenied::Off));

        for (id, _) in records.list("builtin", &HERE.scope()).await.unwrap() {
            records.remove("builtin", &HERE.scope(), id).await.unwrap();
        }
        assert_eq!(guilds.rules(HERE).await.admits(&ann, &[5]), Ok(()));
    }

    #[tokio::test]
    async fn where_nothing_may_be_set_nothing_is_read() {
        let records = Arc::new(InMemory::default());
        store(&records, &[(GuildSetting::Chat, "off")]).await;
        let guilds = guilds(&[], records);
        assert_eq!(guilds.sheet(HERE).await, None);
        assert_eq!(guilds.rules(HERE).await, Rules::default());
    }

    #[tokio::test]
    async fn a_sheet_that_cannot_be_read_makes_unknown_rules() {
        let records = Arc::new(InMemory::default());
        records.add("builtin", &HERE.scope(), &Value::from("no sheet"), 1).await.unwrap();
        let of_chat = guilds(&[GuildSetting::Chat], records.clone());
        assert_eq!(of_chat.rules(HERE).await, Rules::unknown(false));
        let of_commands = guilds(&[GuildSetting::Cooldowns], records);
        assert_eq!(of_commands.rules(HERE).await, Rules::unknown(true));
        assert_eq!(of_commands.sheet(HERE).await, None);
    }
}
