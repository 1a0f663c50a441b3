//! `/alerts`: posts once in a channel when a metric of `/status` stays above or below a line, and once when it is back.

mod alert;
mod look;
#[cfg(test)]
mod tests;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use candor_core::contract::limits::{SUGGESTION_LENGTH_MAX, SUGGESTIONS_MAX};
use candor_core::contract::{
    Call, CommandError, Live, NativeModule, NoArguments, RecordId, ServiceError, ServiceName, Suggestion, entity,
    fresh_metrics, metric_figures,
};
use candor_core::inbound::{ChannelId, Place};
use candor_core::language::{Language, say_from};
use candor_core::reply::Reply;
use candor_core::text::{Misread, Span, excerpt, nearest};

use alert::{Alert, Found, Side, TEXTS, found, shown, what};

const ALERTS_MAX: usize = 25;

/// The longest duration that an alert may require.
const LASTS_MAX: Duration = Duration::from_hours(24);

const NEAR_MAX: usize = 3;

pub fn module() -> NativeModule {
    NativeModule::new("alerts", include_str!("module.toml"))
        .needs(ServiceName::Records)
        .needs(ServiceName::Live)
        .needs(ServiceName::Time)
        .needs(ServiceName::Send)
        .handler("set", set)
        .complete("set", "metric", metrics)
        .handler("list", list)
        .handler("remove", remove)
}

/// What `/alerts set` takes.
#[derive(Deserialize, JsonSchema)]
struct NewAlert {
    /// The metric, such as cpu.usage_percent
    #[schemars(length(min = 1, max = 100))]
    metric: String,
    /// On which side of the line it is told
    when: Side,
    /// The line, as a number like those in the metrics file
    line: f64,
    /// For how long it must be beyond it: 5m or 1h; else at once
    #[serde(rename = "for")]
    #[schemars(length(min = 1, max = 40))]
    lasts: Option<String>,
    /// Where it is told; else here
    channel: Option<entity::Channel>,
}

/// What `/alerts remove` takes.
#[derive(Deserialize, JsonSchema)]
struct AlertNumber {
    /// The alert's number
    #[schemars(range(min = 1))]
    id: RecordId,
}

async fn set(new: NewAlert, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let Place::Guild { channel: here, .. } = call.place else {
        return Err(CommandError::tell(say_from!(TEXTS, language, "guild-only")));
    };
    let live = call.services.live()?;
    let (metric, value) = numeric(&new.metric, live, &call)?;
    if !new.line.is_finite() {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-line")));
    }
    let lasts = match &new.lasts {
        None => Duration::ZERO,
        Some(typed) => lasting(typed, language)?,
    };
    let channel = new.channel.map_or(here, |channel| ChannelId(channel.id));
    if let Some(why) = call.services.send()?.refusal(channel, language) {
        return Err(CommandError::tell(why));
    }
    let alert = Alert::new(metric, (new.when, new.line), lasts, channel);
    let records = call.services.records()?;
    let before = found(&records).await?.into_iter().find(|found| found.alert.is_about(&alert));
    let id = match before {
        Some(Found { id, body, .. }) => {
            if !records.replace(id, &body, &json!(alert)).await? {
                return Err(ServiceError::Store("the alert was changed meanwhile".to_owned()).into());
            }
            id
        }
        None => records.add(&json!(alert), ALERTS_MAX).await.map_err(|problem| match problem {
            ServiceError::Full(_) => CommandError::tell(say_from!(TEXTS, language, "full", max = ALERTS_MAX)),
            problem => problem.into(),
        })?,
    };
    look::begin(&call).await?;
    let what = what(&alert, live, language);
    let value = shown(&alert, value, live, language);
    let channel = channel.0.to_string();
    Ok(Reply::text(say_from!(TEXTS, language, "set", id = id, channel = channel, what = what, value = value)))
}

fn lasting(typed: &str, language: Language) -> Result<Duration, CommandError> {
    let why = match Span::parse(typed).map(Span::duration) {
        Ok(Some(lasts)) if lasts <= LASTS_MAX => return Ok(lasts),
        Err(Misread::CapitalM) => say_from!(TEXTS, language, "capital-m", typed = excerpt(typed)),
        Ok(_) | Err(Misread::Unknown) => say_from!(TEXTS, language, "no-duration", typed = excerpt(typed)),
    };
    Err(CommandError::tell(why))
}

