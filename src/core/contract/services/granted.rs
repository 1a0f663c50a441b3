//! The services that one call may use: those that the module's manifest asks for.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;

use crate::contract::services::books::{CommandBook, GuildBook, OwnCommands, ServerNames};
use crate::contract::services::conversations::Talk;
use crate::contract::services::later::send::{Outbox, OwnSend};
use crate::contract::services::later::send_channels::SendChannels;
use crate::contract::services::later::time::{DueCalls, OwnTime, TimeZones};
use crate::contract::services::metrics::{History, Live};
use crate::contract::services::privacy::{OwnPrivacy, Privacy};
use crate::contract::services::receipts::ReceiptBook;
use crate::contract::services::records::{
    EVERYWHERE, OwnRecords, RecordId, Records, RecordsOfThing, personal_scope, scope_of_thing,
};
use crate::contract::services::service::{ServiceError, ServiceName};
use crate::contract::services::usage::UsageBook;
use crate::contract::services::web::{Attachments, Http, HttpHosts, OwnAttachments, OwnHttp};
use crate::contract::services::workspace::{OwnWorkspace, Workspaces};
use crate::contract::spec::{ModuleSettings, SettingsUnreadable};
use crate::inbound::{Asking, CallMethod, Caller, CommandPath, Place, UserId};

/// The services granted to one module.
#[derive(Clone, Default)]
pub struct Services(Box<Parts>);

/// The contents of [`Services`], on the heap because a run passes its services on several times.
#[derive(Clone, Default)]
struct Parts {
    records: Option<Arc<dyn Records>>,
    live: Option<Arc<dyn Live>>,
    history: Option<Arc<dyn History>>,
    workspaces: Option<Arc<dyn Workspaces>>,
    time: Option<Arc<dyn DueCalls>>,
    zones: Option<Arc<dyn TimeZones>>,
    server_names: Option<Arc<dyn ServerNames>>,
    outbox: Option<Arc<dyn Outbox>>,
    send_to: SendChannels,
    http: Option<Arc<dyn Http>>,
    http_hosts: HttpHosts,
    attachments: Option<Arc<dyn Attachments>>,
    commands: Option<Arc<dyn CommandBook>>,
    /// The same as `commands` but never withheld, for the host's own checks of a module's answers.
    in_force: Option<Arc<dyn CommandBook>>,
    talk: Option<Arc<dyn Talk>>,
    receipts: Option<Arc<dyn ReceiptBook>>,
    privacy: Option<Arc<dyn Privacy>>,
    usage: Option<Arc<dyn UsageBook>>,
    guild: Option<Arc<dyn GuildBook>>,
    /// Whether the module may change things outside the store.
    has_effects: bool,
    /// Set for a run, which must announce such changes.
    effects: Option<Arc<dyn Effects>>,
    settings: ModuleSettings,
    module: Arc<str>,
    asker: Option<BoundCaller>,
    scope: Arc<str>,
    caller_scope: Arc<str>,
}

/// Wraps a run's mutable services, so that all changes are known when the run ends.
pub trait InRun {
    /// Wraps the records so that changes are staged.
    fn records(&self, stored: Arc<dyn Records>) -> Arc<dyn Records>;
    /// Wraps the workspaces so that the first change is announced.
    fn workspaces(&self, workspaces: Arc<dyn Workspaces>) -> Arc<dyn Workspaces>;
    /// Wraps the later calls so that changes are staged.
    fn time(&self, stored: Arc<dyn DueCalls>) -> Arc<dyn DueCalls>;
    /// Wraps the outbox so that messages are staged.
    fn outbox(&self, stored: Arc<dyn Outbox>) -> Arc<dyn Outbox>;
    /// Wraps the conversations so that the first change is announced.
    fn talk(&self, talk: Arc<dyn Talk>) -> Arc<dyn Talk>;
    /// Wraps the personal data so that erasing is announced.
    fn privacy(&self, privacy: Arc<dyn Privacy>) -> Arc<dyn Privacy>;
    /// Wraps the receipts so that it includes those not yet in the ledger.
    fn receipts(&self, receipts: Arc<dyn ReceiptBook>) -> Arc<dyn ReceiptBook>;
    /// Returns the service that announces changes outside the bot.
    fn effects(&self) -> Arc<dyn Effects>;
}

/// A service that records irreversible changes before they happen.
#[async_trait]
pub trait Effects: Send + Sync {
    /// Records that the run may change something from now on.
    async fn announce(&self) -> Result<(), ServiceError>;
}

/// The caller of one call.
#[derive(Clone)]
struct BoundCaller {
    caller: Caller,
    place: Place,
    method: CallMethod,
}

