//! Registering commands, tokens, unknown routes, and faults on order.

use std::time::{Duration, Instant};

use discord_twin::{APPLICATION_ID, Fault, GUILD_ID, Options, Twin};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{Tested, send, verdict};

fn commands_path() -> String {
    format!("/applications/{APPLICATION_ID}/commands")
}

#[tokio::test]
async fn a_bulk_overwrite_keeps_ids_of_known_names() -> Tested {
    let twin = Twin::start().await?;
    let path = commands_path();
    let both = json!([{"name": "a", "description": "d"}, {"name": "b", "description": "d"}]);
    let (status, first) = send(&twin, Method::PUT, &path, &both).await?;
    assert_eq!(status, 200);
    let changed = json!([{"name": "b", "description": "d"}, {"name": "a", "description": "new"}, {"name": "c", "description": "d"}]);
    let (_, second) = send(&twin, Method::PUT, &path, &changed).await?;
    assert_eq!((&second[0]["id"], &second[0]["version"]), (&first[1]["id"], &first[1]["version"]));
    assert_eq!(second[1]["id"], first[0]["id"]);
    assert_ne!(second[1]["version"], first[0]["version"]);
    assert_eq!(twin.commands().len(), 3);
    let (_, listed) = send(&twin, Method::GET, &path, &Value::Null).await?;
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
    Ok(())
}

#[tokio::test]
async fn localisations_are_shown_on_request_only() -> Tested {
    let twin = Twin::start().await?;
    let path = commands_path();
    let body = json!([{"name": "a", "description": "d", "name_localizations": {"de": "b"}}]);
    send(&twin, Method::PUT, &path, &body).await?;
    let (_, without) = send(&twin, Method::GET, &path, &Value::Null).await?;
    assert!(without[0].get("name_localizations").is_none());
    let (_, with) = send(&twin, Method::GET, &format!("{path}?with_localizations=true"), &Value::Null).await?;
    assert_eq!(with[0]["name_localizations"], json!({"de": "b"}));
    Ok(())
}

#[tokio::test]
async fn a_refused_set_changes_nothing() -> Tested {
    let twin = Twin::start().await?;
    let path = commands_path();
    send(&twin, Method::PUT, &path, &json!([{"name": "a", "description": "d"}])).await?;
    let (status, body) = send(&twin, Method::PUT, &path, &json!([{"name": "B", "description": "d"}])).await?;
    assert_eq!(status, 400);
    let expected = json!({"code": 50035, "message": "Invalid Form Body", "errors": {"0": {"name": {"_errors": [
        {"code": "APPLICATION_COMMAND_INVALID_NAME", "message": "Command name is invalid"},
    ]}}}});
    assert_eq!(body, expected);
    assert_eq!(twin.commands()[0]["name"], "a");
    assert_eq!(twin.refused().iter().map(|entry| entry.code).collect::<Vec<_>>(), [Some(50035)]);
    Ok(())
}

#[tokio::test]
async fn single_commands_are_created_changed_and_removed() -> Tested {
    let twin = Twin::start().await?;
    let path = format!("/applications/{APPLICATION_ID}/guilds/{GUILD_ID}/commands");
    let (status, created) = send(&twin, Method::POST, &path, &json!({"name": "a", "description": "d"})).await?;
    assert_eq!((status, &created["guild_id"]), (201, &json!(GUILD_ID.to_string())));
    let (status, again) = send(&twin, Method::POST, &path, &json!({"name": "a", "description": "e"})).await?;
    assert_eq!((status, &again["id"]), (200, &created["id"]));
    let one = format!("{path}/{}", created["id"].as_str().unwrap_or_default());
    let (status, edited) = send(&twin, Method::PATCH, &one, &json!({"description": "f"})).await?;
    assert_eq!((status, &edited["description"]), (200, &json!("f")));
    assert_eq!(send(&twin, Method::DELETE, &one, &Value::Null).await?, (204, Value::Null));
    assert_eq!(verdict(&twin, Method::DELETE, &one, &Value::Null).await?, (404, Some(10063)));
    Ok(())
}

