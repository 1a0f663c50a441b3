//! Parses the answers to requests without sending a request: for fuzzing.

use std::time::SystemTime;

use serde_json::Value;

use super::application::{application, gateway};
use super::request::posted_json;
use super::standing::at;

/// Parses an answer in the way of each request that parses one.
pub(crate) fn read_as_each(answer: &Value) {
    let _application = application(answer);
    let _gateway = gateway(answer);
    let _posted = posted_json(answer.clone());
    let [member, guild, overwrites] =
        ["member", "guild", "permission_overwrites"].map(|name| answer.get(name).unwrap_or(answer));
    let _member = at(member, guild, overwrites, 1, 7, SystemTime::UNIX_EPOCH);
}