impl Services {
    /// Collects the host's services, not bound to a module. Narrow them with [`Services::granted`] before use.
    pub fn of_host(
        records: Arc<dyn Records>,
        live: Arc<dyn Live>,
        talk: Arc<dyn Talk>,
        receipts: Arc<dyn ReceiptBook>,
    ) -> Self {
        Self(Box::new(Parts {
            records: Some(records),
            live: Some(live),
            talk: Some(talk),
            receipts: Some(receipts),
            ..Parts::default()
        }))
    }

    /// Sets the records.
    #[must_use]
    pub fn with_records(mut self, records: Arc<dyn Records>) -> Self {
        self.0.records = Some(records);
        self
    }

    /// Sets the workspaces.
    #[must_use]
    pub fn with_workspaces(mut self, workspaces: Arc<dyn Workspaces>) -> Self {
        self.0.workspaces = Some(workspaces);
        self
    }

    /// Sets the metrics file.
    #[must_use]
    pub fn with_live(mut self, live: Arc<dyn Live>) -> Self {
        self.0.live = Some(live);
        self
    }

    /// Sets the history of the metrics file.
    #[must_use]
    pub fn with_history(mut self, history: Arc<dyn History>) -> Self {
        self.0.history = Some(history);
        self
    }

    /// Sets the store of later calls.
    #[must_use]
    pub fn with_time(mut self, calls: Arc<dyn DueCalls>) -> Self {
        self.0.time = Some(calls);
        self
    }

    /// Sets the time zones of places.
    #[must_use]
    pub fn with_zones(mut self, zones: Arc<dyn TimeZones>) -> Self {
        self.0.zones = Some(zones);
        self
    }

    /// Sets the lookup of guild names.
    #[must_use]
    pub fn with_server_names(mut self, names: Arc<dyn ServerNames>) -> Self {
        self.0.server_names = Some(names);
        self
    }

    /// Sets the outbox of messages to channels.
    #[must_use]
    pub fn with_outbox(mut self, outbox: Arc<dyn Outbox>) -> Self {
        self.0.outbox = Some(outbox);
        self
    }

    /// Sets the channels that the module may send to.
    #[must_use]
    pub fn sending_to(mut self, channels: SendChannels) -> Self {
        self.0.send_to = channels;
        self
    }

    /// Sets the web client.
    #[must_use]
    pub fn with_http(mut self, http: Arc<dyn Http>) -> Self {
        self.0.http = Some(http);
        self
    }

    /// Sets the hosts that the module may read.
    #[must_use]
    pub fn with_http_hosts(mut self, hosts: HttpHosts) -> Self {
        self.0.http_hosts = hosts;
        self
    }

    /// Sets the reader of attachments.
    #[must_use]
    pub fn with_attachments(mut self, attachments: Arc<dyn Attachments>) -> Self {
        self.0.attachments = Some(attachments);
        self
    }

    /// Sets the commands in force.
    #[must_use]
    pub fn with_commands(mut self, commands: Arc<dyn CommandBook>) -> Self {
        self.0.commands = Some(commands);
        self
    }

    /// Sets the access to personal data.
    #[must_use]
    pub fn with_privacy(mut self, privacy: Arc<dyn Privacy>) -> Self {
        self.0.privacy = Some(privacy);
        self
    }

    /// Sets the usage records of chat.
    #[must_use]
    pub fn with_usage(mut self, usage: Arc<dyn UsageBook>) -> Self {
        self.0.usage = Some(usage);
        self
    }

    /// Sets the operator's rules for guild settings.
    #[must_use]
    pub fn with_guild(mut self, guild: Arc<dyn GuildBook>) -> Self {
        self.0.guild = Some(guild);
        self
    }

    /// Sets the module's settings.
    #[must_use]
    pub fn with_settings(mut self, settings: ModuleSettings) -> Self {
        self.0.settings = settings;
        self
    }

    /// Wraps every service that can change something for this run. Services that were not granted stay absent.
    #[must_use]
    pub fn in_run(mut self, run: &dyn InRun) -> Self {
        self.0.records = self.0.records.map(|records| run.records(records));
        self.0.workspaces = self.0.workspaces.map(|workspaces| run.workspaces(workspaces));
        self.0.time = self.0.time.map(|calls| run.time(calls));
        self.0.outbox = self.0.outbox.map(|outbox| run.outbox(outbox));
        self.0.talk = self.0.talk.map(|talk| run.talk(talk));
        self.0.privacy = self.0.privacy.map(|privacy| run.privacy(privacy));
        self.0.receipts = self.0.receipts.map(|receipts| run.receipts(receipts));
        self.0.effects = self.0.has_effects.then(|| run.effects());
        self
    }

