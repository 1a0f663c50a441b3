//! The handle: starts a twin, sends events to the bot, and injects failures.

mod observe;
pub(crate) mod options;
mod page;
mod send;
mod server;
pub(crate) mod state;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::gateway::Silence;
use crate::gateway::hub::Control;
use crate::gateway::intents::{GUILD_MEMBERS, GUILD_MESSAGE_REACTIONS};
use crate::interaction::{Interaction, Sent};
use crate::message::Message;
use crate::payload::{self, GUILD_ID, USER_ID};
use crate::rest::fault::Fault;
use crate::twin::options::Options;
use crate::twin::state::{State, Thread};

/// A running twin. Clones are handles to the same twin; it stops when the last handle is dropped.
#[derive(Clone)]
pub struct Twin {
    pub(crate) state: Arc<State>,
    /// The server stops when this is dropped.
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

    /// The base address to give to the bot in place of `https://discord.com`, for example `http://127.0.0.1:4000`.
    pub fn url(&self) -> String {
        format!("http://{}", self.state.address)
    }

    /// The websocket address of the gateway, as `GET /gateway` returns it.
    pub fn gateway_url(&self) -> String {
        self.state.gateway_url()
    }

    /// Appends every request from now on to this file, one JSON object per line.
    pub fn log_to(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        self.state.journal().log_to(path.as_ref())
    }

    /// Sends an interaction to the bot as INTERACTION_CREATE. Its token works even if no session was connected.
    ///
    /// # Panics
    /// If the interaction refers to a stored message or a component that does not exist.
    pub fn interact(&self, interaction: Interaction) -> Sent {
        self.state.interact(interaction).unwrap_or_else(|why| panic!("{why}"))
    }

    /// Makes an interaction older, so that its deadlines (3 seconds, 15 minutes) pass without waiting. Its id stays.
    pub fn age(&self, sent: &Sent, by: Duration) {
        if let Some(interaction) = self.state.world().interactions.get_mut(&sent.token) {
            let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
            interaction.issued_ms = interaction.issued_ms.saturating_sub(by);
        }
    }

    /// Posts a message as its author and returns its id. Each session receives it as its intents allow.
    pub fn say(&self, message: Message) -> u64 {
        self.state.say(message)
    }

    /// Deletes a stored message as its author and sends MESSAGE_DELETE. An unknown id is ignored.
    pub fn delete_message(&self, id: u64) {
        let Some(message) = self.state.world().messages.remove(&id.to_string()) else { return };
        let mut deleted = json!({"id": message["id"], "channel_id": message["channel_id"]});
        if let Some(guild) = message.get("guild_id") {
            deleted["guild_id"] = guild.clone();
        }
        self.state.hub().dispatch("MESSAGE_DELETE", &deleted);
    }

    /// Changes a file that is attached to a message: whoever reads it from now on gets this.
    pub fn change_file(&self, name: &str, content: &[u8]) {
        let mut world = self.state.world();
        for (_, file) in world.files.iter_mut().filter(|(path, _)| path.rsplit('/').next() == Some(name)) {
            *file = content.to_vec();
        }
    }

    /// Somebody joins the guild at this time, in RFC 3339. Sessions with the Server Members intent are told.
    pub fn member_joins(&self, user: u64, at: &str) {
        let mut event = payload::member_of_guild(user, &[]);
        event["guild_id"] = json!(GUILD_ID.to_string());
        event["joined_at"] = json!(at);
        self.state.hub().dispatch_guild(("GUILD_MEMBER_ADD", GUILD_MEMBERS), GUILD_ID, &event);
    }

    /// Somebody reacts to a message of the guild. Sessions with the intent for reactions are told.
    pub fn react(&self, user: u64, (channel, message): (u64, u64), emoji: &str) {
        let event = json!({
            "user_id": user.to_string(), "channel_id": channel.to_string(), "message_id": message.to_string(),
            "guild_id": GUILD_ID.to_string(), "member": payload::member_of_guild(user, &[]),
            "emoji": {"id": null, "name": emoji}, "burst": false, "type": 0,
        });
        self.state.hub().dispatch_guild(("MESSAGE_REACTION_ADD", GUILD_MESSAGE_REACTIONS), GUILD_ID, &event);
    }

    /// A person opens a thread of this title in a channel of the guild.
    pub fn open_thread(&self, id: u64, parent: u64, title: &str) {
        let mut world = self.state.world();
        world.channels.insert(id.to_string(), false);
        world.threads.insert(id.to_string(), Thread { parent, title: title.to_owned(), owner: USER_ID });
    }

