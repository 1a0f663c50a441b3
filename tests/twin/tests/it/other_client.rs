//! discord.js against the twin, so that the twin does not only suit serenity.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use discord_twin::{Interaction, Options, Twin, USER_ID};

use crate::Tested;

/// Node starts slowly on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder with the packages, or why there is none.
fn packages() -> Result<PathBuf, String> {
    let folder = root().join("target/other-client");
    if !folder.join("installed").exists() {
        return Err("discord.js is not there: run tests/other_client/install".to_owned());
    }
    match Command::new("node").arg("--version").stdout(Stdio::null()).status() {
        Ok(status) if status.success() => folder.canonicalize().map_err(|error| error.to_string()),
        other => Err(format!("node does not run: {other:?}")),
    }
}

#[tokio::test]
async fn discord_js_logs_in_and_answers() -> Tested {
    let folder = match packages() {
        Ok(folder) => folder,
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "under CI this must run: {why}");
            // Not captured, so that it is seen though the test passes.
            writeln!(std::io::stderr(), "SKIPPED discord_js_logs_in_and_answers: {why}")?;
            return Ok(());
        }
    };
    let twin = Twin::start_with(Options { token: Some("other.token".to_owned()), ..Options::default() }).await?;
    let mut client = Command::new("node");
    client.arg(root().join("tests/other_client/pong.mjs")).arg(folder).arg(twin.url());
    let mut client = Running(client.stdout(Stdio::piped()).spawn()?);
    let output = BufReader::new(client.0.stdout.take().ok_or("no output")?);
    let first_line = tokio::task::spawn_blocking(move || output.lines().next());
    let greeting = tokio::time::timeout(PATIENCE, first_line).await??.ok_or("the client ended")??;
    assert_eq!(greeting, "ready in 1 guild");
    assert_eq!(twin.commands()[0]["name"], "ping");

    let plain = twin.interact(Interaction::slash("ping"));
    let answer = twin.answer_to(&plain, PATIENCE).await.ok_or("no answer")?;
    assert_eq!((answer.text().as_str(), answer.is_ephemeral()), ("pong", true));
    let named = twin.interact(Interaction::slash("ping").user_option("who", USER_ID));
    let answer = twin.answer_to(&named, PATIENCE).await.ok_or("no answer")?;
    assert_eq!(answer.text(), "pong alice");
    let more = twin.wait_for(PATIENCE, |entry| entry.path.ends_with(&named.token) && entry.text() == "and more").await;
    assert!(more.is_some(), "{:?}", twin.replies_to(&named));

    // Its connection is lost, and it resumes.
    twin.drop_connection();
    let missed = twin.interact(Interaction::slash("ping"));
    assert!(twin.answer_to(&missed, PATIENCE).await.is_some());
    assert_eq!((twin.n_resumes(), twin.identifies().len()), (1, 1));
    assert_eq!(twin.refused(), []);
    Ok(())
}
