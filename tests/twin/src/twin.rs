//! The handle: start a twin, and play Discord's side.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::fault::Fault;
use crate::gateway::Control;
use crate::interaction::{Interaction, Place, Sent, component_type};
use crate::message::Message;
use crate::options::Options;
use crate::payload::GUILD_ID;
use crate::record::Recorded;
use crate::server;
use crate::snowflake::made_at_ms;
use crate::state::{State, Ticket};

/// A running twin. Clones are handles to the same one; it stops when the last is dropped.
#[derive(Clone)]
pub struct Twin {
    pub(crate) state: Arc<State>,
    /// Dropping it is what stops the server.
    _alive: Arc<watch::Sender<bool>>,
}

impl Twin {
    /// Starts a twin with the default options on a free port.
    pub async fn start() -> std::io::Result<Twin> {
        Twin::start_with(Options::default()).await
    }

    /// Starts a twin with the default options at this address.
    pub async fn start_at(address: SocketAddr) -> std::io::Result<Twin> {
        Twin::start_with(Options { listen: address, ..Options::default() }).await
    }

    /// Starts a twin.
    pub async fn start_with(options: Options) -> std::io::Result<Twin> {
        let listener = TcpListener::bind(options.listen).await?;
        let state = Arc::new(State::new(options, listener.local_addr()?)?);
        let (alive, stop) = watch::channel(false);
        tokio::spawn(server::serve(Arc::clone(&state), listener, stop));
        Ok(Twin { state, _alive: Arc::new(alive) })
    }

    /// Where the bot finds its Discord, for example `http://127.0.0.1:4000`.
    pub fn url(&self) -> String {
        format!("http://{}", self.state.address)
    }

    /// Where the gateway is, as `GET /gateway` says it.
    pub fn gateway_url(&self) -> String {
        self.state.gateway_url()
    }

    /// From now on writes each request to this file too, one JSON object per line.
    pub fn log_to(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        self.state.journal().log_to(path.as_ref())
    }

    /// Sends an interaction to the bot. It can be answered even if nobody was connected.
    ///
    /// # Panics
    /// If it is about a message or a button that is not there.
    pub fn interact(&self, interaction: Interaction) -> Sent {
        let about = interaction.about().map(|message| self.about(message, &interaction));
        let interaction = match &about {
            Some((_, place)) => interaction.at(*place),
            None => interaction,
        };
        let about = about.map(|(message, _)| message);
        let id = self.state.ids.aged(interaction.age_ms);
        let sent = Sent { id, token: format!("interaction-token-{id}") };
        let command_id = {
            let mut world = self.state.world();
            world.channels.insert(interaction.channel(), interaction.is_dm());
            let ticket = Ticket {
                id: id.to_string(),
                kind: interaction.kind,
                channel: interaction.channel(),
                issued_ms: made_at_ms(id),
                acknowledged: false,
                user_installed: interaction.user_installed,
                n_follow_ups: 0,
                original: None,
                pressed: interaction.below().map(|message| message.to_string()),
            };
            world.tickets.insert(sent.token.clone(), ticket);
            let named = interaction.command_named().and_then(|(kind, name)| {
                let mut commands = world.commands.iter();
                commands.find(|command| command["type"] == kind && command["name"] == name)
            });
            named.and_then(|command| command["id"].as_str()).map(str::to_owned)
        };
        let command_id = command_id.unwrap_or_else(|| self.state.new_id());
        let payload = interaction.payload(&sent, &command_id, about.as_ref());
        self.state.hub().dispatch("INTERACTION_CREATE", &payload);
        sent
    }

    /// The stored message that an interaction is about, and where it stands.
    fn about(&self, id: u64, interaction: &Interaction) -> (Value, Place) {
        let world = self.state.world();
        let message = world.messages.get(&id.to_string()).cloned();
        let message = message.unwrap_or_else(|| panic!("there is no message {id}"));
        if let Some((_, custom_id)) = interaction.pressed() {
            // A client that did not see a change yet can press what is no longer there.
            let has = |message: &Value| component_type(message, custom_id).is_some();
            let had = |entry: &Recorded| entry.message_id == Some(id) && has(entry.message());
            let is_known = has(&message) || self.state.journal().entries().iter().any(had);
            assert!(is_known, "nobody can press `{custom_id}` of {message}");
        }
        let channel = message["channel_id"].as_str().unwrap_or_default();
        let is_dm = world.channels.get(channel).copied().unwrap_or_default();
        let place = match channel.parse() {
            Ok(channel) if !is_dm => Place::Guild { guild: GUILD_ID, channel },
            _ => Place::Dm,
        };
        (message, place)
    }

