//! serenity can read every kind of option, target, choice and modal that the twin sends.

use std::time::Duration;

use discord_twin::{CHANNEL_ID, Interaction as Started, Twin};
use reqwest::Method;
use serde_json::json;
use serenity::all::{
    ClientBuilder, CommandInteraction, ComponentInteractionDataKind, Context, EventHandler, GatewayIntents,
    HttpBuilder, Interaction, ResolvedTarget, ResolvedValue,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Tested;

struct Receiver(UnboundedSender<Interaction>);

#[serenity::async_trait]
impl EventHandler for Receiver {
    async fn interaction_create(&self, _: Context, interaction: Interaction) {
        drop(self.0.send(interaction));
    }
}

/// A twin with a connected client that passes on the interactions.
struct Received {
    twin: Twin,
    interactions: UnboundedReceiver<Interaction>,
    client: tokio::task::JoinHandle<()>,
}

impl Drop for Received {
    fn drop(&mut self) {
        self.client.abort();
    }
}

impl Received {
    async fn start() -> Result<Received, Box<dyn std::error::Error>> {
        let twin = Twin::start().await?;
        let (sender, interactions) = unbounded_channel();
        let http = HttpBuilder::new("secret").proxy(twin.url()).ratelimiter_disabled(true).build();
        let builder = ClientBuilder::new_with_http(http, GatewayIntents::non_privileged());
        let mut client = builder.event_handler(Receiver(sender)).await?;
        let client = tokio::spawn(async move { drop(client.start().await) });
        assert!(twin.wait_ready(Duration::from_secs(10)).await);
        Ok(Received { twin, interactions, client })
    }

    async fn next(&mut self, started: Started) -> Result<Interaction, Box<dyn std::error::Error>> {
        self.twin.interact(started);
        let received = tokio::time::timeout(Duration::from_secs(10), self.interactions.recv()).await?;
        Ok(received.ok_or("the client is gone")?)
    }

    async fn command(&mut self, started: Started) -> Result<CommandInteraction, Box<dyn std::error::Error>> {
        self.next(started).await?.into_command().ok_or_else(|| "no command".into())
    }
}

/// An option's value as text.
fn in_words(value: &ResolvedValue<'_>) -> String {
    match value {
        ResolvedValue::User(user, member) => format!("user {} member {}", user.id, member.is_some()),
        ResolvedValue::Role(role) => format!("role {}", role.id),
        ResolvedValue::Channel(channel) => {
            format!("channel {} {:?} {}", channel.id, channel.kind, channel.permissions.is_some())
        }
        ResolvedValue::Attachment(file) => {
            format!("file {} {} {:?} {}", file.filename, file.size, file.content_type, file.url.starts_with("https://"))
        }
        ResolvedValue::SubCommand(inner) | ResolvedValue::SubCommandGroup(inner) => {
            let inner: Vec<String> = inner.iter().map(|it| format!("{} {}", it.name, in_words(&it.value))).collect();
            format!("[{}]", inner.join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn every_kind_of_option_is_resolved() -> Tested {
    let mut received = Received::start().await?;
    let slash = || Started::slash("a");
    let cases = [
        (slash().user_option("o", 70), "user 70 member true"),
        (slash().user_option("o", 70).in_dm(), "user 70 member false"),
        (slash().role_option("o", 71), "role 71"),
        (slash().channel_option("o", 72, 2), "channel 72 Voice true"),
        (slash().channel_option("o", 72, 11), "channel 72 PublicThread true"),
        (slash().mentionable_user_option("o", 73), "user 73 member true"),
        (slash().mentionable_role_option("o", 74), "role 74"),
        (slash().attachment_option("o", "a.png", 9), "file a.png 9 Some(\"image/png\") true"),
        (slash().attachment_option("o", "a", 9), "file a 9 None true"),
        (slash().option_as(6, "o", "75"), "user 75 member true"),
        (slash().subcommand("o").subcommand("s").user_option("u", 76), "[s [u user 76 member true]]"),
    ];
    for (started, expected) in cases {
        let command = received.command(started).await?;
        let options = command.data.options();
        assert_eq!((options[0].name, in_words(&options[0].value)), ("o", expected.to_owned()));
    }
    Ok(())
}

#[tokio::test]
async fn roles_and_targets_arrive() -> Tested {
    let mut received = Received::start().await?;
    let command = received.command(Started::user_menu("Who").on_user(80).roles(&[81, 82])).await?;
    let member = command.member.as_ref().ok_or("no member")?;
    assert_eq!(member.roles.iter().map(|role| role.get()).collect::<Vec<_>>(), [81, 82]);
    let target = command.data.target();
    assert!(
        matches!(&target, Some(ResolvedTarget::User(user, Some(_))) if user.id.get() == 80 && command.user.id.get() != 80),
        "{target:?}"
    );
    Ok(())
}

#[tokio::test]
async fn choices_and_modals_know_their_message() -> Tested {
    let mut received = Received::start().await?;
    let path = format!("/channels/{CHANNEL_ID}/messages");
    let menu = json!({"type": 5, "custom_id": "who"});
    let strings = json!({"type": 3, "custom_id": "which", "options": [{"label": "a", "value": "a"}]});
    let rows = json!([{"type": 1, "components": [menu]}, {"type": 1, "components": [strings]}]);
    let body = json!({"content": "choose", "components": rows});
    let (_, message) = crate::send(&received.twin, Method::POST, &path, &body).await?;
    let id: u64 = message["id"].as_str().unwrap_or_default().parse()?;
    let chosen = [
        (Started::choose(id, "who", &["90"]), "UserSelect { values: [UserId(90)] }"),
        (Started::choose(id, "which", &["a"]), "StringSelect { values: [\"a\"] }"),
        (Started::select_users("u", &[91]), "UserSelect { values: [UserId(91)] }"),
        (Started::select_roles("r", &[92]), "RoleSelect { values: [RoleId(92)] }"),
        (Started::select_channels("c", &[93]), "ChannelSelect { values: [ChannelId(93)] }"),
        (Started::select("s", &["b"]).from_message(id), "StringSelect { values: [\"b\"] }"),
    ];
    for (started, expected) in chosen {
        let component = received.next(started).await?.into_message_component().ok_or("no component")?;
        assert_eq!(format!("{:?}", component.data.kind), expected);
        assert!(!matches!(component.data.kind, ComponentInteractionDataKind::Unknown(_)));
    }
    let opened = received.next(Started::modal("m", &[("f", "text")]).from_message(id)).await?;
    let modal = opened.into_modal_submit().ok_or("no modal")?;
    assert_eq!(modal.message.as_ref().map(|message| message.id.get()), Some(id));
    let typed = received.next(Started::modal("m", &[("f", "text")])).await?.into_modal_submit().ok_or("no modal")?;
    assert_eq!((typed.message.is_none(), typed.data.components.len()), (true, 1));
    Ok(())
}
