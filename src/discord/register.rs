//! Tells Discord which commands there are, and the log what became of each.
//!
//! Reads what is registered, compares by meaning, and writes only when something differs. Runs beside the
//! connection; whatever goes wrong here is a warning, and commands that stand at Discord keep working: what
//! Discord refuses is never taken away there, because a removed command loses its permissions for good.

mod compare;
mod refusal;
mod report;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serenity::http::{Http, LightMethod, Request, Route};
use serenity::model::id::ApplicationId;
use tokio::time::{sleep, timeout};
use tracing::warn;

use crate::discord::handler::Shared;
use crate::discord::http::status;
use crate::discord::payload::{menu_payload, payload};

use compare::{Plan, Planned, Quarantined, plan};
use refusal::{Refused, culprits, explain, is_daily_limit};

/// Waits between tries. After the last, the next start tries again.
const TRY_AGAIN: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(10), Duration::from_secs(60), Duration::from_secs(300)];

/// The wait when Discord takes no more new commands today. Asking earlier only asks in vain.
const NEXT_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// So often the rest is sent again without what Discord refused. Discord names all it dislikes at once; the
/// second time is for what it only sees once that is out of the way.
const REFUSALS_MAX: usize = 2;

/// A try that takes longer is mentioned: the client waits in silence while Discord limits its rate.
const QUIET: Duration = Duration::from_secs(30);

/// Registers every command in force and logs the table. Never fails: what failed is in the log.
pub(super) async fn register(http: Arc<Http>, application: ApplicationId, shared: Arc<Shared>) {
    let registry = shared.dispatcher.registry();
    let wanted: Vec<Value> = registry.commands().map(payload).chain([menu_payload()]).collect();
    let mut refused = Refused::new();
    let mut waits = TRY_AGAIN.into_iter();
    let mut is_first = true;
    loop {
        let Try { planned, standing, failed } =
            patiently(attempt(&http, application, &wanted, registry.quarantined(), &mut refused)).await;
        shared.mentions.learn(registry, &standing);
        let Some(Failure { problem, why }) = failed else { return report::log(registry, &planned, &refused, None) };
        let wait = wait_after(&problem, &mut waits);
        if is_daily_limit(&problem) {
            warn!(
                error = why,
                "Discord takes no more new commands today; those that it has keep working; trying again in 24 h"
            );
        } else {
            let again = wait.map(|wait| format!("trying again in {} s", wait.as_secs()));
            warn!(
                error = why,
                "commands at Discord are not up to date; those that it has keep working; {}",
                again.unwrap_or_else(|| "trying again at the next start".to_owned()),
            );
        }
        // Nobody should wait for the last try to learn where things stand.
        if is_first || wait.is_none() {
            report::log(registry, &planned, &refused, Some(&why));
        }
        is_first = false;
        match wait {
            Some(wait) => sleep(wait).await,
            None => return,
        }
    }
}

/// What a try came to.
struct Try {
    /// What should become of each command; empty if what stands at Discord could not be read.
    planned: Planned,
    /// The commands as they stand at Discord, with their ids, as far as they could be read.
    standing: Vec<Value>,
    /// Why nothing was written.
    failed: Option<Failure>,
}

struct Failure {
    problem: serenity::Error,
    /// The same as it may be logged.
    why: String,
}

/// When to try again; `None` if only a change on our side can help.
fn wait_after(problem: &serenity::Error, waits: &mut impl Iterator<Item = Duration>) -> Option<Duration> {
    match status(problem) {
        _ if is_daily_limit(problem) => Some(NEXT_DAY),
        Some(status) if (400..500).contains(&status) && status != 429 => None,
        _ => waits.next(),
    }
}

/// Waits as long as it takes, and says so if that is long.
async fn patiently(attempt: impl Future<Output = Try>) -> Try {
    let mut attempt = pin!(attempt);
    match timeout(QUIET, &mut attempt).await {
        Ok(tried) => tried,
        Err(_) => {
            warn!(
                "registering commands waits for Discord, which may be limiting the rate; those that it has keep working"
            );
            attempt.await
        }
    }
}

/// Reads, compares, writes if need be. One bad command must not keep the others out: it is put among the
/// refused, and the rest is sent again.
async fn attempt(
    http: &Http,
    application: ApplicationId,
    wanted: &[Value],
    quarantined: &Quarantined,
    refused: &mut Refused,
) -> Try {
    let registered = match read(http, application).await {
        Ok(registered) => registered,
        Err(problem) => {
            let why = explain(&problem, &[]);
            return Try { planned: Planned::new(), standing: Vec::new(), failed: Some(Failure { problem, why }) };
        }
    };
    let mut n_refusals = 0;
    loop {
        let Plan { planned, body } = plan(wanted, &registered, refused, quarantined);
        let Some(body) = body else { return Try { planned, standing: registered, failed: None } };
        let problem = match write(http, application, &body).await {
            Ok(written) => return Try { planned, standing: written.unwrap_or(registered), failed: None },
            Err(problem) => problem,
        };
        n_refusals += 1;
        let culprits = culprits(&problem, &body, wanted, refused);
        if culprits.is_empty() || REFUSALS_MAX < n_refusals {
            let why = explain(&problem, &body);
            return Try { planned, standing: registered, failed: Some(Failure { problem, why }) };
        }
        for (name, why) in &culprits {
            warn!(command.name = name, error = why, "Discord does not take this command");
        }
        refused.extend(culprits);
    }
}

async fn read(http: &Http, application: ApplicationId) -> serenity::Result<Vec<Value>> {
    let request = Request::new(Route::Commands { application_id: application }, LightMethod::Get);
    http.fire(request.params(Some(vec![("with_localizations", "true".to_owned())]))).await
}

/// Writes the whole set. `None` if Discord took it and its answer cannot be read.
async fn write(http: &Http, application: ApplicationId, body: &[Value]) -> serenity::Result<Option<Vec<Value>>> {
    let bytes = serde_json::to_vec(body)?;
    let request = Request::new(Route::Commands { application_id: application }, LightMethod::Put);
    let answer = http.request(request.body(Some(bytes))).await?;
    // As plain JSON: serenity's own types may fail to decode what Discord accepted.
    Ok(answer.json().await.ok())
}
