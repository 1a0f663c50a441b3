//! The request to a program: one JSON object on its standard input.

use serde_json::{Map, Value, json};
use time::format_description::well_known::Rfc3339;

use crate::contract::code::Call;
use crate::contract::outside::later::GivenLater;
use crate::contract::outside::records::GivenRecords;
use crate::contract::services::ServiceName;
use crate::contract::spec::ModuleSettings;
use crate::inbound::Place;
use crate::text::utc_text;

/// The version of the JSON protocol with programs.
const PROTOCOL: u8 = 1;

/// Data for a program beside the call, if its module asks for it.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) records: Option<GivenRecords>,
    pub(super) later: Option<GivenLater>,
    /// The pages that the program asked for in its last answers.
    pub(super) fetched: Vec<Value>,
}

/// Builds the request of a call. Ids are strings: some JSON parsers lose the last digits of large numbers.
pub(super) fn request(command: &str, options: &Map<String, Value>, given: &Given, call: &Call) -> Vec<u8> {
    let roles: Vec<_> = call.caller.member.iter().flat_map(|member| &member.roles).map(ToString::to_string).collect();
    let place = match call.place {
        Place::Guild { guild, channel } => {
            json!({ "kind": "server", "server": guild.to_string(), "channel": channel.to_string() })
        }
        Place::Direct { channel } => json!({ "kind": "direct", "channel": channel.to_string() }),
        Place::Console => json!({ "kind": "console" }),
    };
    let mut request = json!({
        "candor": PROTOCOL,
        "call": call.receipt.map(|id| id.to_string()),
        "command": command,
        "options": options,
        "settings": call.services.own_settings().values(),
        "caller": {
            "id": call.caller.id.to_string(),
            "name": call.caller.name,
            "language": call.caller.language.to_string(),
            "roles": roles,
        },
        "place": place,
        "time": utc_text(call.now, &Rfc3339),
    });
    if let Ok(send) = call.services.send() {
        let channels: Vec<_> = send.channels().iter().map(ToString::to_string).collect();
        request["send_to"] = json!(channels);
    }
    if let Some(records) = &given.records {
        request["records"] = records.json();
    }
    if let Some(later) = &given.later {
        request["later"] = later.json();
    }
    if let Some(due) = call.due {
        request["due"] = json!(utc_text(due, &Rfc3339));
    }
    if !given.fetched.is_empty() {
        request["fetched"] = json!(given.fetched);
    }
    line(&request)
}

/// Builds the request of a start-up probe. It has no real caller or place. `services` are those that the module asks
/// for; their stored data is empty.
pub(crate) fn trial(
    command: &str,
    options: &Map<String, Value>,
    settings: &ModuleSettings,
    services: &[ServiceName],
) -> Vec<u8> {
    let mut request = json!({
        "candor": PROTOCOL,
        "call": null,
        "command": command,
        "options": options,
        "settings": settings.values(),
        "caller": { "id": "0", "name": "candor", "language": "en", "roles": [] },
        "place": { "kind": "console" },
        "time": "1970-01-01T00:00:00Z",
        "probe": true,
    });
    if services.contains(&ServiceName::Records) {
        request["records"] = GivenRecords::default().json();
    }
    if services.contains(&ServiceName::Time) {
        request["later"] = GivenLater::default().json();
    }
    line(&request)
}

fn line(request: &Value) -> Vec<u8> {
    let mut line = request.to_string().into_bytes();
    line.push(b'\n');
    line
}
