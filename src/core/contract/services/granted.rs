//! The services that one call may use: those of the host that the module's manifest asks for.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;

use crate::contract::services::host::HostServices;
use crate::contract::services::later::OwnSend;
use crate::contract::services::later::OwnTime;
use crate::contract::services::later::SendChannels;
use crate::contract::services::metrics::{History, Live};
use crate::contract::services::records::{
    EVERYWHERE, OwnRecords, RecordId, RecordsOfThing, personal_scope, scope_of_thing,
};
use crate::contract::services::service::{ServiceError, ServiceName};
use crate::contract::services::web::{HttpHosts, OwnAttachments, OwnHttp};
use crate::contract::services::workspace::OwnWorkspace;
use crate::contract::spec::{ModuleSettings, SettingsUnreadable};
use crate::inbound::{Asking, CallMethod, Caller, CommandPath, Place};

/// The services granted to one call of a module.
#[derive(Clone)]
pub struct Services(Box<Grant>);

/// The contents of [`Services`], on the heap because a run passes its services on several times.
#[derive(Clone)]
struct Grant {
    host: Arc<HostServices>,
    granted: Vec<ServiceName>,
    module: Arc<str>,
    caller: Caller,
    place: Place,
    method: CallMethod,
    settings: ModuleSettings,
    send_to: SendChannels,
    http_hosts: HttpHosts,
    /// Whether the module may change things outside the store.
    has_effects: bool,
    /// Set for a run, which must announce such changes.
    effects: Option<Arc<dyn Effects>>,
    internals: Option<Arc<dyn Any + Send + Sync>>,
}

/// Wraps a run's mutable services, so that all changes are known when the run ends.
pub trait InRun {
    /// Wraps the services that can change something: records, later calls and messages are staged, and the first change
    /// of a workspace is announced.
    fn services(&self, granted: HostServices) -> HostServices;
    /// Returns the service that announces changes outside the bot.
    fn effects(&self) -> Arc<dyn Effects>;
}

/// A service that records irreversible changes before they happen.
#[async_trait]
pub trait Effects: Send + Sync {
    /// Records that the run may change something from now on.
    async fn announce(&self) -> Result<(), ServiceError>;
}

impl Services {
    /// Grants a call the services that its module asked for, bound to the module and to the caller.
    pub fn grant(host: &Arc<HostServices>, module: &str, asked: &[ServiceName], asking: &Asking<'_>) -> Self {
        Self(Box::new(Grant {
            host: Arc::clone(host),
            granted: asked.to_vec(),
            module: module.into(),
            caller: asking.caller.clone(),
            place: asking.place,
            method: asking.method,
            settings: ModuleSettings::default(),
            send_to: SendChannels::default(),
            http_hosts: HttpHosts::default(),
            has_effects: false,
            effects: None,
            internals: None,
        }))
    }

    /// Sets the module's settings.
    #[must_use]
    pub fn with_settings(mut self, settings: ModuleSettings) -> Self {
        self.0.settings = settings;
        self
    }

    /// Sets the channels that the module may send to.
    #[must_use]
    pub fn sending_to(mut self, channels: SendChannels) -> Self {
        self.0.send_to = channels;
        self
    }

    /// Sets the hosts that the module may read.
    #[must_use]
    pub fn with_http_hosts(mut self, hosts: HttpHosts) -> Self {
        self.0.http_hosts = hosts;
        self
    }

    /// Lets the call announce changes that no commit can take back, once it is a run.
    #[must_use]
    pub fn with_effects(mut self) -> Self {
        self.0.has_effects = true;
        self
    }

    /// Adds the bot's internals, for a built-in command. Only the executor calls this.
    #[must_use]
    pub fn with_internals(mut self, internals: Arc<dyn Any + Send + Sync>) -> Self {
        self.0.internals = Some(internals);
        self
    }

    /// Wraps every granted service that can change something for this run.
    #[must_use]
    pub fn in_run(mut self, run: &dyn InRun) -> Self {
        use ServiceName as S;
        let grant = &mut *self.0;
        let has = |name| grant.granted.contains(&name);
        if [S::Records, S::Workspace, S::Time, S::Send].into_iter().any(has) {
            let host = &grant.host;
            grant.host = Arc::new(run.services(HostServices {
                records: host.records.clone().filter(|_| has(S::Records)),
                workspaces: host.workspaces.clone().filter(|_| has(S::Workspace)),
                time: host.time.clone().filter(|_| has(S::Time)),
                outbox: host.outbox.clone().filter(|_| has(S::Send)),
                ..HostServices::clone(host)
            }));
        }
        grant.effects = grant.has_effects.then(|| run.effects());
        self
    }

