//! What `/readyz` and `/metrics` say of a running bot whose store dies, whose disk fills up, or whose Discord goes.

use std::path::{Path, PathBuf};
use std::process::Command;

use discord_twin::{CHANNEL_ID, Fault, Interaction, Message, Twin};

use crate::discord::connected::{Connected, connect, connect_in};
use crate::discord::connection::{admin_address, answers};
use crate::support::bot::Folder;

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_takes_nothing_is_told_until_it_does_again() {
    let Connected { bot, folder, _log, .. } = &connect("").await;
    let address = admin_address(bot);
    answers(address, "/readyz", true, r#""missing":[]"#).await;
    answers(address, "/metrics", true, "\ncandor_part_losses_total{part=\"store\"} 0\n").await;

    // Another program holds the file.
    let other = rusqlite::Connection::open(folder.path().join("data/candor.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    answers(address, "/readyz", false, r#""missing":["store"]"#).await;
    answers(address, "/metrics", true, "\ncandor_part_ready{part=\"store\"} 0\n").await;
    bot.hears(&["WARN", "the store cannot be written"]);
    answers(address, "/livez", true, r#""live":true"#).await;

    other.execute_batch("COMMIT").unwrap();
    answers(address, "/readyz", true, r#""missing":[]"#).await;
    answers(address, "/metrics", true, "\ncandor_part_losses_total{part=\"store\"} 1\n").await;
    bot.hears(&["INFO", "well again", "part=\"store\""]);
}

/// A small file system in memory, which only root may make.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// As the folder for data of this one. `None` if the system does not allow it.
    fn in_folder(folder: &Folder) -> Option<Self> {
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=32m", "tmpfs"]).arg(&data).output();
        mounted.is_ok_and(|done| done.status.success()).then(|| Self(folder.path().to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: the bot may not have let go of its files yet. The folder could not be removed with a disk in it.
        let _gone = Command::new("umount").arg("--lazy").arg(self.0.join("data")).status();
        let _removed = std::fs::remove_dir_all(&self.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told_until_there_is_room_again() {
    let folder = Folder::with("");
    let Some(disk) = SmallDisk::in_folder(&folder) else {
        return println!("SKIPPED: this system does not allow to mount a small disk");
    };
    let data = disk.0.join("data");
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let address = admin_address(&connected.bot);
    answers(address, "/readyz", true, r#""missing":[]"#).await;

    let filler = data.join("filler");
    fill(&filler);
    answers(address, "/readyz", false, "\"disk\"").await;
    answers(address, "/metrics", true, "\ncandor_part_ready{part=\"disk\"} 0\n").await;
    answers(address, "/metrics", true, "\ncandor_data_disk_free_bytes 0\n").await;

    std::fs::remove_file(&filler).unwrap();
    answers(address, "/readyz", true, r#""missing":[]"#).await;
    answers(address, "/metrics", true, "\ncandor_part_losses_total{part=\"disk\"} 1\n").await;
    drop(connected);
}

/// Writes until nothing more can be written.
fn fill(path: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    while file.write_all(&[0; 4_096]).is_ok() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn what_passes_through_the_bot_is_counted() {
    let connected = connect("").await;
    let address = admin_address(&connected.bot);
    answers(address, "/readyz", true, r#""missing":[]"#).await;
    let shows = async |line: &str| answers(address, "/metrics", true, &format!("\n{line}\n")).await;
    shows("candor_gateway_connections_total{what=\"login\"} 1").await;
    shows("candor_gateway_connections_total{what=\"lost\"} 0").await;
    answers(address, "/metrics", true, "\ncandor_gateway_logins_left ").await;
    answers(address, "/metrics", true, "\nprocess_resident_memory_bytes ").await;
    answers(address, "/metrics", true, "\ncandor_store_bytes ").await;
    shows("candor_modules{state=\"rejected\"} 0").await;

    connected.answer(Interaction::slash("status")).await;
    shows("candor_command_runs_total{by=\"person\",outcome=\"answered\"} 1").await;
    shows("candor_command_duration_seconds_count 1").await;
    shows("candor_routes_total{arrival=\"interaction\",route=\"command\"} 1").await;
    connected.reply(Message::to_bot("/staus")).await;
    shows("candor_routes_total{arrival=\"message\",route=\"unknown-command\"} 1").await;
    connected.reply(Message::to_bot("`/status`").in_channel(CHANNEL_ID + 20)).await;
    shows("candor_routes_total{arrival=\"message\",route=\"not-plain\"} 1").await;

    connected.twin.fail_next(Fault::rate_limited("POST", "/channels/", 0.1));
    connected.reply(Message::to_bot("/tusks").in_channel(CHANNEL_ID + 21)).await;
    answers(address, "/metrics", true, "\ncandor_rest_limits_total{scope=\"route\"} 1\n").await;
    let Connected { bot, twin, _log, .. } = connected;
    drop((twin, _log));
    answers(address, "/metrics", true, "\ncandor_gateway_connections_total{what=\"lost\"} 1\n").await;
    answers(address, "/metrics", true, "\ncandor_part_losses_total{part=\"gateway\"} 1\n").await;
    // An outage costs no logins, which Discord counts.
    answers(address, "/metrics", true, "\ncandor_gateway_connections_total{what=\"failed\"} 4\n").await;
    answers(address, "/metrics", true, "\ncandor_gateway_connections_total{what=\"login\"} 1\n").await;
    drop(bot);
}
