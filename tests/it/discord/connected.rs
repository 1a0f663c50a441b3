//! A bot that is connected to the twin: how a test starts it, asks it, and reads its answers.

use discord_twin::{Interaction, Message, Recorded, Twin};

use crate::support::bot::{Bot, Folder, PATIENCE};

/// A connected bot. The order of the fields ends the bot before its folder goes.
pub(crate) struct Connected {
    pub(crate) bot: Bot,
    pub(crate) twin: Twin,
    pub(crate) folder: Folder,
    /// Looks at the requests once the test is over.
    pub(crate) _log: RequestLog,
}

/// What the bot asked of its Discord. When a test is over, it holds nothing that Discord would refuse but for what the
/// test ordered.
pub(crate) struct RequestLog(Twin);

impl RequestLog {
    pub(crate) fn of(twin: &Twin) -> Self {
        Self(twin.clone())
    }

    /// For a test in which Discord is made to refuse what the bot cannot know to be refused.
    pub(crate) fn may_hold_refused(self) {
        std::mem::forget(self);
    }
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // A look at a response that may not be there is no fault.
            let is_look = |request: &Recorded| {
                request.method == "GET" && request.path.ends_with("/@original") && request.status == 404
            };
            let refused: Vec<_> = self.0.refused().into_iter().filter(|request| !is_look(request)).collect();
            assert_eq!(refused, []);
        }
    }
}

pub(crate) async fn connect(config: &str) -> Connected {
    connect_to(Twin::start().await.unwrap(), config).await
}

pub(crate) async fn connect_to(twin: Twin, config: &str) -> Connected {
    // The address of the stand-in for Discord's files is known only now.
    connect_in(Folder::with(&config.replace("{files}", &twin.files_url())), twin).await
}

pub(crate) async fn connect_in(folder: Folder, twin: Twin) -> Connected {
    let bot = Bot::start(&folder, &twin.url());
    assert!(twin.wait_ready(PATIENCE).await, "not ready:\n{}", bot.log());
    bot.hears(&["INFO", "ready"]);
    let log = RequestLog::of(&twin);
    Connected { bot, twin, folder, _log: log }
}

impl Connected {
    pub(crate) async fn answer(&self, interaction: Interaction) -> Recorded {
        let sent = self.twin.interact(interaction);
        match self.twin.answer_to(&sent, PATIENCE).await {
            Some(answer) => answer,
            None => panic!("no answer; log:\n{}", self.bot.log()),
        }
    }

    pub(crate) async fn reply(&self, message: Message) -> Recorded {
        let seen = self.twin.n_requests();
        self.twin.say(message);
        let reply =
            self.twin.wait_for(PATIENCE, |request| seen <= request.n && request.path.ends_with("/messages")).await;
        reply.unwrap_or_else(|| panic!("no reply; log:\n{}", self.bot.log()))
    }
}
