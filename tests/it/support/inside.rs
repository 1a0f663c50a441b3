//! The bot inside the test's own process, on a runtime of its own: the real store, the real serenity client and the
//! real edge, with a model that the test dictates to.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use discord_twin::{Interaction, Message, Recorded, Twin};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use candor::app::{App, Sources, examine};

use crate::support::bot::PATIENCE;
use crate::support::said::{ANY, said, says};
use crate::support::typist::{Pages, Typist, typist};
use candor_core::contract::outside::Starting;
use candor_core::contract::{NativeModule, NoArguments, check};
use candor_core::execution::probe;
use candor_core::registry::Registry;
use candor_core::reply::Reply;
use candor_discord::Connection;

/// A command that ends when the test lets it.
const SLOW: &str = r#"
[module]
name = "slow"
summary = "Waits"
[commands."/slow"]
description = "Wait until it is time"
handler = "slow"
tool = true
"#;

/// A bot that is connected to a twin.
pub(crate) struct Inside {
    pub(crate) twin: Twin,
    pub(crate) pages: Pages,
    /// A permit ends one run of `/slow`.
    pub(crate) slow: Arc<Semaphore>,
    stop: CancellationToken,
    killed: CancellationToken,
    /// Ends when the bot has left.
    thread: Option<JoinHandle<()>>,
    /// Its store is the file `candor.db` in here.
    pub(crate) folder: TempDir,
}

impl Inside {
    /// Starts a bot with these settings, the first lines of which belong to `[chat]`.
    pub(crate) async fn start(chat: &str) -> Self {
        let twin = Twin::start().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let config = format!(
            "[chat]\n{chat}\n[store]\npath = '{}'\n[status]\nfile = '{}'\n[host_metrics]\nenabled = true\n[admin]\nlisten = \"off\"\n[model]\n\
             base_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"typist\"]\ntools = \"native\"\n[chat.access]\nper_minute = 600\ndirect = \"everybody\"\n",
            path("candor.db"),
            path("metrics.json"),
        );
        std::fs::write(folder.path().join("config.toml"), config).unwrap();
        let (model, pages) = typist();
        let (slow, stop, killed) = (Arc::new(Semaphore::new(0)), CancellationToken::new(), CancellationToken::new());
        let (config, url) = (folder.path().join("config.toml"), twin.url());
        let (gate, leaves) = (slow.clone(), stop.clone());
        let dies = killed.clone().cancelled_owned();
        let thread = thread::spawn(move || {
            let runtime = Runtime::new().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    () = run(config, url, model, gate, leaves) => {}
                    () = dies => {}
                }
            });
            runtime.shutdown_background();
        });
        assert!(twin.wait_ready(PATIENCE).await, "not connected");
        let bot = Self { twin, pages, slow, stop, killed, thread: Some(thread), folder };
        // Until it has read READY, it does not know which messages are for it.
        while says(bot.answer(Interaction::slash("help")).await.text(), said!("closed-restarting", what = ANY)) {}
        bot
    }

    /// Says something to the bot, and returns the number of the next request.
    pub(crate) fn say(&self, message: Message) -> u64 {
        let n = self.twin.n_requests();
        self.twin.say(message);
        n
    }

    /// The first request with this number or a later one that shows this text.
    pub(crate) async fn shows(&self, n: u64, text: &str) -> Recorded {
        let is_it = |request: &Recorded| n <= request.n && request.accepted() && says(request.text(), text);
        let found = self.twin.wait_for(PATIENCE, is_it).await;
        found.unwrap_or_else(|| panic!("nothing says {text}; {:#?}", self.twin.requests().split_off(n as usize)))
    }

    /// What the bot answers to an interaction.
    pub(crate) async fn answer(&self, interaction: Interaction) -> Recorded {
        let sent = self.twin.interact(interaction);
        self.twin.answer_to(&sent, PATIENCE).await.unwrap()
    }

    /// Presses the first button of a message, which is acknowledged and changes nothing by itself.
    pub(crate) async fn press(&self, interaction: Interaction) {
        let sent = self.twin.interact(interaction);
        let callback = self.twin.callback_to(&sent, PATIENCE).await.unwrap();
        assert_eq!(callback.body["type"], serde_json::json!(6), "{}", callback.text());
    }

    /// Ends the bot as a signal does: it finishes what runs.
    pub(crate) fn leave(&self) {
        self.stop.cancel();
    }

    /// Waits until it has left.
    pub(crate) async fn has_left(&mut self) {
        let thread = self.thread.take().unwrap();
        tokio::task::spawn_blocking(move || thread.join().unwrap()).await.unwrap();
    }

    /// Ends the bot as a power cut does.
    pub(crate) fn kill(&mut self) {
        self.killed.cancel();
        if let Some(thread) = self.thread.take() {
            // Where it crashed, the test has failed already.
            let _ended = thread.join();
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn run(config: std::path::PathBuf, proxy: String, model: Typist, slow: Arc<Semaphore>, stop: CancellationToken) {
    let sources = Sources { natives: candor_modules::all, config: Some(&config), running: None };
    let mut examined = examine(sources, Starting::Serve).await;
    let mut modules = candor_modules::all();
    modules.push(NativeModule::new("slow", SLOW).handler("slow", move |_: NoArguments, _| {
        let slow = slow.clone();
        async move {
            slow.acquire().await.map_err(candor_core::contract::CommandError::from)?.forget();
            Ok(Reply::text("It was time."))
        }
    }));
    let checked = check(candor_engine::builtin::module(), modules, Vec::new());
    assert!(!examined.diagnostics.has_errors() && !checked.diagnostics.has_errors(), "{:#?}", examined.diagnostics);
    let registry = Arc::new(Registry::build(checked));
    examined.reach = probe(&registry);
    examined.registry = Some(registry);
    let connection = Connection { token: "test.token".to_owned().into(), proxy: Some(proxy.parse().unwrap()) };
    let app = App::start_with(examined, Some(Arc::new(model)), Some(connection)).await.unwrap();
    app.discord(Arc::new(|| 0), stop).await.unwrap();
    app.close().await;
}
