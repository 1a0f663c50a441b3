//! The console's loop: reads a line, answers it, and prints the answer.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::console::line::{LINE_LENGTH_MAX, Lines, Prompter, Replies, Typed};
use crate::console::press::{Press, press};
use crate::console::render::{broken, render};
use crate::console::screen::Screen;
use crate::console::terminal::{PERSON, Terminal, is_no, is_yes, next_event, print, tell};
use candor_core::agent::tools::Surface;
use candor_core::contract::text_form::{self, as_typed};
use candor_core::guild::Rules;
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, CommandType, EventId, Inbound, Interaction, Message, Place,
};
use candor_core::language::{Language, say};
use candor_core::record::TurnId;
use candor_core::reply::{Answer, Author, Control, PreparedCall, Provenance};
use candor_engine::dispatch::Dispatcher;

pub struct Session<'a> {
    pub dispatcher: &'a Arc<Dispatcher>,
    pub language: Language,
    /// The file with lines of earlier sessions.
    pub history: PathBuf,
    /// Cancelled to stop the bot.
    pub shutdown: &'a CancellationToken,
}

/// The words that end a session, besides end of input.
const LEAVING: [&str; 5] = ["exit", "quit", ":q", "/exit", "/quit"];

/// Prints the first lines and a hint how to leave, and answers every line until end of input or `shutdown`. Returns
/// whether each was answered, as [`run_lines`] does; at a terminal always true, because the person has seen the
/// answers.
pub async fn run(banner: &str, session: Session<'_>) -> io::Result<bool> {
    let language = session.language;
    let dispatcher = session.dispatcher.clone();
    print(&broken(&format!("{banner}\n{}", say!(language, "console-hint")), Screen::of_output()))?;
    let caller = caller(language);
    let catalog = dispatcher.catalog(&caller);
    let leaves = |line: &str| {
        LEAVING.contains(&line) && line.strip_prefix('/').is_none_or(|name| catalog.in_force(name).is_none())
    };
    let at_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
    let prompter = at_terminal.then(|| Prompter {
        catalog: catalog.clone(),
        dispatcher: dispatcher.clone(),
        caller: caller.clone(),
        history: session.history.clone(),
        runtime: Handle::current(),
    });
    let mut talk = Talk::with(&session, caller, Lines::start(prompter));
    let mut n_cleared = 0;
    let mut are_answered = true;
    loop {
        let typed = talk.terminal.next().await?;
        // After a second Ctrl-C in a row, explain how to leave.
        n_cleared = if typed == Typed::Cleared { n_cleared + 1 } else { 0 };
        match typed {
            Typed::Line(text) if text.trim().is_empty() => {}
            Typed::Line(text) if leaves(text.trim()) => return Ok(at_terminal || are_answered),
            Typed::Line(text) => are_answered &= talk.answer(text).await?,
            Typed::TooLong => {
                are_answered = false;
                tell(&say!(language, "console-line-too-long"))?;
            }
            Typed::Cleared if n_cleared == 2 => tell(&say!(language, "console-leave"))?,
            Typed::Cleared => {}
            Typed::End => return Ok(at_terminal || are_answered),
        }
    }
}

/// Answers only these lines. Returns whether each was answered: by a command that is done, or by the model.
pub async fn run_lines(lines: Vec<String>, session: Session<'_>) -> io::Result<bool> {
    let mut talk = Talk::new(&session, Replies::Nobody);
    let mut are_answered = true;
    for line in lines {
        if session.shutdown.is_cancelled() {
            return Ok(false);
        }
        are_answered &= match line {
            line if LINE_LENGTH_MAX < line.len() => {
                tell(&say!(session.language, "console-line-too-long"))?;
                false
            }
            line => talk.answer(line).await?,
        };
    }
    Ok(are_answered)
}

fn caller(language: Language) -> Caller {
    Caller { language, ..Caller::new(PERSON, "console") }
}

pub struct Talk {
    dispatcher: Arc<Dispatcher>,
    caller: Caller,
    language: Language,
    terminal: Terminal,
    last: EventId,
    /// The turn whose offered command runs if the next line is a yes.
    offered: Option<TurnId>,
    /// The buttons and lists under the last answer of a command.
    controls: Vec<Control>,
}

impl Talk {
    /// Creates a conversation whose lines the caller passes in.
    pub fn new(session: &Session<'_>, replies: Replies) -> Self {
        Self::with(session, caller(session.language), replies.lines())
    }

    fn with(session: &Session<'_>, caller: Caller, lines: Lines) -> Self {
        let language = session.language;
        let shutdown = session.shutdown.clone();
        let terminal = Terminal { lines: Mutex::new(lines), language, shutdown, n_done: AtomicUsize::new(0) };
        let dispatcher = session.dispatcher.clone();
        let last = EventId(0);
        Self { dispatcher, caller, language, terminal, last, offered: None, controls: Vec::new() }
    }

    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns how many commands called by a model are done.
    pub fn n_done(&self) -> usize {
        self.terminal.n_done.load(Ordering::Relaxed)
    }

