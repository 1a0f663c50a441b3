//! The console's loop: reads a line, answers it, and prints the answer.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::edges::console::line::{Lines, Typed};
use crate::edges::console::render;
use crate::edges::console::terminal::{PERSON, Terminal, is_no, is_yes, print};
use crate::host::dispatch::Dispatcher;
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CommandType, EventId, Inbound, Interaction, Message, Place,
};
use candor_core::language::{Language, say};
use candor_core::record::TurnId;
use candor_core::reply::{Answer, PreparedCall, Provenance};

/// Prints the banner and answers every line, in this language, until end of input or `shutdown`.
pub async fn run(
    banner: &str,
    dispatcher: &Arc<Dispatcher>,
    language: Language,
    shutdown: &CancellationToken,
) -> io::Result<()> {
    print(banner)?;
    let caller = Caller { language, ..Caller::new(PERSON, "console") };
    let names =
        dispatcher.catalog(&caller, Place::Console).commands().map(|command| format!("/{}", command.name)).collect();
    let at_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let terminal =
        Terminal { lines: Mutex::new(Lines::start(at_terminal, names)), language, shutdown: shutdown.clone() };
    let mut last = EventId(0);
    // The turn whose offered command runs by answering yes, until the next line.
    let mut offered: Option<(TurnId, String)> = None;
    loop {
        let typed = terminal.next().await?;
        let offered_before = offered.take().map(|(turn, _)| turn);
        let text = match typed {
            Typed::Line(text) if text.trim().is_empty() => continue,
            Typed::Line(text) => text,
            Typed::TooLong => {
                print(&format!("  {}", say!(language, "console-line-too-long")))?;
                continue;
            }
            Typed::End => return Ok(()),
        };
        last = next_event(last);
        let mut taken = None;
        let inbound = match offered_before {
            Some(turn) if is_yes(&text, language) => match dispatcher.offered(turn, 0, &caller).await {
                Ok((call, ended)) => {
                    taken = Some(ended);
                    pressed(last, caller.clone(), call)
                }
                Err(why) => {
                    print(&format!("  {why}"))?;
                    continue;
                }
            },
            Some(_) if is_no(&text, language) => continue,
            Some(_) | None => message(last, caller.clone(), text),
        };
        let answer = dispatcher.answer(&inbound, &terminal).done(language).await;
        if let Some(taken) = taken {
            dispatcher.offered_ended(taken, answer.as_ref()).await;
        }
        if let Some(answer) = answer {
            print(&render(&answer, language))?;
            offered = offered_run(&answer);
            if let Some((_, command)) = &offered {
                print(&format!("  {}", say!(language, "console-offer", command = command.as_str())))?;
            }
        }
    }
}

/// The turn of an answer that offers to run a command, and that command.
fn offered_run(answer: &Answer) -> Option<(TurnId, String)> {
    match &answer.provenance {
        Provenance::Turn(facts) => Some((facts.turn?, facts.offers.first()?.clone())),
        Provenance::Command(_) | Provenance::Host => None,
    }
}

/// A command that was offered, as the person takes it.
fn pressed(id: EventId, caller: Caller, call: PreparedCall) -> Inbound {
    Inbound::Interaction(Interaction {
        id,
        caller,
        place: Place::Console,
        method: CallMethod::Pressed,
        command_type: CommandType::Slash,
        path: call.path.names().map(str::to_owned).collect(),
        arguments: call.arguments,
        target: None,
        sent: SystemTime::now(),
    })
}

fn message(id: EventId, caller: Caller, text: String) -> Inbound {
    Inbound::Message(Message {
        id,
        caller,
        author: AuthorKind::Person,
        place: Place::Console,
        addressed: Addressed::Direct,
        bot: PERSON,
        text,
        sent: SystemTime::now(),
    })
}

/// An event id that no line had before, in this process or an earlier one: claims outlive the process. Discord's own
/// ids are a thousand times larger and only grow, so the two never meet.
fn next_event(last: EventId) -> EventId {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    EventId(u64::try_from(now).unwrap_or(u64::MAX).max(last.0 + 1))
}
