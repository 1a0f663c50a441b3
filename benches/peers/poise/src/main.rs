//! A bot with one command, written with poise and serenity: `/ping` answers "pong". Its API is at `TWIN_URL`.

use serenity::all::{ClientBuilder, GatewayIntents, HttpBuilder};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Answers
#[poise::command(slash_command)]
async fn ping(context: poise::Context<'_, (), Error>) -> Result<(), Error> {
    context.say("pong").await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let framework = poise::Framework::builder()
        .options(poise::FrameworkOptions { commands: vec![ping()], ..Default::default() })
        .setup(|context, _, framework| {
            Box::pin(
                async move { Ok(poise::builtins::register_globally(context, &framework.options().commands).await?) },
            )
        })
        .build();
    // Behind a proxy, limits are the proxy's affair, as in Candor.
    let http = HttpBuilder::new("peer.token").proxy(std::env::var("TWIN_URL")?).ratelimiter_disabled(true).build();
    let mut client = ClientBuilder::new_with_http(http, GatewayIntents::GUILDS).framework(framework).await?;
    tokio::select! {
        ended = client.start() => ended?,
        _ = terminated() => {}
    }
    Ok(())
}

async fn terminated() -> std::io::Result<()> {
    tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?.recv().await;
    Ok(())
}
