//! How sessions end, and which of them may go on.

use std::time::Duration;

use discord_twin::{Interaction, Options, Twin};
use reqwest::Method;
use serde_json::{Value, json};

use crate::Tested;
use crate::socket::{Failure, Socket};

fn identify(intents: u64) -> Value {
    json!({"op": 2, "d": {"token": "secret", "intents": intents, "properties": {}}})
}

fn resume(ready: &Value, seq: u64) -> Value {
    json!({"op": 6, "d": {"token": "secret", "session_id": ready["d"]["session_id"], "seq": seq}})
}

/// A fresh socket that has sent this, and what the twin said to it.
async fn answer(twin: &Twin, frame: &Value) -> Result<Value, Failure> {
    let mut socket = Socket::open(twin).await?;
    assert_eq!(socket.next().await?["op"], 10);
    socket.send(frame.clone()).await?;
    socket.next().await
}

#[tokio::test]
async fn nobody_resumes_what_was_never_sent() -> Tested {
    let twin = Twin::start().await?;
    let ready = Socket::open(&twin).await?.identify(0).await?;
    assert_eq!(answer(&twin, &resume(&ready, 2)).await?, json!({"close": 4007}));
    // The session is over.
    assert_eq!(answer(&twin, &resume(&ready, 1)).await?, json!({"op": 9, "s": null, "t": null, "d": false}));
    assert_eq!((twin.closes(), twin.n_resumes()), (vec![4007], 0));
    Ok(())
}

#[tokio::test]
async fn everything_missed_is_replayed_in_order() -> Tested {
    let twin = Twin::start().await?;
    let ready = Socket::open(&twin).await?.identify(0).await?;
    twin.close(4000);
    let missed: Vec<u64> = (0..3).map(|_| twin.interact(Interaction::slash("a")).id).collect();
    let mut socket = Socket::open(&twin).await?;
    socket.next().await?;
    // The first of the three was seen, the frame that said so was lost.
    socket.send(resume(&ready, 2)).await?;
    for (seq, id) in (3..).zip(&missed[1..]) {
        let event = socket.next().await?;
        assert_eq!((&event["s"], &event["d"]["id"]), (&json!(seq), &json!(id.to_string())));
    }
    assert_eq!(socket.next().await?["t"], "RESUMED");
    Ok(())
}

#[tokio::test]
async fn an_invalid_session_says_whether_it_may_be_resumed() -> Tested {
    for (resumable, after) in [(true, "RESUMED"), (false, "")] {
        let twin = Twin::start().await?;
        let mut socket = Socket::open(&twin).await?;
        let ready = socket.identify(0).await?;
        twin.invalid_session(resumable);
        assert_eq!(socket.next().await?, json!({"op": 9, "s": null, "t": null, "d": resumable}));
        let told = answer(&twin, &resume(&ready, 1)).await?;
        assert_eq!(told["t"].as_str().unwrap_or_default(), after, "{told}");
    }
    Ok(())
}

#[tokio::test]
async fn without_heartbeats_a_session_times_out() -> Tested {
    let twin = Twin::start_with(Options { heartbeat: Duration::from_millis(40), ..Options::default() }).await?;
    let mut socket = Socket::open(&twin).await?;
    let ready = socket.identify(0).await?;
    assert_eq!(socket.next().await?, json!({"close": 4009}));
    assert_eq!(answer(&twin, &resume(&ready, 1)).await?["op"], 9);
    Ok(())
}

#[tokio::test]
async fn one_connection_is_one_session_and_not_too_chatty() -> Tested {
    let twin = Twin::start().await?;
    let mut socket = Socket::open(&twin).await?;
    let ready = socket.identify(0).await?;
    socket.send(resume(&ready, 1)).await?;
    assert_eq!(socket.next().await?, json!({"close": 4005}));
    let mut socket = Socket::open(&twin).await?;
    socket.identify(0).await?;
    for _ in 0..119 {
        socket.send(json!({"op": 3, "d": {}})).await?;
    }
    socket.send(json!({"op": 3, "d": {}})).await?;
    assert_eq!(socket.next().await?, json!({"close": 4008}));
    Ok(())
}

#[tokio::test]
async fn starts_are_counted_and_run_out() -> Tested {
    let twin = Twin::start().await?;
    let limit = async || {
        let (_, body) = crate::send(&twin, Method::GET, "/gateway/bot", &Value::Null).await?;
        Ok::<_, Failure>(body["session_start_limit"]["remaining"].clone())
    };
    assert_eq!(limit().await?, 1000);
    let mut first = Socket::open(&twin).await?;
    let ready = first.identify(0).await?;
    assert_eq!((limit().await?, twin.session_starts_left()), (json!(999), 999));
    // Resuming is free.
    assert_eq!(answer(&twin, &resume(&ready, 1)).await?["t"], "RESUMED");
    assert_eq!(limit().await?, 999);
    twin.set_session_starts_left(0);
    assert_eq!(answer(&twin, &identify(0)).await?, json!({"close": 4004}));
    assert_eq!(first.next().await?, json!({"close": 4004}));
    assert_eq!(answer(&twin, &resume(&ready, 1)).await?["op"], 9);
    Ok(())
}

#[tokio::test]
async fn too_fast_and_too_few_shards() -> Tested {
    let options = Options { identify_every: Duration::from_secs(5), ..Options::default() };
    let twin = Twin::start_with(options).await?;
    assert_eq!(answer(&twin, &identify(0)).await?["t"], "READY");
    assert_eq!(answer(&twin, &identify(0)).await?, json!({"op": 9, "s": null, "t": null, "d": false}));
    assert_eq!(twin.session_starts_left(), 999);
    let twin = Twin::start_with(Options { requires_sharding: true, ..Options::default() }).await?;
    assert_eq!(answer(&twin, &identify(0)).await?, json!({"close": 4011}));
    let mut second = identify(0);
    second["d"]["shard"] = json!([1, 2]);
    assert_eq!(answer(&twin, &second).await?["d"]["shard"], json!([1, 2]));
    Ok(())
}

#[tokio::test]
async fn another_version_is_refused() -> Tested {
    let twin = Twin::start().await?;
    assert_eq!(Socket::open_with(&twin, "v=9").await?.next().await?, json!({"close": 4012}));
    assert_eq!(twin.closes(), [4012]);
    Ok(())
}
