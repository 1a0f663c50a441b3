//! The gateway, frame by frame.

use std::time::Duration;

use discord_twin::{Interaction, Message as Said, Options, Twin};
use serde_json::json;

use crate::Tested;
use crate::socket::Socket;

#[tokio::test]
async fn hello_identify_ready_and_heartbeats() -> Tested {
    let twin = Twin::start_with(Options { heartbeat: Duration::from_millis(1234), ..Options::default() }).await?;
    let mut socket = Socket::open(&twin).await?;
    assert_eq!(socket.next().await?, json!({"op": 10, "s": null, "t": null, "d": {"heartbeat_interval": 1234}}));
    socket.send(json!({"op": 1, "d": null})).await?;
    assert_eq!(socket.next().await?["op"], 11);
    socket.send(json!({"op": 2, "d": {"token": "secret", "intents": 1, "properties": {}}})).await?;
    let ready = socket.next().await?;
    assert_eq!((&ready["t"], &ready["s"]), (&json!("READY"), &json!(1)));
    assert_eq!(socket.next().await?["t"], "GUILD_CREATE");
    assert!(twin.wait_ready(Duration::from_secs(1)).await);
    assert_eq!(twin.identifies(), [json!({"intents": 1, "properties": {}})]);
    let sent = twin.interact(Interaction::slash("a"));
    let event = socket.next().await?;
    assert_eq!(
        (&event["t"], &event["s"], &event["d"]["token"]),
        (&json!("INTERACTION_CREATE"), &json!(3), &json!(sent.token))
    );
    twin.ack_heartbeats(false);
    socket.send(json!({"op": 1, "d": 3})).await?;
    twin.reconnect();
    assert_eq!(socket.next().await?["op"], 7);
    assert_eq!((twin.connections(), twin.n_connected()), (1, 1));
    Ok(())
}

#[tokio::test]
async fn what_closes_a_connection() -> Tested {
    let cases = [
        (json!({"op": 2, "d": {"token": "wrong", "intents": 1}}), 4004),
        (json!({"op": 2, "d": {"token": "right", "intents": 1 << 15}}), 4014),
        (json!({"op": 2, "d": {"token": "right", "intents": 1_u64 << 50}}), 4013),
        (json!({"op": 2, "d": {"token": "right", "intents": 1, "shard": [1, 1]}}), 4010),
        (json!({"op": 3, "d": {}}), 4003),
        (json!({"op": 77, "d": {}}), 4001),
        (json!({"op": 1, "d": "x".repeat(5000)}), 4002),
    ];
    for (frame, code) in cases {
        let twin = Twin::start_with(Options { token: Some("right".to_owned()), ..Options::default() }).await?;
        let mut socket = Socket::open(&twin).await?;
        socket.next().await?;
        socket.send(frame.clone()).await?;
        assert_eq!(socket.next().await?, json!({"close": code}), "{frame}");
    }
    Ok(())
}

#[tokio::test]
async fn a_resumed_session_gets_what_it_missed() -> Tested {
    let twin = Twin::start().await?;
    let mut socket = Socket::open(&twin).await?;
    let ready = socket.identify(0).await?;
    twin.drop_connection();
    assert!(!twin.wait_ready(Duration::from_millis(20)).await);
    let missed = twin.interact(Interaction::slash("a"));
    let mut second = Socket::open(&twin).await?;
    second.next().await?;
    let resume = json!({"op": 6, "d": {"token": "secret", "session_id": ready["d"]["session_id"], "seq": 1}});
    second.send(resume.clone()).await?;
    let event = second.next().await?;
    assert_eq!((&event["d"]["id"], &event["s"]), (&json!(missed.id.to_string()), &json!(2)));
    assert_eq!(second.next().await?["t"], "RESUMED");
    assert_eq!(twin.n_resumes(), 1);
    twin.close(4000);
    assert_eq!(second.next().await?, json!({"close": 4000}));
    twin.refuse_resume(true);
    let mut third = Socket::open(&twin).await?;
    third.next().await?;
    third.send(resume).await?;
    assert_eq!(third.next().await?, json!({"op": 9, "s": null, "t": null, "d": false}));
    Ok(())
}

#[tokio::test]
async fn messages_come_as_the_intents_allow() -> Tested {
    let twin = Twin::start().await?;
    let mut socket = Socket::open(&twin).await?;
    assert_eq!(socket.identify(1 << 9).await?["t"], "READY");
    twin.say(Said::text("private").in_dm());
    twin.say(Said::text("unread"));
    twin.say(Said::to_bot("read"));
    assert_eq!(socket.next().await?["d"]["content"], "");
    let mention = socket.next().await?;
    assert!(mention["d"]["content"].as_str().is_some_and(|text| text.ends_with(" read")));
    Ok(())
}
