//! A raw websocket to the twin's gateway.

use std::time::Duration;

use discord_twin::Twin;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

pub(crate) type Failure = Box<dyn std::error::Error>;

pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    pub(crate) async fn open(twin: &Twin) -> Result<Socket, Failure> {
        Socket::open_with(twin, "v=10&encoding=json").await
    }

    pub(crate) async fn open_with(twin: &Twin, query: &str) -> Result<Socket, Failure> {
        let (socket, _) = tokio_tungstenite::connect_async(format!("{}?{query}", twin.gateway_url())).await?;
        Ok(Socket(socket))
    }

    pub(crate) async fn send(&mut self, frame: Value) -> Result<(), Failure> {
        Ok(self.0.send(Message::Text(frame.to_string().into())).await?)
    }

    /// The next frame; a close frame becomes its code.
    pub(crate) async fn next(&mut self) -> Result<Value, Failure> {
        let received = tokio::time::timeout(Duration::from_secs(5), self.0.next()).await?;
        match received.ok_or("the connection ended")?? {
            Message::Text(text) => Ok(serde_json::from_str(&text)?),
            Message::Close(frame) => Ok(json!({"close": frame.map(|frame| u16::from(frame.code))})),
            other => Err(format!("{other:?}").into()),
        }
    }

    /// Waits for HELLO and identifies with these intents. Returns the answer.
    pub(crate) async fn identify(&mut self, intents: u64) -> Result<Value, Failure> {
        assert_eq!(self.next().await?["op"], 10);
        self.send(json!({"op": 2, "d": {"token": "secret", "intents": intents, "properties": {}, "shard": [0, 1]}}))
            .await?;
        self.next().await
    }
}
