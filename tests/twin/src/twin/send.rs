//! What users do, as events to the bot: interactions and messages.

use serde_json::Value;

use crate::interaction::component::component_type;
use crate::interaction::{Interaction, Place, Sent};
use crate::message::Message;
use crate::payload::GUILD_ID;
use crate::payload::snowflake::made_at_ms;
use crate::record::Recorded;
use crate::twin::state::{IssuedInteraction, State};

impl State {
    /// Sends an interaction to the bot as INTERACTION_CREATE. Its token works even if no session was connected.
    /// Refuses what refers to a stored message or a component that does not exist.
    pub(crate) fn interact(&self, interaction: Interaction) -> Result<Sent, String> {
        let stored = interaction.stored_message().map(|id| self.stored_message(id, &interaction)).transpose()?;
        let interaction = match &stored {
            Some((_, place)) => interaction.at(*place),
            None => interaction,
        };
        let message = stored.map(|(message, _)| message);
        let id = self.ids.aged(interaction.age_ms);
        let sent = Sent { id, token: format!("interaction-token-{id}") };
        let command_id = {
            let mut world = self.world();
            world.channels.insert(interaction.channel(), interaction.is_dm());
            let issued = IssuedInteraction {
                id: id.to_string(),
                kind: interaction.kind,
                channel: interaction.channel(),
                issued_ms: made_at_ms(id),
                acknowledged: false,
                user_installed: interaction.user_installed,
                n_follow_ups: 0,
                original: None,
                source_message: interaction.source_message().map(|message| message.to_string()),
            };
            world.interactions.insert(sent.token.clone(), issued);
            let registered = interaction.command().and_then(|(kind, name)| {
                let mut commands = world.commands.iter();
                commands.find(|command| command["type"] == kind && command["name"] == name)
            });
            registered.and_then(|command| command["id"].as_str()).map(str::to_owned)
        };
        let command_id = command_id.unwrap_or_else(|| self.new_id());
        let payload = interaction.payload(&sent, &command_id, message.as_ref());
        self.hub().dispatch("INTERACTION_CREATE", &payload);
        Ok(sent)
    }

    /// The stored message that an interaction refers to, and the place it was sent in.
    fn stored_message(&self, id: u64, interaction: &Interaction) -> Result<(Value, Place), String> {
        let world = self.world();
        let message = world.messages.get(&id.to_string()).cloned();
        let message = message.ok_or_else(|| format!("there is no message {id}"))?;
        if let Some((_, custom_id)) = interaction.component() {
            // A client that has not received an edit yet can still use a component that the edit removed.
            let has = |message: &Value| component_type(message, custom_id).is_some();
            let had = |entry: &Recorded| entry.message_id == Some(id) && has(entry.message());
            let is_known = has(&message) || self.journal().entries().iter().any(had);
            if !is_known {
                return Err(format!("there is no component `{custom_id}` in {message}"));
            }
        }
        let channel = message["channel_id"].as_str().unwrap_or_default();
        let is_dm = world.channels.get(channel).copied().unwrap_or_default();
        let place = match channel.parse() {
            Ok(channel) if !is_dm => Place::Guild { guild: GUILD_ID, channel },
            _ => Place::Dm,
        };
        Ok((message, place))
    }

    /// Posts a message as its author and returns its id. Each session receives it as its intents allow.
    pub(crate) fn say(&self, message: Message) -> u64 {
        let id = self.ids.aged(message.age_ms);
        let payload = {
            let mut world = self.world();
            let replied = message.replies_to_stored().and_then(|id| world.messages.get(&id.to_string()).cloned());
            let payload = message.payload(id, replied, || self.ids.next());
            let urls = payload["attachments"].as_array().into_iter().flatten().filter_map(|file| file["url"].as_str());
            let paths = urls.filter_map(|url| Some(url.split_once("discordapp.com")?.1.split_once('?')?.0.to_owned()));
            world.files.extend(paths.zip(message.files.iter().map(|file| file.content.clone())));
            world.channels.insert(message.channel(), message.is_dm());
            world.messages.insert(id.to_string(), payload.clone());
            payload
        };
        self.hub().dispatch_message("MESSAGE_CREATE", &payload);
        id
    }
}
