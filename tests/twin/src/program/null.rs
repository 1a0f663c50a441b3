//! The null client: answers every interaction at once, over a websocket and HTTP as a bot does, and does nothing else.

use std::error::Error;
use std::time::Duration;

use discord_twin::Twin;
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::io::{AsyncWriteExt as _, BufWriter};
use tokio::net::TcpStream;
use tokio::time::interval;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

const IDENTIFY: &str = r#"{"op":2,"d":{"token":"null","intents":1,"properties":{}}}"#;
const HEARTBEAT: &str = r#"{"op":1,"d":null}"#;
const HEARTBEAT_EVERY: Duration = Duration::from_secs(30);
const ANSWER: &str = r#"{"type":4,"data":{"content":"pong"}}"#;

#[derive(Deserialize)]
struct Frame<'a> {
    t: Option<&'a str>,
    #[serde(borrow)]
    d: Option<Event<'a>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    id: Option<&'a str>,
    token: Option<&'a str>,
}

/// Starts the client on a thread of its own, which ends with the connection.
pub(crate) fn start(twin: &Twin) {
    let (gateway, rest) = (twin.gateway_url(), twin.url());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(answer_all(&gateway, rest.trim_start_matches("http://")))
    });
}

async fn answer_all(gateway: &str, rest: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (mut socket, _) = connect_async(gateway).await?;
    let connection = TcpStream::connect(rest).await?;
    connection.set_nodelay(true)?;
    let (mut replies, requests) = connection.into_split();
    // Requests do not wait for their replies; those are read so that the connection does not fill.
    tokio::spawn(async move { tokio::io::copy(&mut replies, &mut tokio::io::sink()).await });
    let mut requests = BufWriter::new(requests);
    socket.send(Message::text(IDENTIFY)).await?;
    let mut heartbeat = interval(HEARTBEAT_EVERY);
    loop {
        // What has arrived together is answered together.
        let arrived = socket.next().now_or_never();
        if arrived.is_none() {
            requests.flush().await?;
        }
        let received = match arrived {
            Some(received) => received,
            None => tokio::select! {
                received = socket.next() => received,
                _ = heartbeat.tick() => {
                    socket.send(Message::text(HEARTBEAT)).await?;
                    continue;
                }
            },
        };
        let Some(Message::Text(text)) = received.transpose()? else { return Ok(()) };
        // HELLO and its kind have data of other shapes.
        let Ok(Frame { t: Some("INTERACTION_CREATE"), d: Some(Event { id: Some(id), token: Some(token) }) }) =
            serde_json::from_str(&text)
        else {
            continue;
        };
        let head = format!(
            "POST /api/v10/interactions/{id}/{token}/callback HTTP/1.1\r\nHost: twin\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            ANSWER.len()
        );
        requests.write_all(head.as_bytes()).await?;
        requests.write_all(ANSWER.as_bytes()).await?;
    }
}