    /// Returns a line as a message, for classification. Does not answer it.
    pub fn typed(&self, text: String) -> Inbound {
        message(self.last, self.caller.clone(), text)
    }

    /// Answers one line without printing it; commands that a model runs report to this surface. `None` if the line was
    /// not for the bot.
    pub async fn ask(&mut self, text: String, surface: &dyn Surface) -> Option<Answer> {
        self.last = next_event(self.last);
        let inbound = message(self.last, self.caller.clone(), text);
        self.dispatcher.answer(&inbound, &Rules::default(), surface).await
    }

    pub async fn press(&mut self, call: PreparedCall, surface: &dyn Surface) -> Option<Answer> {
        self.last = next_event(self.last);
        let inbound = pressed(self.last, self.caller.clone(), call);
        self.dispatcher.answer(&inbound, &Rules::default(), surface).await
    }

    /// Returns the words behind `/press`: a button, or a list and a choice. `None` if the line is not `/press`.
    pub fn pressed<'a>(&self, line: &'a str) -> Option<&'a str> {
        let wanted = line.trim().strip_prefix("/press")?;
        let is_command = self.dispatcher.catalog(&self.caller).in_force("press").is_some();
        (!is_command && (wanted.is_empty() || wanted.starts_with(char::is_whitespace))).then(|| wanted.trim())
    }

    /// Answers one line. Returns false for a refusal or a failure. Fails if printing fails.
    pub async fn answer(&mut self, text: String) -> io::Result<bool> {
        if let Some(wanted) = self.pressed(&text) {
            return self.use_control(wanted).await;
        }
        self.last = next_event(self.last);
        let mut taken = None;
        let inbound = match self.offered.take() {
            Some(turn) if is_yes(&text, self.language) => {
                match self.dispatcher.chat.offered(turn, 0, &self.caller).await {
                    Ok((call, ended)) => {
                        taken = Some(ended);
                        pressed(self.last, self.caller.clone(), call)
                    }
                    Err(why) => {
                        tell(&why)?;
                        return Ok(false);
                    }
                }
            }
            Some(_) if is_no(&text, self.language) => return Ok(true),
            Some(_) | None => message(self.last, self.caller.clone(), text),
        };
        let answer = self.dispatcher.answer(&inbound, &Rules::default(), &self.terminal).await;
        if let Some(taken) = taken {
            self.dispatcher.chat.offered_ended(taken, answer.as_ref()).await;
        }
        self.show(answer)
    }

    /// Presses a button of the last answer, or chooses in a list. Buttons that need a confirmation ask first.
    async fn use_control(&mut self, wanted: &str) -> io::Result<bool> {
        let Press { mut call, choice, asks } = match press(&self.controls, wanted, self.language) {
            Ok(press) => press,
            Err(why) => {
                tell(&why)?;
                return Ok(false);
            }
        };
        if let Some((name, value)) = choice {
            let option = self.dispatcher.option(&call.path, &name);
            let value = option.map_or_else(|| value.clone().into(), |option| text_form::value(&option.kind, &value));
            call.arguments.insert(name, value);
        }
        if asks {
            let command = as_typed(&call.path, call.arguments.keys(), &call.arguments, usize::MAX);
            tell(&say!(self.language, "console-offer", command = command))?;
            if !matches!(self.terminal.next().await?, Typed::Line(line) if is_yes(&line, self.language)) {
                return Ok(false);
            }
        }
        self.last = next_event(self.last);
        let inbound = pressed(self.last, self.caller.clone(), call);
        let answer = self.dispatcher.answer(&inbound, &Rules::default(), &self.terminal).await;
        self.show(answer)
    }

    /// Prints an answer. Returns whether it is a command's reply or the model's words.
    fn show(&mut self, answer: Option<Answer>) -> io::Result<bool> {
        let Some(answer) = answer else { return Ok(false) };
        print(&render(&answer, self.language, Screen::of_output()))?;
        // After a refusal, the same button can be pressed again.
        if answer.is_reply_of_command() {
            self.controls = answer.controls().cloned().collect();
        }
        if let Some((turn, command)) = offered_run(&answer) {
            self.offered = Some(turn);
            tell(&say!(self.language, "console-offer", command = command.as_str()))?;
        }
        Ok(is_answered(&answer))
    }
}

/// Returns whether the answer is a command's reply or the model's words.
fn is_answered(answer: &Answer) -> bool {
    match &answer.provenance {
        Provenance::Command(_) => answer.is_reply_of_command(),
        Provenance::Turn(facts) => facts.author == Author::Model,
        Provenance::Host => false,
    }
}

/// Returns the turn and the command, if the answer offers to run one.
fn offered_run(answer: &Answer) -> Option<(TurnId, String)> {
    match &answer.provenance {
        Provenance::Turn(facts) => Some((facts.turn?, facts.offers.first()?.clone())),
        Provenance::Command(_) | Provenance::Host => None,
    }
}

/// Makes an inbound of an offered command that the person accepts.
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
        came_with: CameWith::default(),
        sent: SystemTime::now(),
    })
}
