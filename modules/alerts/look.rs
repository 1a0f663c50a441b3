//! Checks all alerts of a guild once a minute and reports changes in their channels.
//!
//! Each look is a scheduled call of `/alerts list` for the guild. If no metric crosses its line, the call is postponed
//! and nothing is stored. The messages, the new state and the next look are committed together or not at all. So each
//! change is reported once, in whichever process the look runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, json};
use tracing::warn;

use super::alert::{Alert, Found, News, found};
use crate::alerts::alert::{TEXTS, name, shown, what};
use candor_core::contract::{Call, CommandError, Live, ServiceError, fresh_metrics, metric_figures};
use candor_core::inbound::{ChannelId, CommandPath};
use candor_core::language::{Language, say_from};
use candor_core::reply::Reply;
use candor_core::text::with_causes;

pub(super) const EVERY: Duration = Duration::from_secs(60);

/// Returns the current value of a metric. `None` if the file has no such number, or is stale or broken.
pub(super) fn value(live: &dyn Live, metric: &str, call: &Call) -> Option<f64> {
    let observation = live.observe();
    let presentation = live.presentation();
    let content = fresh_metrics(&observation, presentation, call.now)?;
    metric_figures(content, presentation).into_iter().find(|(key, _)| key == metric).map(|(_, value)| value)
}

/// Guilds whose last look failed. The times of their alerts start again.
static FAILED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
const FAILED_MAX: usize = 10_000;

/// Schedules the looks at the guild's alerts, unless they are scheduled already.
pub(super) async fn begin(call: &Call) -> Result<(), ServiceError> {
    let time = call.services.time()?.of_guild()?;
    if time.waiting().await?.iter().all(|due| due.is_made) {
        time.call_later(path(), Map::new(), call.now, call.now + EVERY).await?;
    }
    Ok(())
}

/// Cancels the looks when no alert is left.
pub(super) async fn end(call: &Call) -> Result<(), ServiceError> {
    let time = call.services.time()?.of_guild()?;
    for due in time.waiting().await? {
        time.cancel(due.id).await?;
    }
    Ok(())
}

/// Runs a due look. Retries a failed one, because people would not notice missing alerts.
pub(super) async fn look(call: &Call) -> Result<Reply, CommandError> {
    match looked(call).await {
        Err(CommandError::Internal(problem)) => {
            warn!(place = call.place.key(), error = with_causes(&*problem), "alerts could not be looked at");
            let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.len() < FAILED_MAX {
                failed.insert(call.place.scope());
            }
            Err(CommandError::NotYet(call.now + EVERY))
        }
        looked => looked,
    }
}

async fn looked(call: &Call) -> Result<Reply, CommandError> {
    let records = call.services.records()?;
    let live = call.services.live()?;
    let language = call.caller.language;
    let alerts = found(&records).await?;
    let n = alerts.len();
    let mut changed = 0;
    if alerts.is_empty() {
        return Ok(Reply::text(say_from!(TEXTS, language, "gone")));
    }
    let has_failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).remove(&call.place.scope());
    // Looks were missed, for example while the bot was off.
    let is_late = call.due.is_some_and(|due| call.now.duration_since(due).is_ok_and(|late| EVERY < late));
    let mut looks: Vec<Look> = Vec::new();
    for before in alerts {
        let mut alert = before.alert.clone();
        if is_late || has_failed {
            alert.had_gap();
        }
        let news = alert.looked_at(value(live, &alert.metric, call), call.now);
        looks.push(Look { before, alert, news });
    }
    tell_gaps(call, &mut looks).await?;
    for Look { before, mut alert, news } in looks {
        if let Some((news, value)) = news
            && !sent(call, alert.channel(), message(&alert, news, value, live, language)).await?
        {
            // Not reported yet: `/alerts list` shows that the channel cannot be used, and the next look tries again.
            let missing = alert.missing;
            alert = before.alert.clone();
            alert.missing = missing;
        }
        if alert == before.alert {
            continue;
        }
        if !records.replace(before.id, &before.body, &json!(alert)).await? {
            return Err(ServiceError::Store("an alert was changed during the look".to_owned()).into());
        }
        changed += 1;
    }
    let next = call.now + EVERY;
    if changed == 0 {
        return Err(CommandError::NotYet(next));
    }
    call.services.time()?.of_guild()?.call_later(path(), Map::new(), call.now, next).await?;
    Ok(Reply::text(say_from!(TEXTS, language, "looked", n = n, changed = changed)))
}

/// The result of checking an alert: its state before and now, and the message to post.
struct Look {
    before: Found,
    alert: Alert,
    news: Option<(News, f64)>,
}

/// Reports metrics whose value is missing and those whose value is back. Sends one message a channel: when the file is
/// no longer written, all metrics go missing at once.
async fn tell_gaps(call: &Call, looks: &mut [Look]) -> Result<(), CommandError> {
    let live = call.services.live()?;
    let language = call.caller.language;
    let mut groups: BTreeMap<(u64, bool), Vec<&mut Alert>> = BTreeMap::new();
    for look in looks.iter_mut().filter(|look| look.alert.missing != look.before.alert.missing) {
        groups.entry((look.alert.channel().0, look.alert.missing)).or_default().push(&mut look.alert);
    }
    for ((channel, is_missing), group) in groups {
        let names: BTreeSet<_> = group.iter().map(|alert| name(alert, live, language)).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let said = match is_missing {
            true => say_from!(TEXTS, language, "no-figure", names = names),
            false => say_from!(TEXTS, language, "figure-again", names = names),
        };
        if !sent(call, ChannelId(channel), Reply::text(said)).await? {
            group.into_iter().for_each(|alert| alert.missing = !is_missing);
        }
    }
    Ok(())
}

/// Sends a message to a channel. Returns false if the channel cannot take it now.
async fn sent(call: &Call, channel: ChannelId, message: Reply) -> Result<bool, CommandError> {
    match call.services.send()?.send(channel, message).await {
        Ok(()) => Ok(true),
        Err(ServiceError::NotAllowed(_) | ServiceError::Full(_)) => Ok(false),
        Err(problem) => Err(problem.into()),
    }
}

fn path() -> CommandPath {
    CommandPath::new("alerts", Some("list"))
}

fn message(alert: &Alert, news: News, value: f64, live: &dyn Live, language: Language) -> Reply {
    let what = what(alert, live, language);
    let value = shown(alert, value, live, language);
    let title = match news {
        News::Began => say_from!(TEXTS, language, "began", what = what),
        News::Over => say_from!(TEXTS, language, "over", what = what),
    };
    Reply::text(say_from!(TEXTS, language, "value", value = value)).titled(title)
}
