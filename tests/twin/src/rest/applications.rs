//! Routes of the application and of its commands, global and per guild.

use crate::payload::{self, APPLICATION_ID, GUILD_ID};
use crate::rest::commands::{self, Scope};
use crate::rest::errors::Refusal;
use crate::rest::{Answer, Call, Outcome};

/// Routes `/applications/...` and `/oauth2/applications/@me`.
pub(crate) fn route(call: &Call<'_>, method: &str, segments: &[&str]) -> Outcome {
    match (method, segments) {
        ("GET", ["oauth2", "applications", "@me"] | ["applications", "@me"]) => {
            Ok(Answer::Json(200, payload::application(&call.state.options)))
        }
        (_, ["applications", application, "commands", rest @ ..]) => {
            require_own(application)?;
            commands_route(call, method, Scope::Global, rest)
        }
        (_, ["applications", application, "guilds", guild, "commands", rest @ ..]) => {
            require_own(application)?;
            if *guild != GUILD_ID.to_string() {
                return Err(Refusal::new(403, 50001, "Missing Access"));
            }
            commands_route(call, method, Scope::Guild, rest)
        }
        _ => Err(Refusal::not_found()),
    }
}

/// Refuses the id of another application.
fn require_own(application: &str) -> Result<(), Refusal> {
    if application == APPLICATION_ID.to_string() {
        return Ok(());
    }
    Err(Refusal::new(403, 20012, "You are not authorized to perform this action on this application"))
}

fn commands_route(call: &Call<'_>, method: &str, scope: Scope, rest: &[&str]) -> Outcome {
    match (method, rest) {
        ("GET", []) => Ok(commands::list(call, scope)),
        ("PUT", []) => commands::overwrite_all(call, scope),
        ("POST", []) => commands::create(call, scope),
        ("GET", [id]) => commands::one(call, scope, id),
        ("PATCH", [id]) => commands::edit(call, scope, id),
        ("DELETE", [id]) => commands::delete(call, scope, id),
        _ => Err(Refusal::not_found()),
    }
}
