//! Integration tests: plain HTTP, a raw websocket, serenity and discord.js against the twin.

mod gateway;
mod gateway_sessions;
mod load;
mod other_client;
mod program;
mod rate_limits;
mod readme;
mod rest;
mod scenarios;
mod serenity;
mod socket;

use reqwest::{Method, header};
use serde_json::Value;

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Sends a request with a token. Returns the status and the body of the answer.
async fn send(
    twin: &discord_twin::Twin,
    method: Method,
    path: &str,
    body: &Value,
) -> Result<(u16, Value), Box<dyn std::error::Error>> {
    let mut request = reqwest::Client::new()
        .request(method, format!("{}/api/v10{path}", twin.url()))
        .header(header::AUTHORIZATION, "Bot secret");
    if !body.is_null() {
        request = request.json(body);
    }
    let response = request.send().await?;
    let status = response.status().as_u16();
    let text = response.text().await?;
    Ok((status, if text.is_empty() { Value::Null } else { serde_json::from_str(&text)? }))
}

/// Sends a request with a token. Returns the status and Discord's error code.
async fn verdict(
    twin: &discord_twin::Twin,
    method: Method,
    path: &str,
    body: &Value,
) -> Result<(u16, Option<i64>), Box<dyn std::error::Error>> {
    let (status, answer) = send(twin, method, path, body).await?;
    Ok((status, answer["code"].as_i64()))
}