    /// Makes an interaction older, so that its deadlines pass without waiting. Its id stays.
    pub fn age(&self, sent: &Sent, by: Duration) {
        if let Some(ticket) = self.state.world().tickets.get_mut(&sent.token) {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            ticket.issued_ms = ticket.issued_ms.saturating_sub(by);
        }
    }

    /// Writes a message and returns its id. Sessions see it as their intents allow.
    pub fn say(&self, message: Message) -> u64 {
        let id = self.state.ids.aged(message.age_ms);
        let payload = message.payload(id);
        {
            let mut world = self.state.world();
            world.channels.insert(message.channel(), message.is_dm());
            world.messages.insert(id.to_string(), payload.clone());
        }
        self.state.hub().dispatch_message("MESSAGE_CREATE", &payload);
        id
    }

    /// Changes a message's text, as its author would: MESSAGE_UPDATE.
    pub fn edit_message(&self, id: u64, content: &str) {
        let edited = {
            let mut world = self.state.world();
            let Some(message) = world.messages.get_mut(&id.to_string()) else { return };
            crate::payload::apply_edit(message, &json!({"content": content}), crate::snowflake::now_ms());
            message.clone()
        };
        self.state.hub().dispatch_message("MESSAGE_UPDATE", &edited);
    }

    /// Sends any event with any data. Without a `guild_id` it goes to shard 0.
    pub fn dispatch_raw(&self, event: &str, data: &Value) {
        self.state.hub().dispatch(event, data);
    }

    /// Closes every connection with this code. What happens meanwhile is kept for a RESUME.
    pub fn close(&self, code: u16) {
        self.state.hub().order(&Control::Close(code));
    }

    /// Drops every connection without a close frame.
    pub fn drop_connection(&self) {
        self.state.hub().order(&Control::Drop);
    }

    /// Asks every bot to reconnect and resume: op 7.
    pub fn reconnect(&self) {
        self.state.hub().order(&Control::Send(json!({"op": 7, "s": null, "t": null, "d": null}).to_string()));
    }

    /// Says that the sessions are invalid: op 9.
    pub fn invalid_session(&self, resumable: bool) {
        self.state.hub().invalidate(resumable);
    }

    /// Says how many commands were created today already, in every scope. From 200 on, creating is refused (30034).
    pub fn set_creates_used(&self, n: usize) {
        let mut world = self.state.world();
        for scope in [0, GUILD_ID] {
            world.n_created.insert(scope.to_string(), n);
        }
    }

    /// Says how often a session may still be started today. With none left, an IDENTIFY ends every session and closes
    /// with 4004: Discord resets the token then.
    pub fn set_session_starts_left(&self, n: u64) {
        let used = self.state.options.session_starts.saturating_sub(n);
        self.state.hub().n_started = used;
    }

    /// Whether every RESUME is answered with op 9.
    pub fn refuse_resume(&self, refuse: bool) {
        self.state.hub().refuses_resume = refuse;
    }

    /// Whether heartbeats are acknowledged. They are unless told otherwise.
    pub fn ack_heartbeats(&self, acknowledge: bool) {
        self.state.hub().mutes_heartbeats = !acknowledge;
    }

    /// Answers the next matching requests with an error.
    pub fn fail_next(&self, fault: Fault) {
        self.state.faults().fail(fault);
    }

    /// Answers every matching request late. It is carried out and recorded at once.
    pub fn delay(&self, method: &str, path_prefix: &str, by: Duration) {
        self.state.faults().delay(method, path_prefix, by);
    }

    /// Forgets all faults and delays that are still open.
    pub fn clear_faults(&self) {
        self.state.faults().clear();
    }
}
