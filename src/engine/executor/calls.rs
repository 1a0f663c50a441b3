//! The calls of modules' code, with the services that each module asked for, and the entries that modules add to the
//! chat model's prompt.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::task::JoinError;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use crate::rules::InForce;
use candor_core::agent::prompt::Background;
use candor_core::contract::{
    Call, CommandError, HostServices, ModuleCode, ModuleSettings, Owner, SendChannels, Services,
};
use candor_core::guild::Rules;
use candor_core::inbound::{Asking, CallMethod, Caller, Place};
use candor_core::text::with_causes;

/// The longest that a chat turn waits for the modules' entries.
const BACKGROUND_DEADLINE: Duration = Duration::from_secs(2);

const BACKGROUND_ENTRIES_MAX: usize = 50;

/// Makes the calls of modules' code.
pub struct ModuleCalls {
    pub registry: Arc<InForce>,
    pub services: Arc<HostServices>,
    /// The longest that a handler may run.
    pub deadline: Duration,
}

impl ModuleCalls {
    pub(super) fn call(&self, asking: &Asking<'_>, owner: &Owner, rules: &Rules, now: SystemTime) -> Call {
        let Asking { caller, place, .. } = *asking;
        let registry = self.registry.now();
        let facts = registry.modules().get(owner);
        let asked = facts.map_or(&[][..], |facts| &facts.services);
        let mut services = Services::grant(&self.services, &owner.to_string(), asked, asking);
        if let Some(facts) = facts {
            services = services
                .with_settings(settings(&facts.code, owner, rules))
                .sending_to(send_channels(&facts.code, owner, place, rules))
                .with_http_hosts(facts.http_hosts.clone());
            // A program and a server may change anything.
            if facts.run.is_some() {
                services = services.with_effects();
            }
        }
        Call { caller: caller.clone(), place, now, due: None, receipt: None, rules: rules.clone(), services }
    }

    /// Returns the modules' entries about this caller, by module. They are data for the chat model.
    ///
    /// Each module runs in a separate task, all at once. One that fails or is too slow contributes nothing.
    pub(crate) async fn background(
        &self,
        caller: &Caller,
        place: Place,
        rules: &Rules,
        now: SystemTime,
    ) -> Vec<Background> {
        let until = Instant::now() + self.deadline.min(BACKGROUND_DEADLINE);
        let asking = Asking { caller, place, method: CallMethod::Typed };
        let registry = self.registry.now();
        let asked = registry.modules().iter().filter_map(|(owner, facts)| {
            let telling = facts.code.background()?(self.call(&asking, owner, rules, now));
            Some((owner, facts, AbortOnDropHandle::new(tokio::spawn(telling))))
        });
        // Starts every task before awaiting the first.
        let asked: Vec<_> = asked.collect();
        let mut background = Vec::new();
        for (owner, facts, telling) in asked {
            match entries(timeout_at(until, telling).await) {
                Ok(entries) if entries.is_empty() => {}
                Ok(entries) => background.push(Background { title: facts.summary.clone(), entries }),
                Err(why) => warn!(module = %owner, error = why, "this module told the chat model nothing"),
            }
        }
        background
    }
}

/// Returns the channels to which a module may post unasked. Administrators may have added some.
pub(crate) fn send_channels(code: &ModuleCode, owner: &Owner, place: Place, rules: &Rules) -> SendChannels {
    let channels = SendChannels::of_operator(code.send_to().clone());
    match place {
        Place::Guild { guild, .. } if code.send_to().servers_add => {
            channels.with_guild(guild, rules.channels_of_module(&owner.to_string()).unwrap_or_default())
        }
        Place::Guild { .. } | Place::Direct { .. } | Place::Console => channels,
    }
}

/// Returns a module's settings under these rules. Administrators may have overridden some.
fn settings(code: &ModuleCode, owner: &Owner, rules: &Rules) -> ModuleSettings {
    match code.per_server() {
        [] => code.settings().clone(),
        _ => code.settings_where(rules.of_module(&owner.to_string())),
    }
}

/// Returns a module's entries about a person, or the reason for the log why it contributes nothing.
fn entries(
    ended: Result<Result<Result<Vec<String>, CommandError>, JoinError>, Elapsed>,
) -> Result<Vec<String>, String> {
    match ended {
        Ok(Ok(Ok(entries))) => Ok(entries.into_iter().take(BACKGROUND_ENTRIES_MAX).collect()),
        // The text of a refusal is for a person, who does not read it here.
        Ok(Ok(Err(CommandError::Tell(_)))) => Err("it refused".to_owned()),
        Ok(Ok(Err(CommandError::Internal(problem)))) => Err(with_causes(&*problem)),
        Ok(Ok(Err(CommandError::NotYet(_)))) => Err("it put the turn off".to_owned()),
        Ok(Err(broken)) => Err(why_broken(broken)),
        Err(_) => Err("no answer in time".to_owned()),
    }
}

/// Returns the reason why a handler's task broke off.
pub(super) fn why_broken(broken: JoinError) -> String {
    broken.try_into_panic().map_or_else(|_| "cancelled".to_owned(), |panic| panic_text(&*panic))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}
