//! Load: what is measured of a bot that answers at once, that defers, and that breaks a rule; and the program.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use discord_twin::{Interaction, Load, LoadError, LoadReport, Pace, Twin};
use serde_json::Value;
use serenity::all::{
    ClientBuilder, CommandInteraction, Context, CreateInteractionResponse, CreateInteractionResponseMessage,
    CreateModal, EditInteractionResponse, EventHandler, GatewayIntents, HttpBuilder,
};

use crate::Tested;

const PATIENCE: Duration = Duration::from_secs(10);

/// What ends a load: the bot writes it with its 50th answer to `/until`.
const ENDS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/load-is-over");

/// A bot that answers `/now` and `/until` at once, defers `/later`, opens a modal at `/form`, and is silent otherwise.
struct Bot;

#[serenity::async_trait]
impl EventHandler for Bot {
    async fn interaction_create(&self, context: Context, interaction: serenity::all::Interaction) {
        if let Some(command) = interaction.command() {
            drop(answer(&context, &command).await);
        }
    }
}

async fn answer(context: &Context, command: &CommandInteraction) -> serenity::Result<()> {
    let message = CreateInteractionResponseMessage::new().content("done");
    match command.data.name.as_str() {
        "now" => command.create_response(&context.http, CreateInteractionResponse::Message(message)).await,
        "until" => {
            static ANSWERED: AtomicUsize = AtomicUsize::new(0);
            if ANSWERED.fetch_add(1, Ordering::Relaxed) % 50 == 49 {
                drop(std::fs::write(ENDS, ""));
            }
            command.create_response(&context.http, CreateInteractionResponse::Message(message)).await
        }
        "later" => {
            command.defer(&context.http).await?;
            command.edit_response(&context.http, EditInteractionResponse::new().content("done")).await.map(drop)
        }
        "form" => {
            let modal = CreateInteractionResponse::Modal(CreateModal::new("form", "Form"));
            command.create_response(&context.http, modal).await
        }
        _ => Ok(()),
    }
}

async fn measured(load: &Load) -> Result<Result<LoadReport, LoadError>, Box<dyn std::error::Error>> {
    let twin = Twin::start().await?;
    let http = HttpBuilder::new("load.token").proxy(twin.url()).ratelimiter_disabled(true).build();
    let builder = ClientBuilder::new_with_http(http, GatewayIntents::non_privileged());
    let mut client = builder.event_handler(Bot).await?;
    let running = tokio::spawn(async move { client.start().await });
    assert!(twin.wait_ready(PATIENCE).await);
    let report = twin.load(load).await;
    running.abort();
    Ok(report)
}

fn load(command: &str, pace: Pace) -> Load {
    Load { pace, count: 60, warm_up: 10, pid: Some(std::process::id()), ..Load::of(Interaction::slash(command)) }
}

#[tokio::test]
async fn every_answer_is_measured_at_every_pace() -> Tested {
    for pace in [Pace::InFlight(1), Pace::InFlight(8), Pace::PerSecond(500)] {
        let report = measured(&load("now", pace)).await??;
        assert!(report.is_clean(), "{report}");
        assert!(report.answer.p50_ms > 0.0 && report.answer.p50_ms <= report.answer.max_ms, "{report}");
        assert_eq!((report.n_deferred, report.finish), (0, None), "{report}");
        assert_eq!(report.sent_behind.is_some(), pace == Pace::PerSecond(500));
        assert!(report.bot.is_some_and(|cost| cost.resident_after_kib > 0), "{report}");
    }
    Ok(())
}

#[tokio::test]
async fn an_open_loop_keeps_its_rate() -> Tested {
    let report = measured(&load("now", Pace::PerSecond(200))).await??;
    // 60 of them take 59 intervals of 5 ms, and one answer.
    assert!(report.seconds >= 0.295, "{report}");
    Ok(())
}

#[tokio::test]
async fn a_load_ends_once_a_file_is_there() -> Tested {
    for pace in [Pace::InFlight(2), Pace::PerSecond(200)] {
        drop(std::fs::remove_file(ENDS));
        let endless = Load { count: usize::MAX, warm_up: 0, until: Some(ENDS.into()), ..load("until", pace) };
        let report = measured(&endless).await??;
        assert!(report.is_clean() && report.count < 1_000, "{report}");
    }
    Ok(())
}

#[tokio::test]
async fn a_deferred_answer_is_measured_twice() -> Tested {
    let report = measured(&load("later", Pace::InFlight(4))).await??;
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.n_deferred, 60);
    assert!(report.finish.is_some_and(|finish| finish.p50_ms > report.answer.p50_ms), "{report}");
    Ok(())
}

#[tokio::test]
async fn what_is_no_answer_is_not_measured() -> Tested {
    let silent = Load { patience: Duration::from_millis(50), ..load("silent", Pace::InFlight(1)) };
    assert!(matches!(measured(&silent).await?, Err(LoadError::Unanswered)));
    let invalid = measured(&load("form", Pace::InFlight(1))).await?;
    let Err(LoadError::Refused(request)) = invalid else { return Err(format!("{invalid:?}").into()) };
    assert!(request.is_callback(), "{request:?}");
    Ok(())
}

fn program(arguments: &[&str]) -> std::io::Result<std::process::Output> {
    Command::new(env!("CARGO_BIN_EXE_discord-twin")).arg("load").args(arguments).output()
}

#[test]
fn the_program_measures_its_null_client() -> Tested {
    let output = program(&["--null", "--in-flight", "4", "--count", "200", "--warm-up", "10", "--format", "json"])?;
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(report["pace"], "4 in flight");
    assert!(report["per_second"].as_f64().is_some_and(|rate| rate > 1.0), "{report}");
    Ok(())
}

#[test]
fn the_program_says_why_it_measured_nothing() -> Tested {
    // Started with the twin's address, it ends without a connection.
    let output = program(&["--patience", "0", "--", "sh", "-c", "test -n \"$TWIN_URL\" && echo \"$TWIN_URL\" >&2"])?;
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr)?;
    assert!(told.contains("not measured: no bot has connected"), "{told}");
    Ok(())
}
