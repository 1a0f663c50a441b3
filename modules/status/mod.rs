//! `/status`: shows the live metrics from the metrics file, with their age.
//!
//! The parts of this feature:
//!
//! - handler: `modules/status`
//! - watched file: `src/system/watch`
//! - producer of this machine's metrics: `src/system/host_metrics.rs`
//! - sampler, which stores samples for the history: `src/engine/sampler.rs`
//! - stored samples: `src/store/tables/samples.rs`
//! - freshness and history services: `src/core/contract/services`
//! - charts: as data and SVG in `src/core/reply/chart`, as PNG in `src/system/chart_png`
//! - live messages: `src/discord/live`, `src/engine/storage/replies.rs`,
//!   `src/store/tables/queues/live_messages.rs`

mod format;
mod layout;
mod past;
mod reading;
mod state;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use candor_core::contract::limits::{SUGGESTION_LENGTH_MAX, SUGGESTIONS_MAX};
use candor_core::contract::{
    Call, CommandError, NativeModule, Observation, Presentation, ServiceName, Suggestion, written_metrics,
};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::{Language, say_from};
use candor_core::record::Source;
use candor_core::reply::{Control, ControlStyle, PreparedCall, Reply};
use candor_core::text::{nearest, one_line};
use format::TEXTS;

const NEAR_MAX: usize = 3;
const LISTED_MAX: usize = 15;
/// See [`PreparedCall`]: the most bytes of a button's path and arguments.
const CALL_LENGTH_MAX: usize = 47;

/// What `/status` takes.
#[derive(Default, Deserialize, JsonSchema)]
struct StatusArgs {
    /// Only this metric
    metric: Option<String>,
    /// Draw a chart of this period, up to now
    range: Option<past::Range>,
    /// Keep the answer up to date on Discord; false ends it
    live: Option<bool>,
}

pub fn module() -> NativeModule {
    NativeModule::new("status", include_str!("module.toml"))
        .needs(ServiceName::Live)
        .needs(ServiceName::History)
        .handler("status", status)
        .complete("status", "metric", live_keys)
}

async fn status(args: StatusArgs, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let live = call.services.live()?;
    let observation = live.observe();
    let presentation = live.presentation();
    let wanted = args.metric.as_deref().map(str::trim).filter(|wanted| !wanted.is_empty());
    let path = match call.place {
        Place::Console => observation.path.as_str(),
        // Only operators may see the folders.
        Place::Guild { .. } | Place::Direct { .. } => file_name(&observation.path),
    };
    let now = render_in((&observation, path), presentation, wanted, call.now, language);
    let reply = match args.range {
        None => now,
        Some(range) => {
            let history = call.services.history()?;
            let past = history.between(range.begin(call.now), call.now).await?;
            past::with_past(
                now,
                past,
                &past::PastRequest { range, wanted, presentation, observation: &observation, language },
                call.now,
            )
        }
    };
    let mut reply = reply?;
    // No button for charts, which have a cooldown, nor for live messages.
    if args.range.is_none() && args.live.is_none() {
        reply.controls.extend(refresh_button(wanted, language).map(|button| vec![button]));
    }
    if args.live.is_some() && call.place == Place::Console {
        reply.add_line(&say_from!(TEXTS, language, "console"));
    } else {
        reply.live = args.live;
    }
    Ok(reply)
}

/// Returns the button that refreshes the answer in place. `None` if the metric's name is too long for one.
fn refresh_button(wanted: Option<&str>, language: Language) -> Option<Control> {
    let path = CommandPath::new("status", None);
    let arguments: Map<_, _> = wanted.map(|wanted| ("metric".to_owned(), Value::from(wanted))).into_iter().collect();
    let length = path.to_string().trim_start_matches('/').len() + Value::from(arguments.clone()).to_string().len();
    let call = PreparedCall { path, arguments, in_place: true, once: false, for_everyone: false };
    (length <= CALL_LENGTH_MAX).then(|| Control::Button {
        label: say_from!(TEXTS, language, "refresh"),
        emoji: None,
        style: ControlStyle::Secondary,
        call: Some(call),
    })
}

/// Returns the English reply for an observation of the metrics file: all metrics, or one metric, group or label.
///
/// # Errors
/// The file never had usable content, or it has nothing of that name.
pub fn render(
    observation: &Observation<Map<String, Value>>,
    presentation: &Presentation,
    metric: Option<&str>,
    now: SystemTime,
) -> Result<Reply, CommandError> {
    render_in((observation, &observation.path), presentation, metric, now, Language::ENGLISH)
}

fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// Renders the reply in a language. `path` is the file's name as shown.
fn render_in(
    (observation, path): (&Observation<Map<String, Value>>, &str),
    presentation: &Presentation,
    metric: Option<&str>,
    now: SystemTime,
    language: Language,
) -> Result<Reply, CommandError> {
    let Some(good) = &observation.good else {
        return Err(CommandError::Tell(state::no_data(path, observation.trouble.as_ref(), now, language)));
    };
    let written = written_metrics(good, presentation);
    let mut groups = reading::read(&good.value, reading::How { presentation, language });
    if let Some(wanted) = metric.map(str::trim).filter(|wanted| !wanted.is_empty()) {
        let found = reading::select(&groups, wanted);
        if found.is_empty() {
            return Err(CommandError::Tell(no_such_metric(wanted, &groups, path, language)));
        }
        groups = found;
    }
    let notes = state::notes(observation.trouble.as_ref(), &written, presentation, language);
    let (fields, left_out) = layout::fields(&groups, language);
    let empty = groups.is_empty().then(|| say_from!(TEXTS, language, "no-metrics"));
    let state = state::of(observation.trouble.as_ref(), &written, presentation, now, language);
    let more = (0 < left_out).then(|| say_from!(TEXTS, language, "more", n = left_out));
    Ok(Reply {
        title: Some(say_from!(TEXTS, language, "title")),
        state: Some(state.now),
        lasting_state: Some(state.lasting),
        text: notes.into_iter().chain(empty).chain(more).collect::<Vec<_>>().join("\n"),
        fields,
        source: Some(Source { name: observation.path.clone(), as_of: Some(written.at) }),
        ..Reply::default()
    })
}

/// Returns a metric's name and a value of it, as this module shows them.
pub(crate) fn named(key: &str, value: f64, presentation: &Presentation, language: Language) -> (String, String) {
    let unit = reading::unit(key, presentation);
    (reading::title(key, presentation, language), format::value(&Value::from(value), unit, language))
}

pub(crate) fn lasting(span: Duration, language: Language) -> String {
    format::span(span.as_secs_f64(), language)
}

fn no_such_metric(wanted: &str, groups: &[reading::Group], path: &str, language: Language) -> String {
    let quoted = |names: &[&str]| names.iter().map(|name| format!("`{}`", one_line(name, 60))).collect::<Vec<_>>();
    let names = reading::names(groups);
    let near = nearest(wanted, names.iter().map(String::as_str), NEAR_MAX);
    let tops: Vec<_> = groups.iter().map(|group| group.key.as_str()).collect();
    let mut sentences = vec![say_from!(TEXTS, language, "unknown", path = path, name = one_line(wanted, 60))];
    if !near.is_empty() {
        let or = format!(" {} ", say_from!(TEXTS, language, "list-or"));
        sentences.push(say_from!(TEXTS, language, "near", near = quoted(&near).join(&or)));
    }
    let listed: Vec<_> = tops.iter().copied().take(LISTED_MAX).collect();
    let names = quoted(&listed).join(", ");
    sentences.push(match (listed.len(), tops.len() - listed.len()) {
        (0, _) => say_from!(TEXTS, language, "has-none"),
        (_, 0) => say_from!(TEXTS, language, "has", names = names),
        (_, more) => say_from!(TEXTS, language, "has-more", names = names, n = more),
    });
    sentences.join(" ")
}

/// Suggests metric names that begin with the typed text, then those that contain it.
async fn live_keys(typed: String, call: Call) -> Vec<Suggestion> {
    let Ok(live) = call.services.live() else { return Vec::new() };
    let Some(good) = live.observe().good else { return Vec::new() };
    let typed = typed.trim().to_lowercase();
    let how = reading::How { presentation: live.presentation(), language: call.caller.language };
    let names = reading::names(&reading::read(&good.value, how));
    let mut found: Vec<_> = names
        .into_iter()
        // A truncated name would not be found again.
        .filter(|name| !name.trim().is_empty() && name.chars().count() <= SUGGESTION_LENGTH_MAX)
        .filter_map(|name| name.to_lowercase().find(&typed).map(|at| (at != 0, name)))
        .collect();
    found.sort();
    found.truncate(SUGGESTIONS_MAX);
    found.into_iter().map(|(_, name)| Suggestion::from(name)).collect()
}
