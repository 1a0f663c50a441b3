//! The command-line program: typed lines as input, readable answers as output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use serenity::all::{
    ClientBuilder, CommandInteraction, Context, CreateEmbed, CreateInteractionResponse,
    CreateInteractionResponseMessage, EventHandler, GatewayIntents, HttpBuilder, Interaction, Message,
};

use crate::Tested;

struct Started {
    program: Child,
    output: BufReader<ChildStdout>,
    url: String,
}

/// Starts the program and reads its greeting.
fn start(arguments: &[&str]) -> Result<Started, Box<dyn std::error::Error>> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_discord-twin"))
        .args(["--listen", "127.0.0.1:0"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = BufReader::new(program.stdout.take().ok_or("no output")?);
    let mut greeting = [String::new(), String::new()];
    for line in &mut greeting {
        output.read_line(line)?;
    }
    let url =
        greeting[0].split_whitespace().find_map(|word| word.strip_suffix('.').filter(|it| it.starts_with("http")));
    let url = url.ok_or_else(|| format!("no address in {greeting:?}"))?.to_owned();
    Ok(Started { program, output, url })
}

/// Answers every command with an embed, and every message with itself.
struct Echo;

#[serenity::async_trait]
impl EventHandler for Echo {
    async fn interaction_create(&self, context: Context, interaction: Interaction) {
        if let Interaction::Command(command) = interaction {
            drop(answer(&context, &command).await);
        }
    }

    async fn message(&self, context: Context, message: Message) {
        drop(message.channel_id.say(&context.http, format!("heard {}", message.content)).await);
    }
}

async fn answer(context: &Context, command: &CommandInteraction) -> serenity::Result<()> {
    let embed =
        CreateEmbed::new().title(&command.data.name).field("options", command.data.options.len().to_string(), true);
    let reply = CreateInteractionResponseMessage::new().embed(embed).ephemeral(true);
    command.create_response(&context.http, CreateInteractionResponse::Message(reply)).await
}

#[tokio::test]
async fn what_is_typed_reaches_the_bot_and_its_answers_are_printed() -> Tested {
    let mut started = start(&["--exit-at-end"])?;
    // Typed before the bot has connected.
    started.program.stdin.take().ok_or("no input")?.write_all(b"/status metric:cpu\n\ndm hello\n")?;
    let http = HttpBuilder::new("anything").proxy(started.url).ratelimiter_disabled(true).build();
    let intents = GatewayIntents::non_privileged();
    let mut client = ClientBuilder::new_with_http(http, intents).event_handler(Echo).await?;
    let running = tokio::spawn(async move { client.start().await });
    let (mut program, mut output) = (started.program, started.output);
    let printed = tokio::task::spawn_blocking(move || {
        let mut printed = String::new();
        output.read_to_string(&mut printed).map(|_| printed)
    });
    let printed = printed.await??;
    assert!(program.wait()?.success());
    running.abort();
    assert!(printed.contains("bot (only you see this):\n  status\n  options: 1\n"), "{printed}");
    assert!(printed.contains("bot:\n  heard hello\n"), "{printed}");
    Ok(())
}

#[test]
fn without_the_switch_it_outlives_its_input() -> Tested {
    let mut without = start(&[])?;
    drop(without.program.stdin.take());
    // The second one is started later and ends: by then the first would have ended too.
    let mut with = start(&["--exit-at-end"])?;
    drop(with.program.stdin.take());
    assert!(with.program.wait()?.success());
    assert_eq!(without.program.try_wait()?, None);
    without.program.kill()?;
    without.program.wait()?;
    Ok(())
}
