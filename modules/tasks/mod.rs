//! `/tasks`: a to-do list that all people of a guild or direct-message channel share.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tracing::warn;

use candor_core::contract::limits::{SUGGESTION_LENGTH_MAX, SUGGESTIONS_MAX};
use candor_core::contract::{
    Call, CommandError, NativeModule, OwnRecords, RecordId, ServiceError, ServiceName, Suggestion,
};
use candor_core::inbound::CommandPath;
use candor_core::language::{Language, Texts, say_from};
use candor_core::reply::{Page, Reply};
use candor_core::text::{escaped, shortened, visible_line};

/// The most tasks of one place. Done tasks count until they are removed.
const TASKS_MAX: usize = 500;

/// Open tasks per page. The longest titles, with every character escaped, still fit into one embed.
const PER_PAGE: u64 = 8;

const DONE_SHOWN_MAX: usize = 10;

static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

pub fn module() -> NativeModule {
    NativeModule::new("tasks", include_str!("module.toml"))
        .needs(ServiceName::Records)
        .handler("add", add)
        .handler("list", list)
        .handler("done", done)
        .handler("remove", remove)
        .complete("done", "id", suggest_open)
        .complete("remove", "id", suggest_any)
}

/// What `/tasks add` takes.
#[derive(Deserialize, JsonSchema)]
struct NewTask {
    /// What is to be done
    #[schemars(length(min = 1, max = 200))]
    title: String,
}

/// What `/tasks list` takes.
#[derive(Deserialize, JsonSchema)]
struct TaskPage {
    /// The page to show
    #[schemars(range(min = 1))]
    page: Option<u32>,
}

/// What `/tasks done` and `/tasks remove` take.
#[derive(Deserialize, JsonSchema)]
struct TaskNumber {
    /// The task's number
    #[schemars(range(min = 1))]
    id: RecordId,
}

/// A task as stored. It does not name the person who added it: the list is shared. Tasks of older versions do.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Task {
    /// Untrusted text on one line.
    title: String,
    done: bool,
    /// In seconds since 1970.
    added_at: u64,
}

async fn add(new: NewTask, call: Call) -> Result<Reply, CommandError> {
    let title = visible_line(&new.title);
    let language = call.caller.language;
    if title.is_empty() {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-title")));
    }
    let added_at = call.now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let task = Task { title, done: false, added_at };
    match call.services.records()?.add(&json!(task), TASKS_MAX).await {
        Ok(id) => Ok(Reply::text(say_from!(TEXTS, language, "added", id = id, title = escaped(&task.title)))),
        Err(ServiceError::Full(_)) => Err(CommandError::tell(say_from!(TEXTS, language, "full", max = TASKS_MAX))),
        Err(problem) => Err(problem.into()),
    }
}

async fn list(wanted: TaskPage, call: Call) -> Result<Reply, CommandError> {
    let (done, open): (Vec<_>, Vec<_>) =
        tasks(&call.services.records()?).await?.into_iter().partition(|(_, task)| task.done);
    let path = CommandPath::new("tasks", Some("list"));
    let language = call.caller.language;
    let page = Page::of(wanted.page, open.len() as u64, PER_PAGE);
    let line = |(id, task): &(RecordId, Task)| format!("{id} · {}", escaped(&task.title));
    let mut lines: Vec<_> = page.shown(&open).iter().map(line).collect();
    if open.is_empty() {
        lines.push(say_from!(TEXTS, language, "nothing-open"));
    }
    if !done.is_empty() {
        let numbers: Vec<_> = done.iter().take(DONE_SHOWN_MAX).map(|(id, _)| id.to_string()).collect();
        let more = if DONE_SHOWN_MAX < done.len() { ", …" } else { "" };
        let numbers = format!("{}{more}", numbers.join(", "));
        lines.push(say_from!(TEXTS, language, "done-ones", n = done.len(), numbers = numbers));
    }
    lines.extend(page.line(&path, &Map::new(), language));
    let state = Some(say_from!(TEXTS, language, "open", n = open.len()));
    let controls = page.controls(&path, &Map::new(), language);
    Ok(Reply { state, controls, ..Reply::text(lines.join("\n")).titled(say_from!(TEXTS, language, "title")) })
}

async fn done(task: TaskNumber, call: Call) -> Result<Reply, CommandError> {
    let list = call.services.records()?;
    let id = task.id;
    let language = call.caller.language;
    loop {
        let kept = list.get(id).await?.ok_or_else(|| no_such_task(id, language))?;
        let task: Task = serde_json::from_value(kept.clone())?;
        let title = escaped(&task.title);
        if task.done {
            return Err(CommandError::tell(say_from!(TEXTS, language, "done-already", id = id, title = title)));
        }
        if list.replace(id, &kept, &json!(Task { done: true, ..task })).await? {
            return Ok(Reply::text(say_from!(TEXTS, language, "done", id = id, title = title)));
        }
        // The task changed or was removed meanwhile: read it again.
    }
}

async fn remove(task: TaskNumber, call: Call) -> Result<Reply, CommandError> {
    let id = task.id;
    let language = call.caller.language;
    let removed = call.services.records()?.remove(id).await?.ok_or_else(|| no_such_task(id, language))?;
    let Task { title, .. } = serde_json::from_value(removed)?;
    Ok(Reply::text(say_from!(TEXTS, language, "removed", id = id, title = escaped(&title))))
}

fn no_such_task(id: RecordId, language: Language) -> CommandError {
    CommandError::tell(say_from!(TEXTS, language, "unknown", id = id))
}

async fn suggest_open(typed: String, call: Call) -> Vec<Suggestion> {
    suggest(&typed, &call, |task| !task.done).await
}

/// Suggests open tasks, then done ones, whose removal makes room.
async fn suggest_any(typed: String, call: Call) -> Vec<Suggestion> {
    suggest(&typed, &call, |_| true).await
}

async fn suggest(typed: &str, call: &Call, wanted: impl Fn(&Task) -> bool) -> Vec<Suggestion> {
    let found = match call.services.records() {
        Ok(records) => tasks(&records).await,
        Err(problem) => Err(problem.into()),
    };
    let mut tasks = found.unwrap_or_else(|problem| {
        warn!(?problem, "no tasks to suggest");
        Vec::new()
    });
    tasks.retain(|(id, task)| wanted(task) && matches(typed, *id, &task.title));
    tasks.sort_by_key(|(_, task)| task.done);
    tasks.iter().take(SUGGESTIONS_MAX).map(|(id, task)| suggestion(*id, task)).collect()
}

fn matches(typed: &str, id: RecordId, title: &str) -> bool {
    let typed = typed.trim().to_lowercase();
    id.to_string().starts_with(&typed) || title.to_lowercase().contains(&typed)
}

fn suggestion(id: RecordId, task: &Task) -> Suggestion {
    let mark = if task.done { "✓ " } else { "" };
    let label = shortened(&format!("{id} · {mark}{}", task.title), SUGGESTION_LENGTH_MAX);
    Suggestion { label, value: Value::from(id) }
}

/// Returns the tasks of this place, oldest first.
async fn tasks(records: &OwnRecords<'_>) -> Result<Vec<(RecordId, Task)>, CommandError> {
    records.list().await?.into_iter().map(|(id, body)| Ok((id, serde_json::from_value(body)?))).collect()
}
