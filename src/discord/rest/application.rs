//! The application and the gateway, as they are read when the bot starts.
//!
//! serenity decodes all of both, including the application's owner. A bot whose owner has fields unknown to serenity
//! would never start.

use std::time::Duration;

use serde_json::Value;
use serenity::all::ApplicationId;
use serenity::http::Route;
use url::Url;

use crate::rest::{RequestError, Rest};
use candor_core::settings::is_readable_on_the_way;

/// The application that the token belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Application {
    pub(crate) id: ApplicationId,
    /// Its flags, if Discord sends them.
    pub(crate) flags: Option<u64>,
    /// How it may be installed: in a guild (0), by a person (1). Empty for an application from before installation
    /// contexts.
    pub(crate) installs: Vec<u64>,
}

/// The gateway's address and login limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gateway {
    pub(crate) url: String,
    /// How many shards Discord recommends, at least one.
    pub(crate) shards: u32,
    pub(crate) left: u64,
    pub(crate) total: u64,
    pub(crate) reset_after: Duration,
}

const NO_APPLICATION: RequestError = RequestError::Unanswered("what answered is not an application");
const READABLE_GATEWAY: RequestError =
    RequestError::Unanswered("the gateway that was named would get the token unencrypted, over the network");
const NO_GATEWAY: RequestError = RequestError::Unanswered("what answered names no gateway");

impl Rest {
    pub(crate) async fn current_application(&self) -> Result<Application, RequestError> {
        application(&self.get(Route::Oauth2ApplicationCurrent).await?).ok_or(NO_APPLICATION)
    }

    pub(crate) async fn bot_gateway(&self) -> Result<Gateway, RequestError> {
        let gateway = gateway(&self.get(Route::GatewayBot).await?).ok_or(NO_GATEWAY)?;
        self.may_have_token(&gateway.url).then_some(gateway).ok_or(READABLE_GATEWAY)
    }

    /// Returns whether the token may be sent to a gateway: only encrypted, unless the operator allowed a plain
    /// connection.
    pub(crate) fn may_have_token(&self, gateway: &str) -> bool {
        may_have_token(gateway, self.proxy.as_deref())
    }

    /// Asks for the gateway without a token.
    pub(crate) async fn any_gateway(&self) -> Result<(), RequestError> {
        self.get(Route::Gateway).await.map(drop)
    }
}

/// An unencrypted proxy on another machine was allowed by `insecure = true`; its gateway may be unencrypted too.
fn may_have_token(gateway: &str, proxy: Option<&str>) -> bool {
    let is_readable = |address: &str| Url::parse(address).map(|url| is_readable_on_the_way(&url));
    is_readable(gateway).is_ok_and(|gateway| !gateway || proxy.is_some_and(|proxy| is_readable(proxy) == Ok(true)))
}

pub(super) fn application(answer: &Value) -> Option<Application> {
    let id = answer.get("id")?.as_str()?.parse().ok().filter(|&id: &u64| id != 0)?;
    let installs = answer.get("integration_types_config").and_then(Value::as_object);
    let mut installs: Vec<u64> = installs.into_iter().flatten().filter_map(|(kind, _)| kind.parse().ok()).collect();
    installs.sort_unstable();
    let flags = answer.get("flags").and_then(Value::as_u64);
    Some(Application { id: ApplicationId::new(id), flags, installs })
}

/// Parses the gateway. A missing limit is the documented one.
pub(super) fn gateway(answer: &Value) -> Option<Gateway> {
    const LOGINS: u64 = 1_000;
    const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
    let url = answer.get("url")?.as_str().filter(|url| url.starts_with("ws://") || url.starts_with("wss://"))?;
    let limit = |name: &str| answer.get("session_start_limit").and_then(|limit| limit.get(name)?.as_u64());
    let shards = answer.get("shards").and_then(Value::as_u64).unwrap_or(1);
    Some(Gateway {
        url: url.to_owned(),
        shards: u32::try_from(shards).unwrap_or(1).max(1),
        left: limit("remaining").unwrap_or(LOGINS),
        total: limit("total").unwrap_or(LOGINS),
        reset_after: Duration::from_millis(limit("reset_after").unwrap_or(DAY_MS).min(DAY_MS)),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn held_01_what_discord_adds_to_the_application_or_leaves_out_changes_nothing() {
        let decoration = json!({ "asset": format!("v2_a_{}", "0".repeat(32)) });
        let cases = [
            json!({ "id": "7", "flags": 8, "integration_types_config": { "1": {}, "0": {} } }),
            json!({ "id": "7", "flags": 8, "integration_types_config": { "0": null, "1": 3, "x": {} }, "name": 4 }),
            json!({ "id": "7", "flags": 8, "integration_types_config": { "0": {}, "1": {} }, "owner": {
                "id": "1", "avatar": "x".repeat(60), "avatar_decoration_data": decoration } }),
        ];
        for answer in cases {
            let expected = Application { id: ApplicationId::new(7), flags: Some(8), installs: vec![0, 1] };
            assert_eq!(application(&answer), Some(expected), "{answer}");
        }
        assert_eq!(application(&json!({ "name": "x" })), None);
    }

    #[test]
    fn l4_a_gateway_gets_the_token_encrypted_or_as_its_proxy_may() {
        let here = Some("http://127.0.0.1:4000");
        let elsewhere = Some("http://twin:4000");
        for (gateway, proxy, expected) in [
            ("wss://gateway.discord.gg", None, true),
            ("ws://gateway.discord.gg", None, false),
            ("ws://gateway.example", Some("https://proxy.example"), false),
            ("ws://gateway.example", here, false),
            ("ws://127.0.0.1:4000", here, true),
            ("ws://twin:4000", elsewhere, true),
            ("gateway", None, false),
        ] {
            assert_eq!(may_have_token(gateway, proxy), expected, "{gateway} by {proxy:?}");
        }
    }

    #[test]
    fn held_01_a_gateway_is_its_address_and_the_rest_has_defaults() {
        let of = |answer: &Value| gateway(answer).map(|gateway| (gateway.shards, gateway.left));
        let limit = json!({ "remaining": 5, "total": 1_000, "reset_after": 1, "max_concurrency": "x" });
        let cases = [
            (json!({ "url": "wss://g", "shards": 2, "session_start_limit": limit }), Some((2, 5))),
            (json!({ "url": "wss://g", "shards": 0 }), Some((1, 1_000))),
            (json!({ "url": "wss://g", "shards": u64::MAX, "new": [] }), Some((1, 1_000))),
            (json!({ "url": "https://g" }), None),
            (json!({ "shards": 2 }), None),
        ];
        for (answer, expected) in cases {
            assert_eq!(of(&answer), expected, "{answer}");
        }
    }
}