/// Returns the key of the metric as the file spells it, ignoring case, with its current value.
fn numeric(typed: &str, live: &dyn Live, call: &Call) -> Result<(String, f64), CommandError> {
    let typed = typed.trim();
    let language = call.caller.language;
    let observation = live.observe();
    let Some(content) = fresh_metrics(&observation, live.presentation(), call.now) else {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-metrics")));
    };
    let all = metric_figures(content, live.presentation());
    if let Some(found) = all.iter().find(|(key, _)| key.to_lowercase() == typed.to_lowercase()) {
        return Ok(found.clone());
    }
    let mut told = say_from!(TEXTS, language, "no-metric", name = excerpt(typed));
    let near = nearest(typed, all.iter().map(|(key, _)| key.as_str()), NEAR_MAX);
    if !near.is_empty() {
        let near: Vec<_> = near.into_iter().map(|key| format!("`{}`", excerpt(key))).collect();
        told = format!("{told} {}", say_from!(TEXTS, language, "near", near = near.join(", ")));
    }
    Err(CommandError::tell(told))
}

async fn list(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    if call.due.is_some() {
        return look::look(&call).await;
    }
    let language = call.caller.language;
    let live = call.services.live()?;
    let send = call.services.send()?;
    let alerts = found(&call.services.records()?).await?;
    let n = alerts.len();
    if n != 0 && matches!(call.place, Place::Guild { .. }) {
        // Schedules the looks again in case one was lost.
        look::begin(&call).await?;
    }
    let mut lines = Vec::new();
    for Found { id, alert, .. } in alerts {
        let channel = alert.channel();
        let now = match look::value(live, &alert.metric, &call) {
            Some(value) => say_from!(TEXTS, language, "now", value = shown(&alert, value, live, language)),
            None => say_from!(TEXTS, language, "unknown-now"),
        };
        let told = alert.told.then(|| say_from!(TEXTS, language, "on"));
        let unsent = (!send.channels().contains(&channel)).then(|| say_from!(TEXTS, language, "no-longer-sent"));
        let state: Vec<_> = [Some(now), told, unsent].into_iter().flatten().collect();
        lines.push(format!("{id} · {} → <#{}>\n{}", what(&alert, live, language), channel.0, state.join(" · ")));
    }
    if lines.is_empty() {
        lines.push(say_from!(TEXTS, language, "none"));
    }
    let state = Some(say_from!(TEXTS, language, "count", n = n, max = ALERTS_MAX));
    Ok(Reply { state, ..Reply::text(lines.join("\n")).titled(say_from!(TEXTS, language, "title")) })
}

async fn remove(alert: AlertNumber, call: Call) -> Result<Reply, CommandError> {
    let id = alert.id;
    let language = call.caller.language;
    let records = call.services.records()?;
    let unknown = || CommandError::tell(say_from!(TEXTS, language, "unknown", id = id));
    let alert: Alert = serde_json::from_value(records.remove(id).await?.ok_or_else(unknown)?)?;
    if found(&records).await?.is_empty() && matches!(call.place, Place::Guild { .. }) {
        look::end(&call).await?;
    }
    let what = what(&alert, call.services.live()?, language);
    Ok(Reply::text(say_from!(TEXTS, language, "removed", id = id, what = what)))
}

/// Suggests the metrics with numbers whose name contains the typed text.
async fn metrics(typed: String, call: Call) -> Vec<Suggestion> {
    let Ok(live) = call.services.live() else { return Vec::new() };
    let observation = live.observe();
    let Some(content) = fresh_metrics(&observation, live.presentation(), call.now) else { return Vec::new() };
    let typed = typed.trim().to_lowercase();
    let keys = metric_figures(content, live.presentation()).into_iter().map(|(key, _)| key);
    let found = keys.filter(|key| key.to_lowercase().contains(&typed) && key.chars().count() <= SUGGESTION_LENGTH_MAX);
    found.take(SUGGESTIONS_MAX).map(Suggestion::from).collect()
}
