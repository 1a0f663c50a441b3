//! Rate limits: the headers on every answer, and what comes when a limit is reached.

use discord_twin::{APPLICATION_ID, CHANNEL_ID, Fault, GUILD_ID, Interaction, Options, Rate, RateLimits, Twin};
use reqwest::{Client, Method, Response, header};
use serde_json::{Value, json};

use crate::{Tested, send, verdict};

async fn post(twin: &Twin, path: &str, body: &Value) -> Result<Response, reqwest::Error> {
    let request = Client::new().post(format!("{}/api/v10{path}", twin.url()));
    request.header(header::AUTHORIZATION, "Bot secret").json(body).send().await
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

async fn strict() -> std::io::Result<Twin> {
    Twin::start_with(Options { rate_limits: RateLimits::strict(), ..Options::default() }).await
}

#[tokio::test]
async fn every_answer_says_what_is_left() -> Tested {
    let twin = strict().await?;
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let mut buckets = Vec::new();
    for left in ["4", "3"] {
        let response = post(&twin, &path, &json!({"content": "x"})).await?;
        assert_eq!(header(&response, "x-ratelimit-limit"), Some("5"));
        assert_eq!(header(&response, "x-ratelimit-remaining"), Some(left));
        let after: f64 = header(&response, "x-ratelimit-reset-after").unwrap_or_default().parse()?;
        let at: f64 = header(&response, "x-ratelimit-reset").unwrap_or_default().parse()?;
        assert!((0.0..=5.0).contains(&after) && at > 1_600_000_000.0, "{after} {at}");
        buckets.push(header(&response, "x-ratelimit-bucket").unwrap_or_default().to_owned());
    }
    assert_eq!(buckets[0], buckets[1]);
    // Refusals have them too.
    let response = post(&twin, "/nowhere", &Value::Null).await?;
    assert_eq!(response.status(), 404);
    assert_ne!(header(&response, "x-ratelimit-bucket"), Some(buckets[0].as_str()));
    assert!(header(&response, "x-ratelimit-remaining").is_some());
    Ok(())
}

#[tokio::test]
async fn five_writes_of_commands_and_then_a_wait() -> Tested {
    let twin = strict().await?;
    let path = format!("/applications/{APPLICATION_ID}/commands");
    for n in 0..5 {
        let command = json!({"name": format!("c{n}"), "description": "d"});
        assert_eq!(verdict(&twin, Method::POST, &path, &command).await?, (201, None));
    }
    let response = post(&twin, &path, &json!({"name": "more", "description": "d"})).await?;
    assert_eq!((response.status().as_u16(), header(&response, "x-ratelimit-scope")), (429, Some("user")));
    let waits: u64 = header(&response, "retry-after").unwrap_or_default().parse()?;
    assert!((15..=20).contains(&waits), "{waits}");
    let body: Value = response.json().await?;
    assert_eq!((&body["message"], &body["global"]), (&json!("You are being rate limited."), &json!(false)));
    assert!(body["retry_after"].as_f64().is_some_and(|seconds| (15.0..=20.0).contains(&seconds)), "{body}");
    // Reading is free, and the guild has a bucket of its own.
    assert_eq!(send(&twin, Method::GET, &path, &Value::Null).await?.0, 200);
    let guild = format!("/applications/{APPLICATION_ID}/guilds/{GUILD_ID}/commands");
    assert_eq!(verdict(&twin, Method::PUT, &guild, &json!([])).await?.0, 200);
    assert_eq!(twin.commands().len(), 5);
    let rules: Vec<Option<String>> = twin.refused().into_iter().map(|entry| entry.rule).collect();
    assert_eq!((rules, twin.n_invalid()), (vec![Some("rate limit: bucket".to_owned())], 1));
    Ok(())
}

#[tokio::test]
async fn the_global_limit_leaves_interactions_alone() -> Tested {
    let rate_limits = RateLimits { global: Rate::new(1, 60), ..RateLimits::default() };
    let twin = Twin::start_with(Options { rate_limits, ..Options::default() }).await?;
    assert_eq!(send(&twin, Method::GET, "/users/@me", &Value::Null).await?.0, 200);
    let response = post(&twin, &format!("/channels/{CHANNEL_ID}/messages"), &json!({"content": "x"})).await?;
    assert_eq!(header(&response, "x-ratelimit-scope"), Some("global"));
    assert_eq!(header(&response, "x-ratelimit-global"), Some("true"));
    assert_eq!(response.json::<Value>().await?["global"], true);
    let sent = twin.interact(Interaction::slash("a"));
    let callback = format!("/interactions/{}/{}/callback", sent.id, sent.token);
    let body = json!({"type": 4, "data": {"content": "x"}});
    assert_eq!(verdict(&twin, Method::POST, &callback, &body).await?, (204, None));
    Ok(())
}

#[tokio::test]
async fn invalid_requests_are_counted_unless_the_limit_is_shared() -> Tested {
    let twin = Twin::start().await?;
    let path = format!("/channels/{CHANNEL_ID}/messages");
    twin.fail_next(Fault::shared_limit("POST", &path, 0.5));
    let response = post(&twin, &path, &json!({"content": "x"})).await?;
    assert_eq!((response.status().as_u16(), header(&response, "x-ratelimit-scope")), (429, Some("shared")));
    assert_eq!(twin.n_invalid(), 0);
    twin.fail_next(Fault::global_limit("POST", &path, 0.5));
    let response = post(&twin, &path, &json!({"content": "x"})).await?;
    assert_eq!((header(&response, "x-ratelimit-global"), twin.n_invalid()), (Some("true"), 1));
    let unauthorized = Client::new().get(format!("{}/api/v10/users/@me", twin.url())).send().await?;
    assert_eq!((unauthorized.status().as_u16(), twin.n_invalid()), (401, 2));
    assert_eq!(twin.refused().len(), 1, "what a test ordered is nobody's fault");
    Ok(())
}

#[tokio::test]
async fn a_days_creates_run_out() -> Tested {
    let twin = Twin::start().await?;
    twin.set_creates_used(199);
    let path = format!("/applications/{APPLICATION_ID}/commands");
    let command = |name: &str| json!({"name": name, "description": "d"});
    assert_eq!(verdict(&twin, Method::POST, &path, &command("a")).await?, (201, None));
    let (status, body) = send(&twin, Method::POST, &path, &command("b")).await?;
    assert_eq!((status, &body["code"]), (400, &json!(30034)));
    assert!(body["retry_after"].as_f64().is_some_and(|seconds| seconds > 0.0), "{body}");
    // Updates are free.
    let update = json!({"name": "a", "description": "new"});
    assert_eq!(verdict(&twin, Method::POST, &path, &update).await?, (200, None));
    Ok(())
}
