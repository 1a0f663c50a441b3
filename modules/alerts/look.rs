//! The look at all alerts of a server, once a minute: what is new is told in their channels.
//!
//! It is a call of `/alerts list` for the server itself, at a later time. As long as nothing crosses its line, the call
//! is put off and nothing is stored. What is told, what is known then and the next look are stored together, or not at
//! all, so that it is told once, whichever process looks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, json};
use tracing::warn;

use super::kept::{Found, Kept, News, found};
use super::texts::TEXTS;
use super::words::{name, shown, what};
use candor_core::contract::{Call, CommandError, Live, ServiceError, fresh_metrics, metric_figures};
use candor_core::inbound::{ChannelId, CommandPath};
use candor_core::language::{Language, say_from};
use candor_core::reply::Reply;
use candor_core::text::with_causes;

/// The pause between two looks.
pub(super) const EVERY: Duration = Duration::from_secs(60);

/// The current value of a metric: none if it is not a number of the file, or the file is stale or broken.
pub(super) fn value(live: &dyn Live, metric: &str, call: &Call) -> Option<f64> {
    let (observation, presentation) = (live.observe(), live.presentation());
    let content = fresh_metrics(&observation, presentation, call.now)?;
    metric_figures(content, presentation).into_iter().find(|(key, _)| key == metric).map(|(_, value)| value)
}

/// The servers of which the last look failed. Their alerts begin anew.
static FAILED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
const FAILED_MAX: usize = 10_000;

/// Has the server's alerts looked at from now on, if they are not already.
pub(super) async fn begin(call: &Call) -> Result<(), ServiceError> {
    let time = call.services.time()?.of_guild()?;
    if time.waiting().await?.iter().all(|due| due.is_made) {
        time.call_later(path(), Map::new(), (call.now, call.now + EVERY)).await?;
    }
    Ok(())
}

/// Ends the looks: no alert is left.
pub(super) async fn end(call: &Call) -> Result<(), ServiceError> {
    let time = call.services.time()?.of_guild()?;
    for due in time.waiting().await? {
        time.cancel(due.id).await?;
    }
    Ok(())
}

/// The look that is due. One that fails is made again: nobody would notice that alerts are missing.
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
    let (records, live, language) = (call.services.records()?, call.services.live()?, call.caller.language);
    let alerts = found(&records).await?;
    let (n, mut changed) = (alerts.len(), 0);
    if alerts.is_empty() {
        return Ok(Reply::text(say_from!(TEXTS, language, "gone")));
    }
    let has_failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).remove(&call.place.scope());
    // Nobody looked for longer than that: while the bot was off, for one.
    let is_late = call.due.is_some_and(|due| call.now.duration_since(due).is_ok_and(|late| EVERY < late));
    let mut looks: Vec<Look> = Vec::new();
    for before in alerts {
        let mut kept = before.kept.clone();
        if is_late || has_failed {
            kept.had_gap();
        }
        let news = kept.looked_at(value(live, &kept.metric, call), call.now);
        looks.push(Look { before, kept, news });
    }
    tell_gaps(call, &mut looks).await?;
    for Look { before, mut kept, news } in looks {
        if let Some((news, value)) = news
            && !sent(call, kept.channel(), message(&kept, news, value, live, language)).await?
        {
            // It stays to be told: `/alerts list` shows that it cannot be, and the next look tries again.
            let missing = kept.missing;
            kept = before.kept.clone();
            kept.missing = missing;
        }
        if kept == before.kept {
            continue;
        }
        if !records.replace(before.id, &before.body, &json!(kept)).await? {
            return Err(ServiceError::Store("an alert was changed during the look".to_owned()).into());
        }
        changed += 1;
    }
    let next = call.now + EVERY;
    if changed == 0 {
        return Err(CommandError::NotYet(next));
    }
    call.services.time()?.of_guild()?.call_later(path(), Map::new(), (call.now, next)).await?;
    Ok(Reply::text(say_from!(TEXTS, language, "looked", n = n, changed = changed)))
}

/// The result of checking an alert: its state before and now, and the message to post.
struct Look {
    before: Found,
    kept: Kept,
    news: Option<(News, f64)>,
}

/// Tells which metrics have no figure any more, and which have one again: one message a channel, as a file that is not
/// written any more takes all of them.
async fn tell_gaps(call: &Call, looks: &mut [Look]) -> Result<(), CommandError> {
    let (live, language) = (call.services.live()?, call.caller.language);
    let mut groups: BTreeMap<(u64, bool), Vec<&mut Kept>> = BTreeMap::new();
    for look in looks.iter_mut().filter(|look| look.kept.missing != look.before.kept.missing) {
        groups.entry((look.kept.channel().0, look.kept.missing)).or_default().push(&mut look.kept);
    }
    for ((channel, is_missing), group) in groups {
        let names: BTreeSet<_> = group.iter().map(|kept| name(kept, live, language)).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let said = match is_missing {
            true => say_from!(TEXTS, language, "no-figure", names = names),
            false => say_from!(TEXTS, language, "figure-again", names = names),
        };
        if !sent(call, ChannelId(channel), Reply::text(said)).await? {
            group.into_iter().for_each(|kept| kept.missing = !is_missing);
        }
    }
    Ok(())
}

/// Sends a message to a channel, and says whether that is possible now.
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

fn message(kept: &Kept, news: News, value: f64, live: &dyn Live, language: Language) -> Reply {
    let (what, value) = (what(kept, live, language), shown(kept, value, live, language));
    let title = match news {
        News::Began => say_from!(TEXTS, language, "began", what = what),
        News::Over => say_from!(TEXTS, language, "over", what = what),
    };
    Reply::text(say_from!(TEXTS, language, "value", value = value)).titled(title)
}
