//! The bot in a terminal: the same router, registry, executor and modules as on Discord, with no token.
//!
//! At a terminal there is a prompt with history and completion of command names. Piped input is answered
//! line by line. Answers go to standard output, the log to standard error.

mod line;
mod render;

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_util::sync::CancellationToken;

use crate::console::line::{Lines, Typed};
use crate::dispatch::Dispatcher;
use crate::inbound::{Addressed, Author, Caller, EventId, Inbound, Message, Place, UserId};

pub use render::render;

/// The console's person. Discord never gives out this id.
const PERSON: UserId = UserId(0);

/// Prints the banner and answers every line until end of input or `shutdown`.
pub async fn run(banner: &str, dispatcher: &Arc<Dispatcher>, shutdown: &CancellationToken) -> io::Result<()> {
    print(banner)?;
    let caller = Caller { id: PERSON, name: "console".to_owned() };
    let names =
        dispatcher.catalog(&caller, Place::Console).commands().map(|command| format!("/{}", command.name)).collect();
    let at_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut lines = Lines::start(at_terminal, names);
    let mut last = EventId(0);
    loop {
        let typed = tokio::select! {
            typed = lines.next() => typed?,
            () = shutdown.cancelled() => Typed::End,
        };
        let text = match typed {
            Typed::Line(text) if text.trim().is_empty() => continue,
            Typed::Line(text) => text,
            Typed::TooLong => {
                print("  This line is longer than 64 KiB, so nothing was done with it.")?;
                continue;
            }
            Typed::End => return Ok(()),
        };
        last = next_event(last);
        let inbound = message(last, caller.clone(), text);
        let route = dispatcher.route(&inbound);
        if let Some(answer) = dispatcher.carry_out(route, &inbound).await {
            print(&render(&answer))?;
        }
    }
}

fn message(id: EventId, caller: Caller, text: String) -> Inbound {
    Inbound::Message(Message {
        id,
        caller,
        author: Author::Person,
        place: Place::Console,
        addressed: Addressed::Direct,
        bot: PERSON,
        text,
        sent: SystemTime::now(),
    })
}

/// An id that no line had before, in this process or an earlier one: claims outlive the process. Discord's
/// own ids are a thousand times larger and only grow, so the two never meet.
fn next_event(last: EventId) -> EventId {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    EventId(u64::try_from(now).unwrap_or(u64::MAX).max(last.0 + 1))
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}
