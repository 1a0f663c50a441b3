//! poise knows what is offered: its own dispatcher finds every command. The bot itself does not dispatch by it.
//!
//! poise borrows serenity's `Context`, and that takes the connection of a shard. So a WebSocket that says nothing is
//! opened on this machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use poise::{FrameworkContext, FrameworkError, FrameworkOptions};
use serde_json::{Value, json};
use serenity::all::{
    CommandInteraction, Context, GatewayIntents, HttpBuilder, Shard, ShardId, ShardManager, ShardManagerOptions,
    ShardMessenger, ShardRunner, ShardRunnerOptions,
};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, RwLock};
use tokio_tungstenite::accept_async;

use super::registry;
use crate::registration::payload;
use candor_core::contract::{Command, CommandKind};

/// A slash command as somebody chose it, by its names.
fn chosen(names: &[&str]) -> CommandInteraction {
    let [command, below @ ..] = names else { panic!("no name") };
    let mut options = json!([]);
    for (deep, name) in below.iter().rev().enumerate() {
        // A subcommand, and above it a group.
        options = json!([{ "name": name, "type": 1 + deep, "options": options }]);
    }
    let interaction: Value = json!({
        "id": "1", "application_id": "1", "type": 2, "token": "t", "version": 1, "channel_id": "5", "locale": "en-US",
        "entitlements": [], "authorizing_integration_owners": {}, "attachment_size_limit": 0,
        "user": { "id": "7", "username": "ada", "discriminator": "0" },
        "data": { "id": "1", "name": command, "type": 1, "options": options },
    });
    serde_json::from_value(interaction).unwrap()
}

/// Everything of a command that can be run, by its names.
fn named(command: &Command) -> Vec<Vec<&str>> {
    let CommandKind::Parent { subcommands, groups } = &command.kind else { return vec![vec![&command.name]] };
    let direct = subcommands.iter().map(|known| vec![&*command.name, &*known.name]);
    let grouped = groups
        .iter()
        .flat_map(|group| group.subcommands.iter().map(|known| vec![&*command.name, &*group.name, &*known.name]));
    direct.chain(grouped).collect()
}

#[tokio::test]
async fn poise_finds_every_command_and_no_other() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Arc::new(Mutex::new(format!("ws://{}", listener.local_addr().unwrap())));
    let silent = tokio::spawn(async move { accept_async(listener.accept().await.unwrap().0).await.unwrap() });
    let (data, intents) = (Arc::new(RwLock::default()), GatewayIntents::empty());
    let http = Arc::new(HttpBuilder::new("t").ratelimiter_disabled(true).build());
    let info = serde_json::from_str("[0,1]").unwrap();
    let shard = Shard::new(address.clone(), "t", info, intents, None).await.unwrap();
    let _open = silent.await.unwrap();
    let (manager, _ended) = ShardManager::new(ShardManagerOptions {
        data: data.clone(),
        event_handlers: Vec::new(),
        raw_event_handlers: Vec::new(),
        framework: Arc::default(),
        shard_index: 0,
        shard_init: 0,
        shard_total: 1,
        ws_url: address,
        http: http.clone(),
        intents,
        presence: None,
    });
    let runner = ShardRunner::new(ShardRunnerOptions {
        data: data.clone(),
        event_handlers: Vec::new(),
        raw_event_handlers: Vec::new(),
        framework: None,
        manager: manager.clone(),
        shard,
        http: http.clone(),
    });
    let context = Context { data, shard: ShardMessenger::new(&runner), shard_id: ShardId(0), http };

    let registry = registry();
    let commands = registry.commands().map(payload::poise_command).collect();
    let options = FrameworkOptions { commands, initialize_owners: false, ..FrameworkOptions::default() };
    let framework = FrameworkContext {
        serenity_context: &context,
        bot_id: 1.into(),
        options: &options,
        user_data: &(),
        shard_manager: &manager,
    };
    let found = async |names: &[&str]| {
        let (interaction, replied, own) = (chosen(names), AtomicBool::new(false), Mutex::new(Box::new(()) as _));
        let (given, mut tree) = (interaction.data.options(), Vec::new());
        match poise::dispatch_interaction(framework, &interaction, &replied, &own, &given, &mut tree).await {
            Ok(()) => true,
            Err(FrameworkError::UnknownInteraction { .. } | FrameworkError::CommandStructureMismatch { .. }) => false,
            Err(other) => panic!("{names:?}: {other}"),
        }
    };
    let mut n = 0;
    for names in registry.commands().flat_map(named) {
        assert!(found(&names).await, "{names:?}");
        n += 1;
    }
    assert!(20 < n, "{n}");
    assert!(!found(&["staus"]).await && !found(&["tasks", "nosuch"]).await);
}
