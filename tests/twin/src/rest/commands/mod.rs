//! Routes of application commands. Commands are stored as Discord stores them: with defaults, ids and versions.

pub(crate) mod stored;

use serde_json::{Value, json};

use crate::limits::{check_command, check_commands, check_counts, kind_of};
use crate::payload::GUILD_ID;
use crate::rest::commands::stored::{is_same, stored_command, without_localizations};
use crate::rest::errors::Refusal;
use crate::rest::{Answer, Call, Outcome};
use crate::twin::state::World;

/// How many commands a bot may create per day and scope. Updates do not count.
const CREATES_PER_DAY_MAX: usize = 200;
/// The `retry_after` of that refusal.
const DAY_SECONDS: f64 = 86_400.0;
const ENTRY_POINT: u64 = 4;

/// The scope of a command.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Scope {
    Global,
    Guild,
}

impl Scope {
    fn guild(self) -> Option<u64> {
        (self == Scope::Guild).then_some(GUILD_ID)
    }

    fn holds(self, command: &Value) -> bool {
        command["guild_id"].is_null() == (self == Scope::Global)
    }
}

/// All commands of a scope.
pub(crate) fn list(call: &Call<'_>, scope: Scope) -> Answer {
    let world = call.state.world();
    let commands = world.commands.iter().filter(|command| scope.holds(command));
    let shown: Vec<Value> = if call.flag("with_localizations") {
        commands.cloned().collect()
    } else {
        commands.map(without_localizations).collect()
    };
    Answer::Json(200, Value::Array(shown))
}

/// One command by id.
pub(crate) fn one(call: &Call<'_>, scope: Scope, id: &str) -> Outcome {
    let world = call.state.world();
    let index = position(&world, scope, id)?;
    Ok(Answer::Json(200, world.commands.get(index).cloned().unwrap_or_default()))
}

/// Bulk overwrite: afterwards the scope holds exactly these commands, of every type.
pub(crate) fn overwrite_all(call: &Call<'_>, scope: Scope) -> Outcome {
    check_commands(call.body)?;
    let wanted = call.body.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut world = call.state.world();
    keep_entry_point(&world, scope, wanted)?;
    let n_new = wanted.iter().filter(|command| find_named(&world, scope, command).is_none()).count();
    count_creates(&mut world, scope, n_new)?;
    let next: Vec<Value> = wanted.iter().map(|command| merged(call, &world, scope, command)).collect();
    world.commands.retain(|command| !scope.holds(command));
    world.commands.extend(next.iter().cloned());
    Ok(Answer::Json(200, Value::Array(next)))
}

/// Creates a command, or overwrites the one of the same name and type.
pub(crate) fn create(call: &Call<'_>, scope: Scope) -> Outcome {
    check_command(call.body)?;
    let mut world = call.state.world();
    let existing = find_named(&world, scope, call.body);
    let command = merged(call, &world, scope, call.body);
    let Some(index) = existing else {
        let mut all: Vec<Value> = world.commands.iter().filter(|command| scope.holds(command)).cloned().collect();
        all.push(command.clone());
        check_counts(&all)?;
        count_creates(&mut world, scope, 1)?;
        world.commands.push(command.clone());
        return Ok(Answer::Json(201, command));
    };
    replace(&mut world, index, &command);
    Ok(Answer::Json(200, command))
}

/// Changes the fields of a command that the body names.
pub(crate) fn edit(call: &Call<'_>, scope: Scope, id: &str) -> Outcome {
    let mut world = call.state.world();
    let index = position(&world, scope, id)?;
    let before = world.commands.get(index).cloned().unwrap_or_default();
    let mut after = before.clone();
    for (key, value) in call.body.as_object().into_iter().flatten() {
        if !matches!(key.as_str(), "id" | "type" | "application_id" | "guild_id" | "version") {
            after[key] = value.clone();
        }
    }
    check_command(&after)?;
    if find_named(&world, scope, &after).is_some_and(|other| other != index) {
        return Err(Refusal::new(400, 40041, "An application command with that name already exists"));
    }
    let mut command = stored_command(&after, scope.guild());
    if !is_same(&before, &command) {
        command["version"] = json!(call.state.new_id());
    }
    replace(&mut world, index, &command);
    Ok(Answer::Json(200, command))
}

/// Deletes a command.
pub(crate) fn delete(call: &Call<'_>, scope: Scope, id: &str) -> Outcome {
    let mut world = call.state.world();
    let index = position(&world, scope, id)?;
    world.commands.remove(index);
    Ok(Answer::Empty)
}

/// The command as stored: with the old id if type and name exist already, and with a new version if it changed.
fn merged(call: &Call<'_>, world: &World, scope: Scope, command: &Value) -> Value {
    let mut next = stored_command(command, scope.guild());
    let before = find_named(world, scope, command).and_then(|index| world.commands.get(index));
    match before {
        Some(before) => {
            next["id"] = before["id"].clone();
            next["version"] =
                if is_same(before, &next) { before["version"].clone() } else { json!(call.state.new_id()) };
        }
        None => {
            next["id"] = json!(call.state.new_id());
            next["version"] = json!(call.state.new_id());
        }
    }
    next
}

fn replace(world: &mut World, index: usize, command: &Value) {
    if let Some(place) = world.commands.get_mut(index) {
        place.clone_from(command);
    }
}

fn position(world: &World, scope: Scope, id: &str) -> Result<usize, Refusal> {
    let found = world.commands.iter().position(|command| scope.holds(command) && command["id"] == id);
    found.ok_or_else(Refusal::unknown_command)
}

fn find_named(world: &World, scope: Scope, wanted: &Value) -> Option<usize> {
    let same = |command: &Value| command["name"] == wanted["name"] && kind_of(command) == kind_of(wanted);
    world.commands.iter().position(|command| scope.holds(command) && same(command))
}

/// Refuses a bulk overwrite that would remove the entry point command.
fn keep_entry_point(world: &World, scope: Scope, wanted: &[Value]) -> Result<(), Refusal> {
    let is_entry_point = |command: &Value| kind_of(command) == ENTRY_POINT;
    let is_registered = world.commands.iter().any(|command| scope.holds(command) && is_entry_point(command));
    if is_registered && !wanted.iter().any(is_entry_point) {
        let why = "You cannot remove this app's Entry Point command in a bulk update operation. \
                   Please include the Entry Point command in your update request or delete it separately.";
        return Err(Refusal::new(400, 50240, why));
    }
    Ok(())
}

fn count_creates(world: &mut World, scope: Scope, n: usize) -> Result<(), Refusal> {
    let created = world.n_created.entry(scope.guild().unwrap_or_default().to_string()).or_default();
    if *created + n > CREATES_PER_DAY_MAX {
        let why = format!("Max number of daily application command creates has been reached ({CREATES_PER_DAY_MAX})");
        return Err(Refusal::new(400, 30034, why).retry_after(DAY_SECONDS));
    }
    *created += n;
    Ok(())
}
