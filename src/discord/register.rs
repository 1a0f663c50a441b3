//! Tells Discord which commands there are, and the log what became of each.
//!
//! Reads what is registered, compares by meaning, and writes only when something differs. Runs beside the
//! connection; whatever goes wrong here is a warning, and commands that stand at Discord keep working.

mod compare;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serenity::http::{Http, HttpError, LightMethod, Request, Route};
use serenity::model::id::ApplicationId;
use tokio::time::sleep;
use tracing::{info, warn};

use crate::contract::Owner;
use crate::discord::http::{describe, status};
use crate::discord::payload::payload;
use crate::registry::{Registration, RegistrationState, Registry};

use compare::{Plan, plan};

/// Waits between tries. After the last, the next start tries again.
const TRY_AGAIN: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(300)];

/// Registers every command in force and logs the table. Never fails: what failed is in the log.
pub(super) async fn register(http: Arc<Http>, application: ApplicationId, registry: Arc<Registry>) {
    let mut waits = TRY_AGAIN.into_iter();
    loop {
        match once(&http, application, &registry).await {
            Ok(states) => return log(&registry, &states),
            Err(problem) => {
                let refused = status(&problem).is_some_and(|status| (400..500).contains(&status) && status != 429);
                let wait = waits.next().filter(|_| !refused);
                let again = wait.map(|wait| format!("trying again in {} s", wait.as_secs()));
                warn!(
                    error = describe(&problem),
                    "commands are not registered; those that Discord has keep working; {}",
                    again.unwrap_or_else(|| "trying again at the next start".to_owned()),
                );
                match wait {
                    Some(wait) => sleep(wait).await,
                    None => return log(&registry, &BTreeMap::new()),
                }
            }
        }
    }
}

type States = BTreeMap<String, RegistrationState>;

/// Reads, compares, writes if need be.
async fn once(http: &Http, application: ApplicationId, registry: &Registry) -> serenity::Result<States> {
    let registered = read(http, application).await?;
    let mut wanted: Vec<Value> = registry.commands().map(payload).collect();
    let mut rejected = States::new();
    loop {
        let Plan { states, body } = plan(&wanted, &registered);
        let Some(body) = body else { return Ok(merge(states, rejected)) };
        let Err(problem) = write(http, application, &body).await else { return Ok(merge(states, rejected)) };
        // One bad command must not keep the others out: Discord names it by its place in the list.
        let culprits = culprits(&problem, &body);
        if culprits.is_empty() {
            return Err(problem);
        }
        for (name, why) in culprits {
            warn!(command.name = name, error = why, "Discord does not take this command");
            wanted.retain(|command| command.get("name").and_then(Value::as_str) != Some(&name));
            rejected.insert(name, RegistrationState::Rejected);
        }
    }
}

fn merge(mut states: States, rejected: States) -> States {
    states.extend(rejected);
    states
}

async fn read(http: &Http, application: ApplicationId) -> serenity::Result<Vec<Value>> {
    let request = Request::new(Route::Commands { application_id: application }, LightMethod::Get);
    http.fire(request.params(Some(vec![("with_localizations", "true".to_owned())]))).await
}

/// Writes the whole set. The reply's body is not read: serenity may fail to decode what Discord accepted.
async fn write(http: &Http, application: ApplicationId, body: &[Value]) -> serenity::Result<()> {
    let bytes = serde_json::to_vec(body)?;
    let request = Request::new(Route::Commands { application_id: application }, LightMethod::Put);
    http.request(request.body(Some(bytes))).await.map(drop)
}

/// The commands that Discord names in a refusal, with its reasons.
fn culprits(problem: &serenity::Error, body: &[Value]) -> BTreeMap<String, String> {
    let serenity::Error::Http(HttpError::UnsuccessfulRequest(response)) = problem else { return BTreeMap::new() };
    let named = response.error.errors.iter().filter_map(|error| {
        let (place, field) = error.path.split_once('.').unwrap_or((&error.path, ""));
        let name = body.get(place.parse::<usize>().ok()?)?.get("name")?.as_str()?;
        Some((name.to_owned(), format!("{field}: {}", error.message)))
    });
    named.collect()
}

/// One line a command, then the totals. What is not in `states` never got to Discord.
fn log(registry: &Registry, states: &States) {
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for command in registry.commands() {
        let state = states.get(&command.name).copied().unwrap_or(RegistrationState::Rejected);
        let line = Registration::of(command);
        *totals.entry(state.name()).or_default() += 1;
        info!(
            command.name = line.name,
            module = line.owner,
            handler.kind = line.kind,
            options = line.takes,
            state = state.name(),
            "registered command"
        );
    }
    let gone = states.iter().filter(|(name, _)| registry.command(name).is_none());
    for (name, state) in gone {
        *totals.entry(state.name()).or_default() += 1;
        let owner = registry.quarantined().get(name).map_or("none", String::as_str);
        info!(
            command.name = format!("/{name}"),
            module = owner,
            handler.kind = "none",
            options = "",
            state = state.name(),
            "registered command"
        );
    }
    let total = |state: RegistrationState| totals.get(state.name()).copied().unwrap_or_default();
    info!(
        modules = registry.modules().keys().filter(|owner| **owner != Owner::Harness).count(),
        created = total(RegistrationState::Created),
        updated = total(RegistrationState::Updated),
        unchanged = total(RegistrationState::Unchanged),
        removed = total(RegistrationState::Removed),
        rejected = total(RegistrationState::Rejected),
        "commands at Discord"
    );
}