    /// Returns the services that this module asked for, bound to the module and to the caller of one call.
    #[must_use]
    pub fn granted(&self, module: &str, asked: &[ServiceName], asking: &Asking<'_>) -> Self {
        let has = |name| asked.contains(&name);
        Self(Box::new(Parts {
            records: self.0.records.clone().filter(|_| has(ServiceName::Records)),
            live: self.0.live.clone().filter(|_| has(ServiceName::Live)),
            history: self.0.history.clone().filter(|_| has(ServiceName::History)),
            workspaces: self.0.workspaces.clone().filter(|_| has(ServiceName::Workspace)),
            time: self.0.time.clone().filter(|_| has(ServiceName::Time)),
            zones: self.0.zones.clone(),
            server_names: self.0.server_names.clone(),
            outbox: self.0.outbox.clone().filter(|_| has(ServiceName::Send)),
            send_to: self.0.send_to.clone(),
            http: self.0.http.clone().filter(|_| has(ServiceName::Http)),
            http_hosts: self.0.http_hosts.clone(),
            attachments: self.0.attachments.clone().filter(|_| has(ServiceName::Attachment)),
            commands: self.0.commands.clone().filter(|_| has(ServiceName::Commands)),
            in_force: self.0.commands.clone(),
            talk: self.0.talk.clone().filter(|_| has(ServiceName::Talk)),
            receipts: self.0.receipts.clone().filter(|_| has(ServiceName::Receipts)),
            privacy: self.0.privacy.clone().filter(|_| has(ServiceName::Privacy)),
            usage: self.0.usage.clone().filter(|_| has(ServiceName::Usage)),
            guild: self.0.guild.clone().filter(|_| has(ServiceName::Guild)),
            has_effects: has(ServiceName::Effects),
            effects: None,
            settings: self.0.settings.clone(),
            module: module.into(),
            asker: Some(BoundCaller { caller: asking.caller.clone(), place: asking.place, method: asking.method }),
            scope: asking.place.scope().into(),
            caller_scope: personal_scope(&asking.place.scope(), asking.caller.id).into(),
        }))
    }

    /// Reads the module's settings into the type that it declared with
    /// [`NativeModule::settings`](crate::contract::NativeModule::settings).
    pub fn settings<T: DeserializeOwned>(&self) -> Result<T, SettingsUnreadable> {
        self.0.settings.read()
    }

    /// Returns the settings for the module's host. They include secrets.
    pub(crate) fn own_settings(&self) -> &ModuleSettings {
        &self.0.settings
    }

    /// Returns the module's records in the place of this call. Other modules and places have separate ones.
    pub fn records(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(Cow::Borrowed(&*self.0.scope))
    }

    /// Returns the module's records of the caller in the place of this call: data of one person in one community.
    pub fn caller_records(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(Cow::Borrowed(&*self.0.caller_scope))
    }

    /// Returns the module's records of the caller that apply everywhere, such as their time zone.
    pub fn caller_records_everywhere(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(Cow::Owned(personal_scope(EVERYWHERE, self.caller()?)))
    }