#[tokio::test]
async fn creates_and_entry_points_are_watched() -> Tested {
    let twin = Twin::start_with(Options {
        commands: vec![json!({"name": "launch", "type": 4, "handler": 2})],
        ..Options::default()
    })
    .await?;
    let path = commands_path();
    let set = |from: usize| -> Value {
        let slash = (from..from + 90).map(|n| json!({"name": format!("c{n}"), "description": "d"}));
        slash.chain([json!({"name": "launch", "type": 4, "handler": 2})]).collect()
    };
    assert_eq!(verdict(&twin, Method::PUT, &path, &json!([])).await?, (400, Some(50240)));
    assert_eq!(verdict(&twin, Method::PUT, &path, &set(0)).await?, (200, None));
    assert_eq!(verdict(&twin, Method::PUT, &path, &set(90)).await?, (200, None));
    assert_eq!(verdict(&twin, Method::PUT, &path, &set(180)).await?, (400, Some(30034)));
    Ok(())
}

#[tokio::test]
async fn tokens_and_unknown_routes() -> Tested {
    let twin = Twin::start_with(Options { token: Some("other".to_owned()), ..Options::default() }).await?;
    assert_eq!(verdict(&twin, Method::GET, "/users/@me", &Value::Null).await?, (401, Some(0)));
    assert!(!twin.requests().iter().any(|entry| entry.authorized));
    assert!(!format!("{:?}", twin.requests()).contains("secret"));
    let open = Twin::start().await?;
    assert_eq!(verdict(&open, Method::GET, "/users/@me", &Value::Null).await?, (200, None));
    assert_eq!(verdict(&open, Method::GET, "/voice/regions", &Value::Null).await?, (404, Some(0)));
    assert_eq!(verdict(&open, Method::GET, "/applications/1/commands", &Value::Null).await?, (403, Some(20012)));
    Ok(())
}

#[tokio::test]
async fn faults_and_delays_on_order() -> Tested {
    let twin = Twin::start().await?;
    twin.fail_next(Fault::rate_limited("GET", "/users", 0.5).times(2));
    let url = format!("{}/api/v10/users/@me", twin.url());
    let response = reqwest::get(&url).await?;
    assert_eq!(response.status(), 429);
    assert_eq!(response.headers()["retry-after"], "0.5");
    assert_eq!(send(&twin, Method::GET, "/users/@me", &Value::Null).await?.0, 429);
    twin.delay("GET", "/users", Duration::from_millis(150));
    let began = Instant::now();
    assert_eq!(send(&twin, Method::GET, "/users/@me", &Value::Null).await?.0, 200);
    assert!(began.elapsed() >= Duration::from_millis(150));
    assert_eq!(twin.refused(), []);
    Ok(())
}

#[tokio::test]
async fn the_log_file_holds_one_object_per_line() -> Tested {
    let twin = Twin::start().await?;
    let path = std::env::temp_dir().join(format!("discord-twin-{}.jsonl", std::process::id()));
    twin.log_to(&path)?;
    send(&twin, Method::GET, "/users/@me", &Value::Null).await?;
    send(&twin, Method::PUT, &commands_path(), &json!([])).await?;
    let text = std::fs::read_to_string(&path)?;
    std::fs::remove_file(&path)?;
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let brief: Vec<_> = lines.iter().map(|line| (line["method"].as_str(), line["status"].as_u64())).collect();
    assert_eq!(brief, [(Some("GET"), Some(200)), (Some("PUT"), Some(200))]);
    assert!(!text.contains("secret"));
    Ok(())
}

#[tokio::test]
async fn dropping_the_last_handle_stops_the_server() -> Tested {
    let twin = Twin::start().await?;
    let url = format!("{}/api/v10/gateway", twin.url());
    let second = twin.clone();
    drop(twin);
    assert_eq!(reqwest::get(&url).await?.status(), 200);
    drop(second);
    for _ in 0..100 {
        if reqwest::get(&url).await.is_err() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Err("the server still answers".into())
}