    /// Returns who calls, where and how.
    pub fn asking(&self) -> Asking<'_> {
        Asking { caller: &self.0.caller, place: self.0.place, method: self.0.method }
    }

    /// Returns a service of the host, if it was granted.
    fn granted<'a, T: ?Sized>(
        &'a self,
        name: ServiceName,
        service: impl FnOnce(&'a HostServices) -> &'a Option<Arc<T>>,
    ) -> Result<&'a T, ServiceError> {
        let granted = service(&self.0.host).as_deref().filter(|_| self.0.granted.contains(&name));
        granted.ok_or(ServiceError::NotGranted(name.name()))
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
        self.records_of(self.0.place.scope())
    }

    /// Returns the module's records of the caller in the place of this call: data of one person in one community.
    pub fn caller_records(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(self.personal(&self.0.place.scope()))
    }

    /// Returns the module's records of the caller that apply everywhere, such as their time zone.
    pub fn caller_records_everywhere(&self) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(self.personal(EVERYWHERE))
    }

    /// Returns the module's records of the caller about one thing in the place of this call, such as their vote in a
    /// poll. `thing` is the number of a record of this place.
    pub fn caller_records_of_thing(&self, thing: RecordId) -> Result<OwnRecords<'_>, ServiceError> {
        self.records_of(self.personal(&scope_of_thing(&self.0.place.scope(), thing)))
    }

    /// Returns everyone's records about one thing in the place of this call. See [`Services::caller_records_of_thing`].
    pub fn records_of_thing(&self, thing: RecordId) -> Result<RecordsOfThing<'_>, ServiceError> {
        let OwnRecords { records, module, .. } = self.records()?;
        Ok(RecordsOfThing { records, module, scope: scope_of_thing(&self.0.place.scope(), thing) })
    }

    fn personal(&self, scope: &str) -> String {
        personal_scope(scope, self.0.caller.id)
    }

    fn records_of(&self, scope: String) -> Result<OwnRecords<'_>, ServiceError> {
        let records = self.granted(ServiceName::Records, |host| &host.records)?;
        Ok(OwnRecords { records, module: &self.0.module, scope })
    }

    /// Returns the workspace folder of the community this call came from. Other communities have separate ones.
    pub fn workspace(&self) -> Result<OwnWorkspace<'_>, ServiceError> {
        let workspaces = self.granted(ServiceName::Workspace, |host| &host.workspaces)?;
        Ok(OwnWorkspace::new(workspaces, self.0.place, self.0.caller.language))
    }

    /// Returns the watched metrics file.
    pub fn live(&self) -> Result<&dyn Live, ServiceError> {
        self.granted(ServiceName::Live, |host| &host.live)
    }

    /// Returns the past samples of the live metrics.
    pub fn history(&self) -> Result<&dyn History, ServiceError> {
        self.granted(ServiceName::History, |host| &host.history)
    }

    /// Returns the later calls of the caller in this place.
    pub fn time(&self) -> Result<OwnTime<'_>, ServiceError> {
        let calls = self.granted(ServiceName::Time, |host| &host.time)?;
        let Grant { module, place, method, .. } = &*self.0;
        let caller = Cow::Borrowed(&self.0.caller);
        let is_foreign = *method == CallMethod::PickedByUserInstall;
        let zones = self.0.host.zones.as_deref();
        Ok(OwnTime { calls, module, caller, place: *place, is_foreign, zones })
    }

    /// Returns the name of this call's guild, if there is one and its name is known.
    pub async fn server_name(&self) -> Option<String> {
        let Place::Guild { guild, .. } = self.0.place else { return None };
        self.0.host.server_names.as_ref()?.name(guild).await
    }

    /// Returns the service that sends messages to the channels allowed here.
    pub fn send(&self) -> Result<OwnSend<'_>, ServiceError> {
        let outbox = self.granted(ServiceName::Send, |host| &host.outbox)?;
        Ok(OwnSend { outbox, module: &self.0.module, person: self.0.caller.id, channels: &self.0.send_to })
    }

    /// Returns the web client for the module's hosts.
    pub fn http(&self) -> Result<OwnHttp<'_>, ServiceError> {
        let http = self.granted(ServiceName::Http, |host| &host.http)?;
        Ok(OwnHttp { http, module: &self.0.module, hosts: &self.0.http_hosts })
    }

    /// Returns the reader of this call's attachments.
    pub fn attachment(&self) -> Result<OwnAttachments<'_>, ServiceError> {
        Ok(OwnAttachments { attachments: self.granted(ServiceName::Attachment, |host| &host.attachments)? })
    }

    pub(crate) fn has_command(&self, path: &CommandPath) -> bool {
        self.0.host.commands.as_ref().is_some_and(|is_in_force| is_in_force(path))
    }

    /// Announces that the run may change something that no commit can take back. If the process ends before the run
    /// does, its receipt says that the effects are unknown. Only programs, servers and built-in commands may do this.
    pub async fn announce(&self) -> Result<(), ServiceError> {
        let effects = self.0.effects.as_deref().ok_or(ServiceError::NotGranted("effects"))?;
        effects.announce().await
    }

    /// Returns the bot's internals. `None` unless the call is of a built-in command.
    pub fn internals<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.internals.clone()?.downcast().ok()
    }
}