    /// Returns the module's records of the caller about one thing in the place of this call, such as their vote in a
    /// poll. `thing` is the number of a record of this place.
    pub fn caller_records_of_thing(&self, thing: RecordId) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(Cow::Owned(personal_scope(&scope_of_thing(&self.0.scope, thing), self.caller()?)))
    }

    /// Returns everyone's records about one thing in the place of this call. See [`Services::caller_records_of_thing`].
    pub fn records_of_thing(&self, thing: RecordId) -> Result<RecordsOfThing<'_>, ServiceError> {
        let OwnRecords { records, module, .. } = self.records()?;
        Ok(RecordsOfThing { records, module, scope: scope_of_thing(&self.0.scope, thing) })
    }

    fn caller(&self) -> Result<UserId, ServiceError> {
        let asker = self.0.asker.as_ref().ok_or(ServiceError::NotGranted(ServiceName::Records.name()))?;
        Ok(asker.caller.id)
    }

    fn records_of<'a>(&'a self, scope: Cow<'a, str>) -> Result<OwnRecords<'a>, ServiceError> {
        let records = self.0.records.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Records.name()))?;
        Ok(OwnRecords { records, module: &self.0.module, scope })
    }

    /// Returns the workspace folder of the community this call came from. Other communities have separate ones.
    pub fn workspace(&self) -> Result<OwnWorkspace<'_>, ServiceError> {
        let granted = self.0.workspaces.as_deref().zip(self.0.asker.as_ref());
        let (workspaces, asker) = granted.ok_or(ServiceError::NotGranted(ServiceName::Workspace.name()))?;
        Ok(OwnWorkspace::new(workspaces, asker.place, asker.caller.language))
    }

    /// Returns the watched metrics file.
    pub fn live(&self) -> Result<&dyn Live, ServiceError> {
        self.0.live.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Live.name()))
    }

    /// Returns the past samples of the live metrics.
    pub fn history(&self) -> Result<&dyn History, ServiceError> {
        self.0.history.as_deref().ok_or(ServiceError::NotGranted(ServiceName::History.name()))
    }

    /// Returns the later calls of the caller in this place.
    pub fn time(&self) -> Result<OwnTime<'_>, ServiceError> {
        let granted = self.0.time.as_deref().zip(self.0.asker.as_ref());
        let (calls, asker) = granted.ok_or(ServiceError::NotGranted(ServiceName::Time.name()))?;
        let module = &self.0.module;
        let scope = &self.0.scope;
        let caller = Cow::Borrowed(&asker.caller);
        let is_foreign = asker.method == CallMethod::PickedByUserInstall;
        Ok(OwnTime { calls, module, scope, caller, place: asker.place, is_foreign, zones: self.0.zones.as_deref() })
    }

    /// Returns the name of this call's guild, if there is one and its name is known.
    pub async fn server_name(&self) -> Option<String> {
        let Place::Guild { guild, .. } = self.0.asker.as_ref()?.place else { return None };
        self.0.server_names.as_ref()?.name(guild).await
    }

    /// Returns the service that sends messages to the channels allowed here.
    pub fn send(&self) -> Result<OwnSend<'_>, ServiceError> {
        let granted = self.0.outbox.as_deref().zip(self.0.asker.as_ref());
        let (outbox, asker) = granted.ok_or(ServiceError::NotGranted(ServiceName::Send.name()))?;
        Ok(OwnSend { outbox, module: &self.0.module, person: asker.caller.id, channels: &self.0.send_to })
    }

    /// Returns the web client for the module's hosts.
    pub fn http(&self) -> Result<OwnHttp<'_>, ServiceError> {
        let http = self.0.http.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Http.name()))?;
        Ok(OwnHttp { http, module: &self.0.module, hosts: &self.0.http_hosts })
    }

    /// Returns the reader of this call's attachments.
    pub fn attachment(&self) -> Result<OwnAttachments<'_>, ServiceError> {
        let attachments = self.0.attachments.as_deref();
        let attachments = attachments.ok_or(ServiceError::NotGranted(ServiceName::Attachment.name()))?;
        Ok(OwnAttachments { attachments })
    }

    /// Returns the commands in force that the caller may use here.
    pub fn commands(&self) -> Result<OwnCommands<'_>, ServiceError> {
        let granted = self.0.commands.as_deref().zip(self.0.asker.as_ref());
        let (book, asker) = granted.ok_or(ServiceError::NotGranted(ServiceName::Commands.name()))?;
        let asking = Asking { caller: &asker.caller, place: asker.place, method: asker.method };
        Ok(OwnCommands { book, asking })
    }

    pub(crate) fn has_command(&self, path: &CommandPath) -> bool {
        self.0.in_force.as_ref().is_some_and(|book| book.has(path))
    }

    /// Returns the conversations with the chat model.
    pub fn talk(&self) -> Result<&dyn Talk, ServiceError> {
        self.0.talk.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Talk.name()))
    }

    /// Returns the access to the caller's personal data, and only theirs.
    pub fn privacy(&self) -> Result<OwnPrivacy<'_>, ServiceError> {
        let granted = self.0.privacy.as_deref().zip(self.0.asker.as_ref());
        let (privacy, asker) = granted.ok_or(ServiceError::NotGranted(ServiceName::Privacy.name()))?;
        Ok(OwnPrivacy::new(privacy, asker.caller.id))
    }

    /// Returns the usage records of chat.
    pub fn usage(&self) -> Result<&dyn UsageBook, ServiceError> {
        self.0.usage.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Usage.name()))
    }

    /// Returns the operator's rules for guild settings.
    pub fn guild(&self) -> Result<&dyn GuildBook, ServiceError> {
        self.0.guild.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Guild.name()))
    }

    /// Announces that the run may change something outside the bot. If the process ends before the run does, its
    /// receipt says that the effects are unknown.
    pub(crate) async fn announce(&self) -> Result<(), ServiceError> {
        let effects = self.0.effects.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Effects.name()))?;
        effects.announce().await
    }

    /// Returns the read access to the ledger.
    pub fn receipts(&self) -> Result<&dyn ReceiptBook, ServiceError> {
        self.0.receipts.as_deref().ok_or(ServiceError::NotGranted(ServiceName::Receipts.name()))
    }
}