    /// Changes what Discord says of a member who is asked for: their roles, or that they left. Interactions bring the
    /// roles that they are built with.
    pub fn set_member(&self, user: u64, roles: Option<&[u64]>) {
        self.state.world().members.insert(user, roles.map(<[u64]>::to_vec));
    }

    /// Makes a channel of the guild one of this type: 5 is for announcements.
    pub fn set_channel_type(&self, channel: u64, kind: u64) {
        self.state.world().kinds.insert(channel.to_string(), kind);
    }

    /// Takes these permissions from everybody in a channel of the guild and its threads, the bot included. Bit 38, to
    /// send messages in threads, is enforced as well.
    pub fn deny(&self, channel: u64, permissions: u64) {
        self.state.world().denied.insert(channel.to_string(), permissions);
    }

    /// Puts a channel of the guild into a category.
    pub fn put_into_category(&self, channel: u64, category: u64) {
        self.state.world().categories.insert(channel.to_string(), category);
    }

    /// The address to give to the bot in place of `https://cdn.discordapp.com`.
    pub fn files_url(&self) -> String {
        format!("{}/files", self.url())
    }

    /// Edits the text of a stored message as its author and sends MESSAGE_UPDATE. An unknown id is ignored.
    pub fn edit_message(&self, id: u64, content: &str) {
        let edited = {
            let mut world = self.state.world();
            let Some(message) = world.messages.get_mut(&id.to_string()) else { return };
            crate::payload::apply_edit(message, &json!({"content": content}), crate::payload::snowflake::now_ms());
            // Whom an edit no longer names, it no longer mentions.
            let is_named = |user: &Value| user["id"].as_str().is_some_and(|id| content.contains(&format!("<@{id}>")));
            if let Some(mentions) = message["mentions"].as_array_mut() {
                mentions.retain(is_named);
            }
            message.clone()
        };
        self.state.hub().dispatch_message("MESSAGE_UPDATE", &edited);
    }

    /// Sends any gateway event with any data. Without a `guild_id` in the data it goes to shard 0.
    pub fn dispatch_raw(&self, event: &str, data: &Value) {
        self.state.hub().dispatch(event, data);
    }

    /// Closes every gateway connection with this close code. Later events are kept for a RESUME.
    pub fn close(&self, code: u16) {
        self.state.hub().send_to_all(&Control::Close(code));
    }

    /// Drops every gateway connection without a close frame.
    pub fn drop_connection(&self) {
        self.state.hub().send_to_all(&Control::Drop);
    }

    /// Asks every connection to reconnect and resume: opcode 7.
    pub fn reconnect(&self) {
        self.state.hub().send_to_all(&Control::Send(json!({"op": 7, "s": null, "t": null, "d": null}).to_string()));
    }

    /// Declares every session invalid: opcode 9.
    pub fn invalid_session(&self, resumable: bool) {
        self.state.hub().invalidate(resumable);
    }

    /// Sets how many commands were created today, in every scope. From 200 on, creating is refused (30034).
    pub fn set_creates_used(&self, n: usize) {
        let mut world = self.state.world();
        for scope in [0, GUILD_ID] {
            world.n_created.insert(scope.to_string(), n);
        }
    }

    /// Sets how many session starts are left today. With none left, an IDENTIFY ends every session and closes with
    /// 4004: Discord then resets the token.
    pub fn set_session_starts_left(&self, n: u64) {
        let used = self.state.options.session_starts.saturating_sub(n);
        self.state.hub().n_started = used;
    }

    /// Whether every RESUME is answered with opcode 9.
    pub fn refuse_resume(&self, refuse: bool) {
        self.state.hub().refuses_resume = refuse;
    }

    /// Which step of the handshake is not answered from now on.
    pub fn silence(&self, step: Option<Silence>) {
        self.state.hub().silence = step;
    }

    /// Whether heartbeats are acknowledged (opcode 11). The default is yes.
    pub fn ack_heartbeats(&self, acknowledge: bool) {
        self.state.hub().mutes_heartbeats = !acknowledge;
    }

    /// Answers the next matching requests with an error. They are recorded and have no other effect.
    pub fn fail_next(&self, fault: Fault) {
        self.state.faults().fail(fault);
    }

    /// Delays the answer to every matching request. The request is carried out and recorded at once. `*` stands for
    /// every method.
    pub fn delay(&self, method: &str, path_prefix: &str, by: Duration) {
        self.state.faults().delay(method, path_prefix, by);
    }

    /// Removes all faults and delays that are still pending.
    pub fn clear_faults(&self) {
        self.state.faults().clear();
    }
}
