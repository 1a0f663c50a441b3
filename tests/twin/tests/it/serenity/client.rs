//! serenity can read everything that the twin sends.

use std::sync::Arc;
use std::time::Duration;

use discord_twin::{
    APPLICATION_ID, CHANNEL_ID, GUILD_ID, Interaction as Started, Message as Said, Options, Twin, USER_ID,
};
use serde_json::json;
use serenity::all::{
    ChannelId, Client, ClientBuilder, Command, CommandOptionType, Context, CreateCommand, CreateCommandOption,
    CreateEmbed, CreateInteractionResponse, CreateInteractionResponseFollowup, CreateInteractionResponseMessage,
    CreateMessage, EditInteractionResponse, EventHandler, GatewayIntents, Guild, Http, HttpBuilder, Interaction,
    Message, Ready, ResumedEvent,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Tested;

const PATIENCE: Duration = Duration::from_secs(10);

/// Sends a line of text for each event.
struct Teller(UnboundedSender<String>);

impl Teller {
    fn tell(&self, line: String) {
        drop(self.0.send(line));
    }
}

#[serenity::async_trait]
impl EventHandler for Teller {
    async fn ready(&self, _: Context, ready: Ready) {
        self.tell(format!("ready {} {}", ready.application.id, ready.guilds.len()));
    }

    async fn guild_create(&self, _: Context, guild: Guild, _: Option<bool>) {
        self.tell(format!("guild {} {} roles {}", guild.id, guild.roles.len(), guild.members.len()));
    }

    async fn resume(&self, _: Context, _: ResumedEvent) {
        self.tell("resumed".to_owned());
    }

    async fn message(&self, _: Context, message: Message) {
        let reply = message.referenced_message.is_some();
        let from = (message.author.bot, message.webhook_id.is_some(), message.guild_id.is_some());
        self.tell(format!("message {:?} {from:?} {} {reply}", message.content, message.mentions.len()));
    }

    async fn interaction_create(&self, _: Context, interaction: Interaction) {
        let line = match interaction {
            Interaction::Command(command) => {
                let place = if command.guild_id.is_some() { "guild" } else { "dm" };
                let target = command.data.target().is_some();
                format!(
                    "command {:?} {} {place} {:?} {target}",
                    command.data.kind,
                    command.data.name,
                    command.data.options()
                )
            }
            Interaction::Autocomplete(command) => {
                format!("autocomplete {:?}", command.data.autocomplete().map(|it| it.value))
            }
            Interaction::Component(component) => format!("component {}", component.data.custom_id),
            Interaction::Modal(modal) => format!("modal {}", modal.data.custom_id),
            other => format!("other {:?}", other.kind()),
        };
        self.tell(line);
    }
}

fn http(twin: &Twin) -> Http {
    HttpBuilder::new("secret").proxy(twin.url()).ratelimiter_disabled(true).build()
}

async fn connect(twin: &Twin, intents: GatewayIntents) -> Result<(Client, UnboundedReceiver<String>), serenity::Error> {
    let (sender, lines) = unbounded_channel();
    let client = ClientBuilder::new_with_http(http(twin), intents).event_handler_arc(Arc::new(Teller(sender))).await?;
    Ok((client, lines))
}

async fn next(lines: &mut UnboundedReceiver<String>) -> Result<String, Box<dyn std::error::Error>> {
    Ok(tokio::time::timeout(PATIENCE, lines.recv()).await?.ok_or("no more lines")?)
}

#[tokio::test]
async fn every_event_is_understood() -> Tested {
    let twin = Twin::start_with(Options { message_content_allowed: true, ..Options::default() }).await?;
    let intents = GatewayIntents::non_privileged() | GatewayIntents::MESSAGE_CONTENT;
    let (mut client, mut lines) = connect(&twin, intents).await?;
    let shards = Arc::clone(&client.shard_manager);
    let running = tokio::spawn(async move { client.start().await });
    assert_eq!(next(&mut lines).await?, format!("ready {APPLICATION_ID} 1"));
    assert_eq!(next(&mut lines).await?, format!("guild {GUILD_ID} 2 roles 3"));
    let interactions = [
        (
            Started::slash("a").option("s", "x").option("n", 5),
            "command ChatInput a guild [ResolvedOption { name: \"s\", value: String(\"x\") }, ResolvedOption { name: \"n\", value: Integer(5) }] false",
        ),
        (
            Started::slash("a").subcommand("b").in_dm(),
            "command ChatInput a dm [ResolvedOption { name: \"b\", value: SubCommand([]) }] false",
        ),
        (Started::user_menu("A menu"), "command User A menu guild [] true"),
        (Started::message_menu("A menu"), "command Message A menu guild [] true"),
        (Started::entry_point("launch"), "command PrimaryEntryPoint launch guild [] false"),
        (Started::autocomplete("a").focused("q", "ab"), "autocomplete Some(\"ab\")"),
        (Started::button("b"), "component b"),
        (Started::select("s", &["1"]), "component s"),
        (Started::modal("m", &[("f", "text")]), "modal m"),
    ];
    for (interaction, expected) in interactions {
        twin.interact(interaction);
        assert_eq!(next(&mut lines).await?, expected);
    }
    let id = USER_ID.to_string();
    twin.interact(Started::slash("a").option_as(6, "u", id.clone()).option_as(8, "r", GUILD_ID.to_string()).option_as(
        7,
        "c",
        CHANNEL_ID.to_string(),
    ));
    let resolved = next(&mut lines).await?;
    assert!(!resolved.contains("Unresolved") && resolved.contains(&id), "{resolved}");
    let messages = [
        (Said::text("a"), "message \"a\" (false, false, true) 0 false"),
        (Said::text("b").in_dm(), "message \"b\" (false, false, false) 0 false"),
        (Said::text("c").by_bot(7), "message \"c\" (true, false, true) 0 false"),
        (Said::text("d").by_webhook(7), "message \"d\" (true, true, true) 0 false"),
        (Said::text("e").mentions_bot().replying_to_bot(9, "f"), "message \"e\" (false, false, true) 1 true"),
    ];
    for (message, expected) in messages {
        twin.say(message);
        assert_eq!(next(&mut lines).await?, expected);
    }
    twin.drop_connection();
    assert_eq!(next(&mut lines).await?, "resumed");
    assert_eq!(twin.connections(), 2);
    shards.shutdown_all().await;
    running.await??;
    Ok(())
}

#[tokio::test]
async fn every_answer_is_understood() -> Tested {
    let twin = Twin::start().await?;
    let http = http(&twin);
    let application = http.get_current_application_info().await?;
    http.set_application_id(application.id);
    assert_eq!(http.get_current_user().await?.id.get(), APPLICATION_ID);
    assert_eq!(http.get_bot_gateway().await?.shards, 1);
    let option = CreateCommandOption::new(CommandOptionType::String, "metric", "Which one").required(true);
    let command = CreateCommand::new("status").description("Shows it").add_option(option);
    let registered = Command::set_global_commands(&http, vec![command]).await?;
    assert!(registered[0].options[0].required);
    assert_eq!(http.get_global_commands_with_localizations().await?.len(), 1);
    let channel = ChannelId::new(CHANNEL_ID);
    let embed = CreateEmbed::new().title("t").field("n", "v", false);
    let mut message = channel.send_message(&http, CreateMessage::new().content("x").embed(embed.clone())).await?;
    message.edit(&http, serenity::all::EditMessage::new().content("y")).await?;
    assert_eq!((message.content.as_str(), message.embeds.len()), ("y", 1));
    channel.broadcast_typing(&http).await?;
    channel.to_channel(&http).await?;
    let sent = twin.interact(Started::slash("status").option("metric", "cpu"));
    let deferral = CreateInteractionResponse::Defer(CreateInteractionResponseMessage::new().ephemeral(true));
    http.create_interaction_response(sent.id.into(), &sent.token, &deferral, vec![]).await?;
    let edit = EditInteractionResponse::new().content("done").embed(embed);
    let edited = http.edit_original_interaction_response(&sent.token, &edit, vec![]).await?;
    assert_eq!(edited.content, "done");
    let more = CreateInteractionResponseFollowup::new().content("more");
    http.create_followup_message(&sent.token, &more, vec![]).await?;
    assert_eq!(http.get_original_interaction_response(&sent.token).await?.content, "done");
    http.delete_original_interaction_response(&sent.token).await?;
    assert_eq!(twin.refused(), []);
    Ok(())
}

#[tokio::test]
async fn a_disallowed_intent_ends_the_client() -> Tested {
    let twin = Twin::start().await?;
    let (mut client, _lines) = connect(&twin, GatewayIntents::GUILDS | GatewayIntents::MESSAGE_CONTENT).await?;
    let ended = tokio::time::timeout(PATIENCE, client.start()).await?;
    assert!(ended.is_err(), "{ended:?}");
    assert_eq!(twin.identifies()[0]["intents"], json!(1 | 1 << 15));
    Ok(())
}
